"""Secrets, matched on the ``plain`` view. Providers' prefixes come first: they name what was found."""

# ruff: noqa: E501 - a rule is one line of data

import re
from dataclasses import replace
from itertools import pairwise

from pawflow_web.lib.scanner.matching import Check, Pattern, pattern
from pawflow_web.lib.scanner.values import entropy, is_card, is_own_ref, is_placeholder, is_random, plausible

_EDGE = r"(?<![A-Za-z0-9])"
_PEM = r"(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_PEM_SPACE = r"(?:\s|\\[rn])"  # also written as \n, in one line
_PEM_LINE = rf"{_PEM_SPACE}{{1,4}}(?:[A-Za-z0-9+/=]{{1,100}}|[A-Z][A-Za-z-]{{2,16}}: [^\n]{{1,80}})"


def _own_word(match: re.Match[str]) -> bool:
    """Whether a short prefix begins a word, or what follows it is drawn at random: ``my-sk-learn-…`` is a name."""
    return match.string[max(0, match.start() - 1) : match.start()] not in ("_", "-") or is_random(match[0])


def _openai(match: re.Match[str]) -> bool:
    if not _own_word(match):
        return False
    tail = match[0].rsplit("-", 1)[-1]
    digits = any(c.isdigit() for c in match[0])
    return digits or match[0].startswith("sk-proj-") or len(tail) >= 20


def _mixed(match: re.Match[str]) -> bool:
    return any(c.isdigit() for c in match[0]) or len(set(match[0])) > 12


_PROVIDERS: tuple[Pattern, ...] = (
    pattern("anthropic_key", "plain", "sk-ant-", _EDGE + r"sk-ant-[A-Za-z0-9_-]{12,200}"),
    pattern(
        "stripe_key",
        "plain",
        "k_live_|k_test_|whsec_",
        _EDGE + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,200}|whsec_[A-Za-z0-9+/=]{20,100})",
    ),
    pattern("openai_key", "plain", "sk-", _EDGE + r"sk-(?!ant-)(?:[a-z]{2,12}-){0,3}[A-Za-z0-9_-]{16,220}", _openai),
    pattern(
        "aws_key", "plain", "AKIA|ASIA|ABIA|ACCA", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    ),
    pattern(
        "aws_key",
        "low",
        "aws_secret|aws secret|secretaccesskey|secret access key",
        r"\b(?:aws[_ ])?secret[_ ]?access[_ ]?key\"?'?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?([a-z0-9/+]{40})(?![a-z0-9/+])",
        group=1,
    ),
    pattern(
        "github_token",
        "plain",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        _EDGE + r"(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{20,255})",
    ),
    pattern(
        "gitlab_token",
        "plain",
        "gl",
        _EDGE + r"(?:glpat|gldt|glrt|glcbt|glptt|glsoat|glft|glimt|glagent)-[A-Za-z0-9_-]{16,100}",
    ),
    pattern(
        "slack_token",
        "plain",
        "xox|xapp-|hooks.slack.com",
        _EDGE
        + r"(?:xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250})|hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9]{6,20}/[A-Za-z0-9]{6,20}/[A-Za-z0-9]{16,64}",
        _mixed,
    ),
    pattern(
        "google_key",
        "plain",
        "AIza|GOCSPX-|ya29.",
        _EDGE + r"(?:AIza[0-9A-Za-z_-]{30,40}|GOCSPX-[0-9A-Za-z_-]{20,40}|ya29\.[0-9A-Za-z_-]{20,400})",
    ),
    pattern("npm_token", "plain", "npm_", _EDGE + r"npm_[A-Za-z0-9]{30,60}", _mixed),
    pattern("pypi_token", "plain", "pypi-", _EDGE + r"pypi-[A-Za-z0-9_-]{32,300}", _mixed),
    pattern("huggingface_token", "plain", "hf_", _EDGE + r"hf_[A-Za-z0-9]{26,60}", _mixed),
    pattern("telegram_token", "plain", ":A", r"(?<![\w:])\d{8,10}:A[A-Za-z0-9_-]{33,34}(?![A-Za-z0-9_-])"),
    pattern("sendgrid_key", "plain", "SG.", _EDGE + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    pattern("twilio_key", "plain", "SK", _EDGE + r"SK[0-9a-f]{32}(?![0-9a-f])"),
    pattern("pawflow_token", "plain", "pf_", _EDGE + r"pf_[A-Za-z0-9_-]{20,200}", lambda m: _mixed(m) and _own_word(m)),
    pattern(
        "service_key",
        "plain",
        "dop_v1_|doo_v1_|shp|lin_api_|ntn_|gsk_|xai-|r8_|pplx-|dapi|hvs.|AGE-SECRET|sq0|dckr_pat|figd_|PMAK|NRAK|sntry|sbp_|pscale_|tskey|dp.|HRKU|key-|rubygems|glsa_|EAA|nvapi-|tvly-|AccountKey|SharedAccess|CLOJARS|atlasv1|ATATT|secret_|fw_|fly|phx_|cfut_|v1.0-",
        _EDGE
        + r"(?:do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|lin_api_[A-Za-z0-9]{32,48}|ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}|"
        r"gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{60,90}|r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{40,60}|dapi[0-9a-f]{32}(?:-\d)?|hvs\.[A-Za-z0-9_-]{20,200}|"
        r"AGE-SECRET-KEY-1[0-9A-Z]{58}|sq0(?:csp|atp)-[0-9A-Za-z_-]{22,43}|dckr_pat_[A-Za-z0-9_-]{20,40}|figd_[A-Za-z0-9_-]{30,60}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|"
        r"NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9+/=_-]{40,200}|sbp_[0-9a-f]{40}|pscale_(?:tkn|pw)_[A-Za-z0-9_.-]{32,64}|tskey-[a-z]{3,8}-[A-Za-z0-9-]{16,80}|"
        r"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,60}|HRKU-[0-9A-Za-z_-]{36,64}|(?<![_-])key-[0-9a-f]{32}|rubygems_[0-9a-f]{48}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|EAA[A-Za-z0-9]{80,300}|"
        r"nvapi-[A-Za-z0-9_-]{60,80}|tvly-[A-Za-z0-9-]{28,60}|AccountKey=[A-Za-z0-9+/]{40,100}={0,2}|SharedAccess(?:Key|Signature)=[A-Za-z0-9+/%]{20,120}={0,2}|"
        r"CLOJARS_[0-9a-f]{60}|ATATT3[A-Za-z0-9_=-]{80,250}|fw_[A-Za-z0-9]{22,30}|phx_[A-Za-z0-9]{40,50}|fly(?:o1|v1)[ _][A-Za-z0-9_=+/,-]{40,500}|cfut_[A-Za-z0-9]{40,60})",
    ),
    pattern(
        "service_key",
        "plain",
        ".",
        r"(?<![\w.])[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])",
        lambda m: entropy(m[0]) > 4,
    ),
    pattern(
        "jwt",
        "plain",
        "eyJ",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{4,6000}\.[A-Za-z0-9_-]{0,2000}",
    ),
    pattern(
        "private_key",
        "plain",
        "PRIVATE KEY|PuTTY-User",
        rf"-----BEGIN {_PEM}(?:(?:{_PEM_LINE}){{0,400}}{_PEM_SPACE}{{0,4}}-----END {_PEM}|(?:{_PEM_SPACE}{{1,4}}[A-Za-z0-9+/=]{{16,100}}){{0,400}})|PuTTY-User-Key-File-\d",
    ),
)


def _is_broken(check: Check | None) -> Check:
    def checked(match: re.Match[str]) -> bool:
        return sum(c.isdigit() for c in match[0]) >= 3 and (check is None or check(match))

    return checked


# For tokens that a line break parts: the text has been joined there, so what follows must be clearer than elsewhere.
BROKEN: tuple[Pattern, ...] = tuple(
    replace(known, check=_is_broken(known.check)) for known in _PROVIDERS if known.rule != "private_key"
)


# --- addresses and headers ------------------------------------------------------------------------------------
_LOCAL = re.compile(
    r"^(?:localhost|127\.0\.0\.1|\[::1\]|db|postgres|redis|mysql|host|example\.(?:com|org)|hostname|server)\b"
)
_EXAMPLES = {"user", "username", "login", "usr", "name", "me", "you", "myuser", "dbuser"}


def _url_has_password(match: re.Match[str]) -> bool:
    user, password, host = match["user"], match["password"], match["host"]
    if is_placeholder(password):
        # scheme://user:password@host explains a format; admin:password@db.example.net is somebody's password.
        return not (user.lower() in _EXAMPLES or _LOCAL.match(host) or not password[:1].isalpha())
    return not (user == password and _LOCAL.match(host))


def _basic(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and len(set(match["value"])) > 4


_HEADERS: tuple[Pattern, ...] = (
    pattern(
        "url_password",
        "plain",
        "://",
        r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{1,24}://(?P<user>[^\s:/@\"'<>{}$]{0,64}):(?P<password>[^\s/@\"'<>]{1,128})@(?P<host>[^\s/\"'<>,;]{1,253})",
        _url_has_password,
    ),
    pattern(
        "authorization",
        "plain",
        "earer ",
        r"\b[Bb]earer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}={0,2})",
        lambda m: _basic(m) and _mixed(m) and any(c.isdigit() for c in m["value"]),
        group=1,
    ),
    pattern(
        "authorization",
        "plain",
        "asic ",
        r"\b[Aa]uthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?[Bb]asic\s{1,3}(?P<value>[A-Za-z0-9+/]{8,400}={0,2})",
        _basic,
        group=1,
    ),
    pattern(
        "authorization",
        "plain",
        "curl|http |https |wget",
        r"\b(?:curl|https?|wget)\b[^\n]{0,120}?\s(?:-u|--user|-a)[ =]?[\"']?[\w.@+-]{1,64}:(?P<value>[^\s\"'@]{4,128})",
        lambda m: not is_placeholder(m["value"]),
        group=1,
    ),
    pattern(
        "authorization",
        "plain",
        "sshpass|mysql",
        r"\bsshpass\s+-p\s?[\"']?(?P<value>[^\s\"']{4,128})|\bmysql\w{0,6}\b[^\n]{0,80}?\s-p(?P<mysql>[^\s\"'-][^\s\"']{4,128})",
        lambda m: not is_placeholder(m["value"] or m["mysql"]),
    ),
)


# --- values beside a word -------------------------------------------------------------------------------------
_LOGIN_WORDS = (
    r"password|passwd|pwd|passphrase|passcode|passwort|kennwort|mot de passe|contrasena|senha|пароль|пароля|parola|sifre|sifresi|sifrem|haslo|wachtwoord|losenord|mat khau|"
    r"parolasi|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|पासवर्ड|كلمة المرور|كلمة السر|رمز عبور|סיסמה|סיסמא|รหัสผ่าน|kata sandi|jelszo|heslo"
)
_CREDENTIAL_WORDS = r"secret|api[ _-]?key|apikey|token|access[ _-]?key|secret[ _-]?key|client[ _-]?secret|auth[ _-]?key|signing[ _-]?key|encryption[ _-]?key|credentials?"
_LOGIN_NEAR = "pass|pwd|kennwort|contrasena|senha|парол|parola|sifre|haslo|wachtwoord|losenord|mat khau|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|पासवर्ड|كلمة|رمز عبور|סיסמ|รหัส|kata sandi|jelszo|heslo"
_IS = r"(?:(?:(?:is|was|has been) )?(?:now |changed to |set to )|lautet|equals|is|was|are|ist|war|est|este|es|e|это|to|jest|la|です|は|是|为|為|là|هي|هو|:=|=>|[:=：＝]|-{1,2}>)(?:\s{0,2}[:=：])?"
_ASSIGN = rf"[\"'`*_\])]{{0,4}}\s{{0,4}}(?P<op>{_IS})\s{{0,4}}"
_KEY = r"(?<![a-z])(?:[a-z0-9]{1,24}[_.-]){0,4}"


def _raw(match: re.Match[str]) -> str:
    return match["value"].rstrip(".,;:!?)]}'\"`*。、")


def _is_password(match: re.Match[str]) -> bool:
    value = _raw(match)
    if match["quote"] and len(value) >= 6 and not is_placeholder(value) and value not in _WORDS_FOR_PASSWORDS:
        return True
    if value.isdigit():
        return len(value) >= 4 and len(set(value)) > 1
    return len(value) >= 5 and plausible(value) and _ends(match)


def _is_token(match: re.Match[str]) -> bool:
    value = _raw(match)
    if len(value) < 8 or is_own_ref(value) or not plausible(value) or not any(c.isdigit() for c in value):
        return False
    return bool(match["quote"]) or _ends(match)


def _is_pass(match: re.Match[str]) -> bool:
    """After *pass*, which is a verdict as well: ``pass: test_login2``."""
    value = _raw(match)
    return plausible(value) and (match["op"] == "=" or ("_" not in value and _unmistakable(match["value"])))


_LETTERS_AND_DIGITS = re.compile(r"(?=[^a-z]*[a-z])(?=\D*\d)")
_PASSWORD_SIGN = re.compile(r"[!@#$%^&*?]")


def _unmistakable(value: str) -> bool:
    """Letters and digits with a sign, or that alternate as no word does."""
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return _LETTERS_AND_DIGITS.match(value) is not None and (_PASSWORD_SIGN.search(value) is not None or changes >= 3)


_WORDS_FOR_PASSWORDS = {
    "required",
    "optional",
    "invalid",
    "incorrect",
    "missing",
    "current-password",
    "new-password",
    "secret",
    "current_password",
}
_NEXT_WORD = re.compile(
    r"[\"'`*]{0,3}(?:\s{0,3}(?:$|[\n,.;:!?)\]}#&|—–-]|//)|\s(?:and|for|on|at|in|to|but|until|since|of|und|fur|auf|bei|et|pour|y|para|e|no|for|do|для|на|ve)\b|[^\x00-\x7f])"
)


def _ends(match: re.Match[str]) -> bool:
    """Whether the value stands for itself. After ``=`` and ``:`` it does; after a verb it must end its clause or look
    like nothing else: "token is base64url encoded" goes on, "password is hunter2 for the NAS" does not."""
    value = _raw(match)
    return (
        match["op"][-1] in "=:"
        or _NEXT_WORD.match(match.string, match.end()) is not None
        or match["value"] != value
        or _unmistakable(value)
    )


_ASSIGNMENTS: tuple[Pattern, ...] = (
    pattern(
        "assigned_secret",
        "low",
        _LOGIN_NEAR,
        rf"{_KEY}(?:{_LOGIN_WORDS})(?:\s?(?:\([^()\n]{{1,30}}\)|(?:for|of|to|on|at|fur|furs|von|pour|de|del|da|do|от|для|к)\s[^\n:=]{{1,40}}?))?{_ASSIGN}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>]{{4,128}})",
        _is_password,
        group=3,
    ),
    pattern(
        "assigned_secret",
        "low",
        "secret|key|token|credential",
        rf"{_KEY}(?:{_CREDENTIAL_WORDS}){_ASSIGN}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>,;]{{8,200}})",
        _is_token,
        group=3,
    ),
    pattern(
        "assigned_secret",
        "low",
        "pass",
        rf"{_KEY}pass[\"'`*]{{0,3}}\s{{0,3}}(?P<op>[:=])\s{{0,3}}[\"'`]?(?P<value>[^\s\"'`<>]{{5,128}})",
        _is_pass,
        group=2,
    ),
    pattern(
        "assigned_secret",
        "low",
        "pin |pin:|pin=|cvv|cvc|security code",
        r"\b(?:pin(?: code| number)?|cvv2?|cvc|security code)(?: (?:for|of|to) (?:the |my )?\w{1,20}(?: \w{1,20})?)?\s{0,2}(?:is|=|:)\s{0,2}(?P<value>\d{3,8})(?![\d.:/-])",
        lambda m: len(m["value"]) != 5 and (len(m["value"]) > 3 or "pin" not in m[0]),
        group=1,
    ),
)

_HASH_WORD = re.compile(
    r"(?:sha-?\d*|hash\w{0,3}|commit|digest|checksum|fingerprint|etag|md5|revision|integrity|blob|tree)\W{0,3}(?:\w{1,12}\W{1,3}){0,2}$",
    re.IGNORECASE,
)


def _is_random(match: re.Match[str]) -> bool:
    value = match["value"]
    before = match.string[max(match.start(), match.start("value") - 40) : match.start("value")]
    return is_random(value) and not _HASH_WORD.search(before)


_RANDOM: tuple[Pattern, ...] = (
    pattern(
        "random_secret",
        "plain",
        "key|Key|KEY|oken|OKEN|ecret|ECRET|assw|ASSW|redential|earer",
        r"\b(?i:(?:api|access|secret|private|auth|signing|encryption|master|license|service)[ _-]?key|token|secret|password|passwd|credentials?|bearer)s?\b[^\n]{0,40}?(?<![A-Za-z0-9+/_=.-])(?P<value>[A-Za-z0-9+/_-]{20,200}={0,2})(?![A-Za-z0-9+/_-])",
        _is_random,
        group=1,
    ),
)


# --- cards ----------------------------------------------------------------------------------------------------
_NOT_A_CARD = re.compile(
    r"(?:order|invoice|tracking|shipment|serial|isbn|imei|ticket|parcel|article|sku|part|ref(?:erence)?|\bid|version|timestamp|bestell\w{0,8}|rechnung\w{0,8}|commande|pedido)\W{0,3}(?:(?:no|nr|number|nummer|id|numero|code|is|was)\b\W{0,3}){0,2}$",
    re.IGNORECASE,
)


def _is_card(match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match[0])
    return is_card(digits) and not _NOT_A_CARD.search(match.string, max(0, match.start() - 30), match.start())


_CARDS: tuple[Pattern, ...] = (
    pattern(
        "card_number",
        "plain",
        "2|3|4|5|6",
        r"(?<![\w.,+/-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})(?![\w/-])(?!\.\d)",
        _is_card,
    ),
)

PATTERNS: tuple[Pattern, ...] = (*_PROVIDERS, *_HEADERS, *_ASSIGNMENTS, *_RANDOM, *_CARDS)
