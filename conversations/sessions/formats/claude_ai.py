"""Exports of claude.ai: a list of conversations, each with the list of its messages."""

from collections.abc import Iterator, Sequence
from typing import Any

from conversations.sessions.entries import Bad, Entry, Node, Policy, Read, Reader, Record, State
from conversations.sessions.formats.composing import (
    call_text,
    first_string,
    has_words,
    joined,
    list_of,
    milliseconds,
    name_of,
    object_of,
    paths_in,
    result_text,
    string_of,
    text_of_blocks,
)
from conversations.sessions.formats.documents import DocumentFormat

# What the export says in the place of a block that it cannot show.
_UNSUPPORTED = "This block is not supported on your current device yet."
# The parent of first messages.
_NO_MESSAGE = "00000000-0000-4000-8000-000000000000"
_ROLES = {"human": "user", "assistant": "assistant"}


class ClaudeAiFormat(DocumentFormat):
    kind = "claude-ai"
    messages = "chat_messages"

    def claims(self, sample: Sequence[Any]) -> bool:
        return any(isinstance(object_of(value).get("chat_messages"), list) for value in sample)

    def reader(self, policy: Policy, state: State | None = None) -> "ClaudeAiReader":
        return ClaudeAiReader(policy, state)

    def identity(self, conversation: dict[str, Any]) -> Any:
        return conversation.get("uuid")

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        """As written, but for a shared snapshot, whose messages are told in the order of their ``index``."""
        records = list(super().records(source, begin=begin, ordinal=ordinal))
        places = [_index(record) for record in records if _is_message(record)]
        if places and None not in places:
            records.sort(key=lambda record: _index(record) or 0)
        for record in records:
            if isinstance(record, Bad):
                yield record
            else:
                yield Record(ordinal, record.start, record.end, record.value)
                ordinal += 1


def _is_message(record: Record | Bad) -> bool:
    return isinstance(record, Record) and "sender" in record.value


def _index(record: Record | Bad) -> int | None:
    """The place of a message in a snapshot; what is no message comes first."""
    if isinstance(record, Bad) or "sender" not in record.value:
        return -1
    place = record.value.get("index")
    return place if isinstance(place, int) else None


class ClaudeAiReader(Reader):
    def read(self, record: Record) -> Read:
        value = object_of(record.value)
        if "sender" not in value:
            self._conversation(value)
            return Read()
        role = _ROLES.get(string_of(value["sender"]))
        if role is None:
            self.state.skip(f"sender:{string_of(value['sender'])}")
            return Read(self._node(value))
        entries = self._entries(record, value, role)
        if role == "user" and not entries[0].text and not entries[0].paths:
            self.state.skip("empty:human")
            entries = entries[1:]
        return Read(self._node(value), entries)

    def _conversation(self, value: dict[str, Any]) -> None:
        self.state.session_id = string_of(value.get("uuid"))
        self.state.title = first_string(value.get("name"), value.get("snapshot_name"))
        self.state.started = milliseconds(value.get("created_at"))
        self.state.leaf = name_of(value.get("current_leaf_message_uuid"))

    def _node(self, value: dict[str, Any]) -> Node | None:
        identity, parent = name_of(value.get("uuid")), value.get("parent_message_uuid")
        if identity is None or not isinstance(parent, str):
            return None
        return Node(identity, _parent(value))

    def _entries(self, record: Record, value: dict[str, Any], role: str) -> list[Entry]:
        blocks = [object_of(block) for block in list_of(value.get("content"))]
        message = self._message(record, value, role, blocks)
        results = [block for block in blocks if block.get("type") == "tool_result"]
        return [message, *(self._result(record, value, child, block) for child, block in enumerate(results, 1))]

    def _message(self, record: Record, value: dict[str, Any], role: str, blocks: list[dict[str, Any]]) -> Entry:
        said = [text for block in blocks if (text := self._words(block))]
        texts = [text for block in blocks if (text := self._words(block) or self._work(block))]
        if not said and has_words(fallback := _supported(string_of(value.get("text")))):
            said = [fallback]
            texts.insert(0, fallback)
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        named = [(string_of(call.get("id")), string_of(call.get("name"))) for call in calls]
        self.state.calls.update({identity: name for identity, name in named if identity})
        attached = [object_of(item) for key in ("attachments", "files") for item in list_of(value.get(key))]
        paths = [*paths_in([call.get("input") for call in calls]), *paths_in(attached)]
        entry = _entry(record, value, 0, role, joined(texts))
        entry.tool = named[0][1] or None if named else None
        entry.prose = bool(said)
        entry.calls = tuple((identity, name) for identity, name in named if identity)
        entry.paths = tuple(dict.fromkeys(paths))
        return entry

    def _words(self, block: dict[str, Any]) -> str:
        return _supported(string_of(block.get("text"))) if block.get("type") == "text" else ""

    def _work(self, block: dict[str, Any]) -> str:
        kind = block.get("type")
        if kind == "tool_use":
            return call_text(string_of(block.get("name")), block.get("input"))
        if kind == "thinking":
            return string_of(block.get("thinking")) if self.policy.thinking else ""
        if kind not in ("text", "tool_result"):
            self.state.skip(f"block:{string_of(kind)}")
        return ""

    def _result(self, record: Record, value: dict[str, Any], child: int, block: dict[str, Any]) -> Entry:
        identity = string_of(block.get("tool_use_id"))
        name = string_of(block.get("name")) or self.state.calls.get(identity, "")
        failed = block.get("is_error") is True
        text = result_text(name, text_of_blocks(block.get("content")), is_error=failed, policy=self.policy)
        entry = _entry(record, value, child, "toolResult", text)
        entry.tool = name or None
        entry.is_error = failed
        entry.calls = ((identity, name),) if identity else ()
        return entry


def _parent(value: dict[str, Any]) -> str | None:
    parent = name_of(value.get("parent_message_uuid"))
    return None if parent == _NO_MESSAGE else parent


def _supported(text: str) -> str:
    return "" if text.strip("` \n\r\t") == _UNSUPPORTED else text


def _entry(record: Record, value: dict[str, Any], child: int, role: str, text: str) -> Entry:
    return Entry(
        record.ordinal,
        record.start,
        record.end,
        child,
        "message",
        role,
        text,
        entry_id=name_of(value.get("uuid")),
        parent_id=_parent(value),
        timestamp=milliseconds(value.get("created_at")),
    )
