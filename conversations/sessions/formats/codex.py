"""Session files of the Codex CLI: rollouts of the three generations that there were."""

from collections.abc import Iterator, Sequence
from typing import Any

from conversations.sessions.entries import Bad, Entry, Format, Policy, Read, Reader, Record, State
from conversations.sessions.formats.codex_items import Heard, entry_of_item, entry_of_message
from conversations.sessions.formats.composing import (
    first_string,
    has_words,
    milliseconds,
    name_of,
    object_of,
    string_of,
)
from conversations.sessions.formats.jsonl import records_of_lines

_WRAPPERS = {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
_BARE_ITEMS = {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
# Events that tell again what an item tells, in files that hold both.
_SPOKEN = {"user_message": "user", "agent_message": "assistant"}


class CodexFormat(Format):
    kind = "codex"

    def claims(self, sample: Sequence[Any]) -> bool:
        values = [object_of(value) for value in sample]
        if any(
            string_of(value.get("type")) in _WRAPPERS and isinstance(value.get("payload"), dict) for value in values
        ):
            return True
        if any(_is_plain_call(value) for value in values) and any(_is_plain_message(value) for value in values):
            return True
        return bool(values) and _is_bare_header(values[0]) and any(_is_bare_item(value) for value in values[1:])

    def reader(self, policy: Policy, state: State | None = None) -> "CodexReader":
        return CodexReader(policy, state)

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        return records_of_lines(source, begin=begin, ordinal=ordinal)


def _is_bare_header(value: dict[str, Any]) -> bool:
    return "type" not in value and {"id", "timestamp"} <= value.keys() and bool({"instructions", "git"} & value.keys())


def _is_bare_item(value: dict[str, Any]) -> bool:
    return value.get("record_type") == "state" or string_of(value.get("type")) in _BARE_ITEMS


def _is_plain_message(value: dict[str, Any]) -> bool:
    """Of the logs that were kept before rollouts: no wrapper, no header."""
    return string_of(value.get("role")) in {"user", "assistant"} and {"timestamp", "content"} <= value.keys()


def _is_plain_call(value: dict[str, Any]) -> bool:
    kind = string_of(value.get("type"))
    called = kind == "tool_call" and isinstance(value.get("function"), dict)
    return called or (kind == "tool_result" and {"name", "result"} <= value.keys())


class CodexReader(Reader):
    """A rollout is linear: it gives no nodes. In ``state.own``: ``identified``, whether the session said who it is;
    ``items``, whether a message came as an item; ``heard``, digests of what events told first; ``branch``."""

    def read(self, record: Record) -> Read:
        value = object_of(record.value)
        kind = string_of(value.get("type"))
        payload = object_of(value.get("payload"))
        entry = None
        if kind == "session_meta":
            self._identify(payload, value)
        elif _is_bare_header(value):
            self._identify(value, value)
        elif kind == "response_item":
            entry = self._item(record, payload)
        elif kind == "event_msg":
            entry = self._event(record, payload)
        elif kind == "compacted":
            entry = self._compacted(record, payload)
        elif kind in _WRAPPERS:
            self.state.cwd = self.state.cwd or string_of(payload.get("cwd"))
            self.state.skip(kind)
        else:
            entry = self._item(record, value)
        if entry is None:
            return Read()
        entry.timestamp = milliseconds(value.get("timestamp"))
        return Read(entries=[entry])

    def _identify(self, meta: dict[str, Any], value: dict[str, Any]) -> None:
        """The first is this session's; later ones came along with the history of another."""
        state = self.state
        if state.own.get("identified"):
            state.skip("session_meta")
            return
        source = object_of(object_of(meta.get("source")).get("subagent"))
        spawn = object_of(source.get("thread_spawn"))
        state.own["identified"] = True
        state.session_id = first_string(meta.get("id"), meta.get("session_id"))
        state.cwd = string_of(meta.get("cwd"))
        state.started = milliseconds(meta.get("timestamp")) or milliseconds(value.get("timestamp"))
        parents = (meta.get("parent_thread_id"), spawn.get("parent_thread_id"), meta.get("forked_from_id"))
        state.parent = first_string(*parents)
        agents = (meta.get("agent_nickname"), spawn.get("agent_nickname"), meta.get("agent_role"))
        state.agent = first_string(*agents, spawn.get("agent_role"))
        state.own["branch"] = string_of(object_of(meta.get("git")).get("branch"))

    def _item(self, record: Record, item: dict[str, Any]) -> Entry | None:
        kind = string_of(item.get("type")) or ("message" if "role" in item else "")
        if kind == "message":
            entry = self._message(record, item)
        else:
            entry = entry_of_item(record, item, kind, self.state, self.policy)
        if entry is None:
            self.state.skip(f"item:{kind or 'no type'}")
            return None
        entry.entry_id = name_of(item.get("id"))
        return entry

    def _message(self, record: Record, item: dict[str, Any]) -> Entry | None:
        entry = entry_of_message(record, item)
        heard = Heard(self.state.own)
        if entry is None:
            return None
        if entry.role in ("user", "assistant"):
            self.state.own["items"] = True
            if heard.took(record.ordinal, entry.role, entry.text, as_entry=True):
                return None
            if heard.took(record.ordinal, entry.role, entry.text, as_entry=False):
                entry.prose = True
        return entry

    def _event(self, record: Record, event: dict[str, Any]) -> Entry | None:
        """An event is an entry only before any message came as an item; an item that says the same is none then."""
        kind = string_of(event.get("type"))
        if kind == "thread_name_updated":
            self.state.title = first_string(event.get("thread_name"), event.get("name"), self.state.title)
        role, words = _SPOKEN.get(kind), string_of(event.get("message"))
        if role is None or not has_words(words):
            self.state.skip(f"event:{kind}")
            return None
        entry = entry_of_message(record, {"role": role, "content": words})
        if entry is None:
            return None
        as_entry = not self.state.own.get("items")
        Heard(self.state.own).told(record.ordinal, role, entry.text, as_entry=as_entry)
        if not as_entry:
            self.state.skip(f"event:{kind}")
            return None
        entry.prose = True
        return entry

    def _compacted(self, record: Record, payload: dict[str, Any]) -> Entry | None:
        summary = string_of(payload.get("message"))
        if not has_words(summary):
            self.state.skip("compacted")
            return None
        text = f"compaction: {summary}"
        return Entry(record.ordinal, record.start, record.end, 0, "compaction", "compaction", text)
