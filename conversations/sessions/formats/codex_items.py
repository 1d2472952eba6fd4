"""What was said and done in one item of a rollout."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from conversations.sessions.entries import Entry, Policy, Record, State
from conversations.sessions.formats.composing import (
    arguments_of,
    call_text,
    compact,
    first_string,
    has_words,
    joined,
    list_of,
    object_of,
    paths_in,
    result_text,
    string_of,
    text_of_blocks,
)

_ROLES = {"user": "user", "assistant": "assistant", "developer": "system", "system": "system"}
# Kinds of calls, with the keys of what they are called with and the name of the tool where they bear none.
_CALLS = {
    "function_call": ("arguments", ""),
    "tool_call": ("arguments", ""),
    "custom_tool_call": ("input", ""),
    "local_shell_call": ("action", "local_shell"),
    "tool_search_call": ("arguments", "tool_search"),
    "web_search_call": ("action", "web_search"),
    "image_generation_call": ("revised_prompt", "image_generation"),
}
_OUTPUTS = {
    "function_call_output": "output",
    "tool_result": "result",
    "custom_tool_call_output": "output",
    "tool_search_output": "tools",
}
# The tags that the client itself writes around a whole message.
_CLIENT_TAGS = (
    "collaboration_mode",
    "environment_context",
    "permissions instructions",
    "skill",
    "subagent_notification",
    "turn_aborted",
    "user_instructions",
    "user_shell_command",
)
# What it puts before and behind a picture.
_PICTURE = re.compile(r"</?image(?: name=[^>]*)?>")
_AGENTS_FILE, _AGENTS_FILE_END = "# AGENTS.md instructions for ", "</INSTRUCTIONS>"
_EDITOR_CONTEXT = "# Context from my IDE setup:"
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
# How many records an item may stand behind the event that says the same.
_NEAR = 20


@dataclass(frozen=True, slots=True)
class Heard:
    """What events told before an item did: digests in ``own["heard"]``, each with the ordinal of its event."""

    own: dict[str, Any]

    def told(self, ordinal: int, role: str, text: str, *, as_entry: bool) -> None:
        near = [heard for heard in list_of(self.own.get("heard")) if ordinal - heard[1] <= _NEAR]
        self.own["heard"] = [*near, [_digest(role, text, as_entry=as_entry), ordinal]]

    def took(self, ordinal: int, role: str, text: str, *, as_entry: bool) -> bool:
        """Whether an event told it shortly before; each event answers for one item."""
        digest, waiting = _digest(role, text, as_entry=as_entry), list_of(self.own.get("heard"))
        same = [heard for heard in waiting if heard[0] == digest and ordinal - heard[1] <= _NEAR]
        if same:
            waiting.remove(same[0])
        return bool(same)


def _digest(role: str, text: str, *, as_entry: bool) -> str:
    return hashlib.sha256(f"{role} {as_entry} {text.strip()}".encode()).hexdigest()[:16]


def entry_of_message(record: Record, item: dict[str, Any]) -> Entry | None:
    role = _ROLES.get(string_of(item.get("role")))
    if role is None:
        return None
    content = item.get("content")
    texts = [text_of_blocks(block) for block in (content if isinstance(content, list) else [content])]
    own = [text for text in texts if not _is_of_client(text)] if role == "user" else texts
    words = _request(joined(own)) if role == "user" else joined(own)
    entry = _entry(record, role, words or joined(texts))
    entry.prose = role != "system" and has_words(words)
    return entry


def entry_of_item(record: Record, item: dict[str, Any], kind: str, state: State, policy: Policy) -> Entry | None:
    """The entry of an item that is no message; None for a kind that says nothing."""
    if kind in _CALLS:
        return _call(record, item, kind, state)
    if kind in _OUTPUTS:
        return _output(record, item, kind, state, policy)
    if kind == "reasoning":
        words = joined([text_of_blocks(item.get(key)) for key in ("summary", "content")])
        return _entry(record, "assistant", words if policy.thinking else "")
    if kind == "agent_message":
        return _entry(record, "custom", text_of_blocks(item.get("content")))
    return None


def _call(record: Record, item: dict[str, Any], kind: str, state: State) -> Entry:
    key, unnamed = _CALLS[kind]
    name = first_string(item.get("name"), object_of(item.get("function")).get("name"), unnamed)
    identity = first_string(item.get("call_id"), item.get("id"))
    arguments = arguments_of(item.get(key))
    entry = _entry(record, "assistant", call_text(name, arguments))
    entry.tool = name or None
    entry.paths = paths_in(arguments)
    if identity:
        state.calls[identity] = name
        entry.calls = ((identity, name),)
    return entry


def _output(record: Record, item: dict[str, Any], kind: str, state: State, policy: Policy) -> Entry:
    identity = string_of(item.get("call_id"))
    name = first_string(state.calls.get(identity), item.get("name"))
    output = arguments_of(item.get(_OUTPUTS[kind]))
    outcome = object_of(output)
    exit_code = object_of(outcome.get("metadata")).get("exit_code")
    failed = outcome.get("success") is False or (isinstance(exit_code, int) and exit_code != 0)
    entry = _entry(record, "toolResult", "")
    entry.text = result_text(name, _body(output), is_error=failed, policy=policy)
    entry.tool = name or None
    entry.is_error = failed
    entry.calls = ((identity, name),) if identity else ()
    return entry


def _body(output: Any) -> str:
    """The words of an output: a text, blocks of text, an object that holds one of these, or else the object itself."""
    inner = object_of(output)
    for held in (inner.get("output"), inner.get("content"), output):
        if words := text_of_blocks(held):
            return words
    return compact(output) if output else ""


def _is_of_client(text: str) -> bool:
    whole = text.strip()
    if (whole.startswith(_AGENTS_FILE) and whole.endswith(_AGENTS_FILE_END)) or _PICTURE.fullmatch(whole):
        return True
    return any(whole.startswith((f"<{tag}>", f"<{tag} ")) and whole.endswith(f"</{tag}>") for tag in _CLIENT_TAGS)


def _request(text: str) -> str:
    """What a person asked for, without what an editor put before it."""
    if not text.lstrip().startswith(_EDITOR_CONTEXT):
        return text
    return _REQUEST.split(text)[-1].strip()


def _entry(record: Record, role: str, text: str) -> Entry:
    return Entry(record.ordinal, record.start, record.end, 0, "message", role, text)
