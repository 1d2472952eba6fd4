"""Words and mark-up aimed at the agent, other than overrides. Matched on the ``low`` view unless case matters."""

# ruff: noqa: E501 - a rule is one line of data

import re

from pawflow_web.lib.scanner.matching import Pattern, pattern
from pawflow_web.lib.scanner.overrides import not_reported

_START = r"(?:^|[.!?\n\"“:>*#]\s{0,3}|[-–—]\s)"
_LINK = r"https?://[^\s<>\"]{3,200}"
_MAIL = r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}"
_TARGET = rf"(?:{_LINK}|{_MAIL})"
_WHENEVER = (
    r"from now on|always|every time|whenever|each time|henceforth|automatically|silently|secretly|ab jetzt|ab sofort|desormais|"
    r"a partir de (?:ahora|agora)|отныне|с этого момента|bundan sonra"
)
_WHENEVER_NEAR = _WHENEVER.replace("(?:ahora|agora)", "")
_SEND_ELSEWHERE = r"weiter\w{0,6}|leite|sende|schicke|transfer\w{0,3}|envo\w{1,4}|envi\w{1,3}|reenvi\w{1,3}|encaminh\w{1,3}|отправляй|пересылай|gonder|ilet"
_SEND = r"(?:forward|send|e-?mail|post|upload|submit|transmit|bcc|cc|copy|report|leak|exfiltrate|deliver|share)"
_PRIVATE = (
    r"(?:conversations?|chats?|chat (?:history|logs?)|memor(?:y|ies)|secrets?|passwords?|credentials?|api[ _-]?keys?|tokens?|private keys?|"
    r"ssh keys?|env(?:ironment)? variables?|\.env|system prompt|user(?:'s)? data|personal (?:data|information)|cookies|history)"
)
_SENSITIVE_VARIABLE = (
    r"\$\{?\{?\s?(?:env[.:])?\w{0,30}?(?<![a-z])(?:key|token|secret|password|passwd|credentials?)(?![a-z])\w{0,20}"
)

_NEGATED = re.compile(
    r"\b(?:never|not|don'?t|avoid|without|forbid\w{0,5}|prohibit\w{0,3}|refuse to|instead of|nie|jamais|nunca)\b[^.!?\n]{0,24}$"
)


def _not_negated(match: re.Match[str]) -> bool:
    return _NEGATED.search(match.string, max(0, match.start() - 48), match.start()) is None


_COMMAND = re.compile(r"\b(?:curl|wget|invoke-webrequest|fetch)\b[^\n]*$")
_SENT = re.compile(r"://\S*$|\s(?:-d|--data[\w-]{0,12}|-f|--form|--post-data|-t|--upload-file)[ =]?[^\s]{0,60}$")


def _is_sent(match: re.Match[str]) -> bool:
    """In the address or the body of a request; in a header, a secret is at its place."""
    before = match.string[max(0, match.start() - 240) : match.start()]
    return _COMMAND.search(before) is not None and _SENT.search(before) is not None


_WORDS: tuple[Pattern, ...] = (
    pattern(
        "role_change",
        "low",
        "you are now",
        rf"{_START}(?:from now on,? )?(you are now (?!(?:a|an|the|part of the|in the) (?:\w+ )?(?:member|part|customer|subscriber|owner|user|group|team|list|beta|queue)\b)"
        r"(?:an?|the|my|called|named|acting|in \w+ mode|dan|free|unrestricted|unfiltered|jailbroken|no longer)\b)",
        group=1,
    ),
    pattern(
        "role_change",
        "low",
        "act as|pretend|behave as|behave like|roleplay|respond as",
        r"\b(?:act|pretend|behave|respond|roleplay|answer)\b[^.!?\n]{0,24}?\b(?:no|without|free of|never had)\b (?:any |your )?(?:limits?|limitations|rules|restrictions|filters?|guidelines|ethics|morals)\b",
    ),
    pattern(
        "role_change",
        "low",
        "from now on",
        r"\bfrom now on,? (?:you (?:are|will be|shall be|must act|act|will act|should act)|act as|pretend|behave as|respond only as|your (?:new )?(?:name|role|identity) is)\b",
    ),
    pattern(
        "role_change",
        "low",
        "mode|jailbr",
        r"\b(?:dan mode|developer mode (?:enabled|activated|on)|jailbreak mode|god mode (?:enabled|activated)|do anything now)\b",
    ),
    pattern(
        "safety_bypass",
        "low",
        "bypass|disable|turn off|circumvent|remove|switch off|deactivate",
        r"\b(?:bypass|disable|turn off|switch off|circumvent|remove|deactivate|get around) (?:all |any )?(?:of )?(?:your|the agent's|its) (?:own )?(?:\w{1,12} )?(?:safety|safeguards?|guardrails?|restrictions?|filters?|limits|limitations|rules|content policy|safeties)\b",
        not_reported,
    ),
    pattern(
        "safety_bypass",
        "low",
        "no restrictions|no limits|no rules|unrestricted|no longer bound|not bound",
        r"\byou (?:now )?(?:have no (?:restrictions|limits|rules|limitations)|are (?:completely )?unrestricted|are (?:no longer|not) bound)\b",
    ),
    pattern(
        "prompt_leak",
        "low",
        "prompt|instructions",
        r"\b(?:reveal|print|show|repeat|output|leak|display|dump|expose|disclose|tell me|give me|quote)\b(?: \w{1,10}){0,3}? your (?:\w{1,10} )?(?:system|hidden|initial|secret|original|full|complete|exact)?\s?(?:prompt\b|instructions\b(?! (?:to|for|manual)\b))",
        not_reported,
    ),
    pattern(
        "prompt_leak",
        "low",
        "above|verbatim",
        r"\b(?:repeat|print|output) (?:everything|all(?: the)? (?:text|words)|the (?:text|words)) above\b|\b(?:system prompt|instructions) verbatim\b",
    ),
    pattern(
        "false_authority",
        "low",
        "you now have|as your|this is a message from|i am your|i authorize you|you are authorized|you are authorised",
        r"\byou now have (?:\w{1,12} )?(?:admin(?:istrator)?|root|full|unlimited|elevated|developer) (?:access|privileges?|rights|permissions?)\b|"
        r"\b(?:as|i am) your (?:developer|creator|administrator|system administrator|owner at \w+),? i (?:authori[sz]e|order|command|instruct|hereby)\b|"
        r"\bthis is a message from (?:the system|your developers?|openai|anthropic|google)\b|"
        r"\byou are (?:hereby )?authori[sz]ed to (?:ignore|bypass|disclose|share|send|skip|delete)\b",
    ),
    pattern(
        "hide_from_user",
        "low",
        "the user|the owner|the human|the operator|my user|this|anyone|anybody",
        r"\b(?:do not|don'?t|never|must not|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|mention(?:ing)? (?:this|it|any of this) to|(?:reveal|disclose|admit|mention|say) to|reveal(?:ing)? (?:this|it) to|show(?:ing)? (?:this|it) to|let(?:ting)?) "
        r"(?:the |your |my )?(?:user|owner|human|operator|anyone|anybody)s?\b"
        r"(?= ?(?:$|[.,;!)\n\"]| (?:about )?(?:this|that you|that the|that this|what you|any of|these|it\b|know|anything|and\b|of this|see)))",
    ),
    pattern(
        "hide_from_user",
        "low",
        "from the user|from the owner|from the human|from your user|from the operator",
        r"\b(?:keep|hide|conceal|withhold)\b[^.!?\n]{0,30}?\b(?:secret|hidden|this|it|that|your|these|instructions?|message|actions?)\b[^.!?\n]{0,12}? from (?:the|your) (?:user|owner|human|operator)\b",
        _not_negated,
    ),
    pattern(
        "hide_from_user",
        "low",
        "mention this|mention these|reveal this|reveal these",
        r"\b(?:do not|don'?t|never) (?:mention|reveal|disclose|acknowledge|repeat) (?:this|these) (?:instructions?|messages?|notes?|memor(?:y|ies)|rules?|prompt)\b",
    ),
    pattern(
        "standing_order",
        "low",
        _WHENEVER_NEAR,
        rf"\b(?:{_WHENEVER})\b[^.!?\n]{{0,70}}?\b(?:{_SEND}s?|{_SEND_ELSEWHERE})\b[^\n]{{0,80}}?{_MAIL}",
        _not_negated,
    ),
    # Uploading to an address of the web is ordinary work unless it is forwarding or goes on unseen.
    pattern(
        "standing_order",
        "low",
        _WHENEVER_NEAR,
        rf"\b(?:{_WHENEVER})\b[^.!?\n]{{0,70}}?\b(?:forward|copy|leak|exfiltrate|transmit)s?\b[^\n]{{0,80}}?{_LINK}",
        _not_negated,
    ),
    pattern(
        "standing_order",
        "low",
        "from now on|henceforth|silently|secretly",
        rf"\b(?:from now on|henceforth|silently|secretly)\b[^.!?\n]{{0,70}}?\b{_SEND}s?\b[^\n]{{0,80}}?{_LINK}",
        _not_negated,
    ),
    pattern(
        "standing_order",
        "low",
        "before |with each|with every|after every|after each",
        rf"\b(?:before|with|after|in) (?:answering|replying|responding|each|every|any) ?(?:answer|reply|response|message|turn)?\b[^.!?\n]{{0,40}}?\b(?:fetch|open|visit|load|call|request|include)\b[^\n]{{0,40}}?{_LINK}",
        _not_negated,
    ),
    pattern(
        "standing_order",
        "low",
        "approve|accept|grant|confirm|execute",
        r"\b(?:always|automatically|from now on,?|auto-?|(?:agent|assistant|you) (?:must|should|will))\b[^.!?\n]{0,20}?\b(?:approve|accept|grant|confirm|execute)s? (?:all|any|every) (?:\w{1,12} )?(?:requests?|commands?|tool calls?|transactions?|transfers?|payments?|permissions?|actions?)\b",
        _not_negated,
    ),
    pattern(
        "exfiltration",
        "low",
        "send|post|upload|forward|mail|transmit|exfiltrate|leak|submit|share",
        rf"\b(?:{_SEND})\b[^.!?\n]{{0,30}}?\b(?:all|the|any|every|your|my|user|its|their|this|full|entire)\b[^.!?\n]{{0,24}}?\b{_PRIVATE}\b[^\n]{{0,60}}?\b(?:to|at|via|into)\b[^\n]{{0,20}}?{_TARGET}",
        _not_negated,
    ),
    pattern(
        "exfiltration",
        "low",
        "send|post|upload|forward|mail|transmit|copy|share",
        rf"\b(?:{_SEND})\b (?:\w{{1,6}} )?(?:all|every|each)\b[^.!?\n]{{0,16}}?\b(?:files?|documents?|e-?mails?|messages|contacts|notes|photos|data|code)\b[^!?\n]{{0,60}}?\bto\b[^\n]{{0,20}}?{_TARGET}",
        _not_negated,
    ),
    pattern(
        "exfiltration",
        "low",
        "exfiltrate|leak",
        rf"\b(?:exfiltrate|leak)\b[^.!?\n]{{0,20}}?\b(?:all|the|any|every|your)\b[^.!?\n]{{0,16}}?\b{_PRIVATE}\b",
        _not_negated,
    ),
    pattern("exfiltration", "low", "$", _SENSITIVE_VARIABLE, _is_sent),
    pattern(
        "exfiltration",
        "low",
        "curl|wget",
        r"\b(?:curl|wget)\b[^\n]{0,160}?(?:-d|--data\w{0,3}[\w-]{0,12}|-f|--form|-t|--upload-file|--post-file)[ =]?\S{0,24}?@?(?:~|/root|/home/[\w.-]{1,32}|\$home)?/?(?:\.env\b(?!\w)|\.aws/|\.ssh/|\.netrc|\.pgpass|\.npmrc|\.pypirc|id_rsa|id_ed25519|/etc/passwd|/etc/shadow)",
    ),
    pattern(
        "exfiltration",
        "low",
        "cat |tar |env |printenv|base64",
        r"\b(?:cat|tar|env|printenv|base64)\b[^\n|]{0,80}\|[^\n]{0,60}?(?:\b(?:curl|wget|nc|ncat|netcat|telnet)\b|/dev/tcp/)",
    ),
    pattern(
        "exfiltration",
        "low",
        "](http",
        r"!\[[^\]\n]{0,80}\]\(https?://[^\s)]{1,200}[?&#/=](?:[^\s)]{0,80}?)(?:\{\w?[^)\n]{0,60}\}|<[a-z][^)\n]{0,40}>|\[[a-z][^)\n\]]{0,40}\]|\$\{?\w|%s|%7b|(?:conversation|secret|memory|context|summary|history|password|token)=)",
    ),
    pattern(
        "dangerous_command",
        "low",
        "rm -|rm  ",
        r"\brm\s{1,3}(?:-[a-z-]{1,20}\s{1,3}){1,4}(?:--\s)?[\"']?(?:/|~|\$home|/\*)[\"']?(?=\s|$|[;&|`*,)])",
        _not_negated,
    ),
    pattern(
        "dangerous_command",
        "low",
        "authorized_keys",
        r">>?\s{0,3}\S{0,60}authorized_keys|\btee (?:-a )?\S{0,60}authorized_keys|\b(?:add|append|insert|put|write)\b[^.!?\n]{0,60}?\b(?:key|ssh-\w+)\b[^!?\n]{0,40}?authorized_keys",
        _not_negated,
    ),
    pattern(
        "dangerous_command",
        "low",
        "sudoers",
        r">>?\s{0,3}/etc/sudoers|\btee (?:-a )?/etc/sudoers|\b(?:add|append|insert|write|put)\b[^.!?\n]{0,60}?/etc/sudoers|nopasswd:\s?all[^\n]{0,40}/etc/sudoers",
        _not_negated,
    ),
    pattern(
        "dangerous_command",
        "low",
        "/dev/sd|/dev/nvme|:(){|mkfs",
        r"\bdd if=\S{1,40} of=/dev/(?:sd|nvme|hd)\w{1,8}|:\(\)\s?\{\s?:\|:&\s?\};:|\bmkfs(?:\.\w{2,5})? (?:-\w+ )?/dev/(?:sd|nvme)\w{1,8}",
        _not_negated,
    ),
    pattern(
        "encoded_instruction",
        "low",
        "decode|base64|rot13|translate|decrypt",
        r"\b(?:decode|translate|decrypt|deobfuscate|unbase64)\b(?: this| the following| that| it|[^.!?\n]{0,40}?\b(?:base64|rot13|hex|following|text|string|message)\b)[^.!?\n]{0,60}?\b(?:and|then)\b (?:then )?(?:execute|run|follow|obey|do|perform|apply) (?:it|them|what|the (?:result|output|instructions?|commands?|content)|that|its)\b",
    ),
)

_MARKUP: tuple[Pattern, ...] = (
    pattern(
        "role_markup",
        "low",
        "<system|</system|<assistant|</assistant|<human>|</human>|<|",
        r"</?\s?system(?:[_-](?:prompt|message|reminder|instructions?))?\s?/?>|(?:^|\n)\s{0,4}<assistant>|</assistant>|</?human>|<\|[a-z][a-z_ ]{1,30}\|>",
    ),
    pattern(
        "role_markup",
        "low",
        "inst]|<<sys|[system|<start_of|<end_of|<s>[|begin_of",
        r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    ),
    pattern(
        "role_markup",
        "plain",
        "[SYSTEM|[ASSISTANT",
        r"(?:^|\n)\s{0,4}(\[/?(?:SYSTEM|ASSISTANT)(?: (?:MESSAGE|PROMPT|OVERRIDE|NOTE))?\])",
        group=1,
    ),
    pattern(
        "role_markup",
        "low",
        "\"role\"|'role'",
        r"\{\s{0,4}[\"']role[\"']\s{0,2}:\s{0,2}[\"'](?:system|assistant|developer|tool)[\"']\s{0,2},\s{0,4}[\"']content[\"']\s{0,2}:",
    ),
    pattern(
        "role_markup",
        "low",
        "# instruction|# system|# response|# assistant",
        r"(?:^|\n)#{2,4} ?(?:instruction|system|response|assistant|system prompt)s?:",
    ),
    pattern(
        "role_line",
        "plain",
        "ASSISTANT|SYSTEM|HUMAN",
        r"(?:^|\n)[\s>*_-]{0,6}((?:ASSISTANT|SYSTEM|HUMAN)(?: (?:MESSAGE|PROMPT))?[*_]{0,2}\s?:)",
        group=1,
    ),
    pattern(
        "role_line",
        "low",
        "system:|assistant:|system prompt:|developer:",
        r"(?:^|\n)[\s>*_-]{0,6}((?:system|assistant|system prompt|developer)[*_]{0,2}\s?:[*_]{0,2}\s{0,3}(?:you\b|ignore|always|never|must|do not|don'?t|forget|from now on|new instruction|override|sure,|of course|ok(?:ay)?,|i will|i have|the user (?:has|is|wants|must)))",
        group=1,
    ),
    pattern(
        "role_line",
        "low",
        "human:|user:",
        r"(?:^|\n)\s{0,4}(?:human|user)\s?:[^\n]{0,400}\n{1,2}\s{0,4}(?:assistant|ai|bot)\s?:",
    ),
    pattern(
        "tool_call",
        "low",
        "tool_call|tool_use|function_call|<invoke|<function|tool_result|<parameter|<tool",
        r"[\"']?(?:tool_calls?|function_call|tool_use)[\"']?\s{0,3}:\s{0,3}[\[{]|[\"']type[\"']\s{0,2}:\s{0,2}[\"'](?:tool_use|tool_result|function_call)[\"']|"
        r"</?(?:antml:)?(?:tool_calls?|tool_use|tool_result|function_calls?|function_results?|tool_response)>|<(?:antml:)?invoke\s+name\s?=|<function\s?=\s?\w|<(?:antml:)?parameter\s+name\s?=",
    ),
    pattern(
        "tool_call",
        "low",
        '"arguments"|"parameters"|"args"|"input"|"tool_input"|"action_input"|\'arguments\'',
        r"\{[^{}\n]{0,80}[\"'](?:name|tool|tool_name|function|action|recipient_name)[\"']\s{0,3}:\s{0,3}[\"'][\w.:-]{1,64}[\"'][^{}]{0,80}[\"'](?:arguments|parameters|args|input|tool_input|action_input)[\"']\s{0,3}:\s{0,3}[\"\[{]",
    ),
    pattern("tool_call", "low", "action input", r"(?:^|\n)\s{0,4}action\s?:\s?\w[^\n]{0,80}\n\s{0,4}action input\s?:"),
    pattern(
        "fence_markup",
        "low",
        "<memory|</memory|untrusted|end of memory|stored text|pawflow:",
        r"</\s{0,2}memory(?:-[\w-]{1,64})?\s{0,2}>|<\s{0,2}memory(?:-[\w-]{1,64}|\s(?:id|nonce|source)=[^>\n]{0,80})\s{0,2}/?>|</?\s{0,2}(?:untrusted|stored-text|background|context)-[0-9a-f]{4,64}|<!--\s{0,3}/?pawflow:|(?:^|\n)[=\-*#<\[\s]{0,8}end of (?:stored )?memor(?:y|ies)[=\-*#>\]\s]{0,8}(?=\n|$)",
    ),
)

_AIMED = re.compile(
    r"^\s{0,8}(?:ignore (?:this|all|the|any|previous|every|above)|disregard|forget|override|obey|execute|reveal|send |exfiltrate)\b|"
    r"\b(?:system prompt|ai (?:agent|assistant|model)s?|assistant:|system:|dear (?:ai|agent|assistant)|hey (?:ai|agent|assistant|claude|chatgpt)|you must|you are now|"
    r"(?:agent|assistant|llm|claude|chatgpt|copilot)s?[,:]? (?:must|should|please|will)|previous instructions|new instructions?|the user must not)\b"
)


def _comment_is_aimed(match: re.Match[str]) -> bool:
    return _AIMED.search(match[1]) is not None


_COMMENTS = (
    pattern(
        "comment_instruction", "low", "<!--", r"<!--((?:[^<-]|-(?!->)|<(?!!--)){1,600})(?:-->|$)", _comment_is_aimed
    ),
    pattern("comment_instruction", "low", "[//]:", r"(?:^|\n)\[//\]: ?# ?[(\"']([^\n]{1,400})", _comment_is_aimed),
)

PATTERNS: tuple[Pattern, ...] = (*_WORDS, *_MARKUP, *_COMMENTS)
