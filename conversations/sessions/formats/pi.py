"""Sessions of the Pi coding agent, and of OpenClaw, which writes the same with some liberties.

One JSON object a line: a header, then entries that form a tree by ``id`` and ``parentId``. Version 1 has neither and is
linear; version 3 calls ``custom`` what version 2 calls ``hookMessage``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from conversations.sessions.entries import Bad, Entry, Format, Node, Policy, Read, Reader, Record, State
from conversations.sessions.formats import pi_text
from conversations.sessions.formats.composing import has_words, milliseconds, object_of, result_text
from conversations.sessions.formats.jsonl import records_of_lines
from conversations.sessions.formats.pi_branch import fact_entries, read_branch_summary, repeated_fact
from conversations.sessions.formats.pi_text import string
from conversations.sessions.formats.pi_trace import operation_entries, read_trace

_VERSIONS = (1, 2, 3)
# What becomes an entry, under the name that Pi gives it.
_ENTRY_TYPES = {
    "message": "message",
    "compaction": "compaction",
    "compact": "compaction",
    "branch_summary": "branch_summary",
    "custom_message": "custom_message",
}
_ROLES = {"compaction": "compaction", "branch_summary": "branchSummary", "custom_message": "custom"}
_RENAMED_ROLES = {"hookMessage": "custom"}


class PiFormat(Format):
    """Files of Pi, versions 1 to 3."""

    kind = "pi"

    def claims(self, sample: Sequence[Any]) -> bool:
        header = sample[0] if sample else None
        if not isinstance(header, dict) or header.get("type") != "session":
            return False
        version = header.get("version", 1)
        named = isinstance(header.get("id"), str) and isinstance(header.get("cwd"), str)
        return named and type(version) is int and version in _VERSIONS

    def reader(self, policy: Policy, state: State | None = None) -> "PiReader":
        return PiReader(policy, state)

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        return records_of_lines(source, begin=begin, ordinal=ordinal)


class PiReader(Reader):
    """Reads the records of one file. ``state.own["callers"]`` has the node of every call of a tool by its id, because
    OpenClaw names a call as the parent of its result."""

    def __init__(self, policy: Policy, state: State | None = None) -> None:
        super().__init__(policy, state)
        self._facts = set(self.state.facts)
        self._callers: dict[str, str] = self.state.own.setdefault("callers", {})

    def read(self, record: Record) -> Read:
        value = record.value
        kind = string(value, "type") if isinstance(value, dict) else None
        if kind == "session":
            self._read_header(value)
            return Read()
        if kind is None:
            self.state.skip("no type")
            return Read()
        node = self._node(value)
        self._follow_leaf(kind, value, node)
        return Read(node, self._entries(record, kind, node))

    def _read_header(self, header: dict[str, Any]) -> None:
        state = self.state
        state.session_id = string(header, "id") or state.session_id
        state.cwd = string(header, "cwd") or state.cwd
        state.parent = string(header, "parentSession") or string(header, "branchedFrom") or state.parent
        started = milliseconds(header.get("timestamp"))
        state.started = state.started if started is None else started

    def _node(self, value: dict[str, Any]) -> Node | None:
        identity, parent = string(value, "id"), string(value, "parentId")
        if identity is None or "parentId" not in value or (parent is None and value["parentId"] is not None):
            return None
        # what is the id of an entry is no longer taken for that of a call
        self._callers.pop(identity, None)
        if parent == self.state.session_id and parent:
            parent = None
        return Node(identity, self._callers.get(parent, parent) if parent is not None else None)

    def _follow_leaf(self, kind: str, value: dict[str, Any], node: Node | None) -> None:
        """Going somewhere in the tree holds until something is said there."""
        if kind == "leaf":
            self.state.leaf = string(value, "targetId")
        elif node is not None:
            self.state.leaf = None

    def _entries(self, record: Record, kind: str, node: Node | None) -> list[Entry]:
        if kind == "session_info":
            self.state.title = string(record.value, "name") or ""
            return []
        if kind == "leaf":
            return []
        entry = self._entry(record, kind)
        if entry is None:
            self.state.skip(kind)
            return []
        self._follow_calls(entry, node)
        return [entry, *self._operations(entry, record.value), *self._branch_facts(entry, record.value)]

    def _entry(self, record: Record, kind: str) -> Entry | None:
        value = record.value
        message = object_of(value.get("message"))
        role = string(message, "role") or _ROLES.get(_ENTRY_TYPES.get(kind, ""))
        if kind not in _ENTRY_TYPES or role is None:
            return None
        said_at = milliseconds(value.get("timestamp"))
        entry = Entry(
            ordinal=record.ordinal,
            start=record.start,
            end=record.end,
            child=0,
            type=_ENTRY_TYPES[kind],
            role=_RENAMED_ROLES.get(role, role),
            text="",
            entry_id=string(value, "id"),
            parent_id=string(value, "parentId"),
            timestamp=milliseconds(message.get("timestamp")) if said_at is None else said_at,
            is_error=message.get("isError") is True,
        )
        self._tell(entry, value if entry.type != "message" else message)
        return entry

    def _tell(self, entry: Entry, said: dict[str, Any]) -> None:
        """Put in what was said, by the role of who said it."""
        match entry.role:
            case "user":
                entry.text = pi_text.body(said.get("content"))
                entry.prose = has_words(entry.text)
            case "assistant":
                told = pi_text.assistant(said, self.policy)
                entry.text, entry.prose, entry.calls = told.text, told.prose, told.calls
                entry.tool, entry.paths = told.tool, told.paths
            case "toolResult":
                call = string(said, "toolCallId")
                entry.tool = string(said, "toolName") or (self.state.calls.get(call) if call else None) or None
                entry.calls = ((call, entry.tool or ""),) if call else ()
                body = pi_text.body(said.get("content"))
                entry.text = result_text(entry.tool or "", body, is_error=entry.is_error, policy=self.policy)
            case "bashExecution":
                entry.tool = "bash"
                entry.text = pi_text.bash(said, self.policy)
            case "custom":
                entry.text = pi_text.custom(said)
            case "compaction" | "compactionSummary":
                entry.text = pi_text.compaction(said)
            case "system":
                entry.text = pi_text.body(said.get("content"))

    def _follow_calls(self, entry: Entry, node: Node | None) -> None:
        for call, tool in entry.calls:
            if entry.role == "assistant" or tool:
                self.state.calls[call] = tool
            if entry.role == "assistant" and node is not None:
                self._callers[call] = node.id

    def _operations(self, entry: Entry, value: dict[str, Any]) -> Iterator[Entry]:
        if entry.role != "toolResult" or entry.tool != "fabric_exec" or entry.entry_id is None:
            return
        details = object_of(object_of(value.get("message")).get("details"))
        calls = read_trace(details.get("trace"))
        if calls is not None:
            yield from operation_entries(entry, calls, self.policy)

    def _branch_facts(self, entry: Entry, value: dict[str, Any]) -> Iterator[Entry]:
        """The facts that no summary before this one has told."""
        if entry.role != "branchSummary":
            return
        message = object_of(value.get("message"))
        facts = read_branch_summary(value.get("details"))
        if facts is None:
            facts = read_branch_summary(message.get("details"))
        if facts is None:
            return
        repeated = repeated_fact(facts)
        if repeated is not None:
            self.state.because("duplicate_branch_fact_address")
            if repeated["kind"] == "operation":
                self.state.because("duplicate_operation_address")
            return
        from_id = string(value, "fromId") or string(message, "fromId")
        for fact in fact_entries(entry, facts, from_id, self.policy):
            if fact.fact_address is not None and fact.fact_address not in self._facts:
                self._facts.add(fact.fact_address)
                self.state.facts.append(fact.fact_address)
                yield fact
