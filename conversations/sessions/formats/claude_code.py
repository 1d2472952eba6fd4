"""Session files of Claude Code: a record a line, chained by uuids."""

from collections.abc import Iterator, Sequence
from typing import Any

from conversations.sessions.entries import Bad, Entry, Format, Node, Policy, Read, Reader, Record, State
from conversations.sessions.formats.claude_code_turns import entries_of_assistant, entries_of_user, entry_of_queued
from conversations.sessions.formats.composing import (
    first_string,
    list_of,
    milliseconds,
    name_of,
    object_of,
    string_of,
)
from conversations.sessions.formats.jsonl import records_of_lines

# Records that take part in the tree and say nothing. Of these, what a hook or a tool reports while it runs hangs beside
# the conversation, so that no branch ends in it.
_SILENT = {"system", "attachment", "progress"}
_ASIDE = "progress"
_CHAINED = {"user", "assistant", *_SILENT}
# Titles by who gave them: a later one of the same rank or a higher one replaces the one before.
_TITLES = {"summary": ("summary", 1), "ai-title": ("aiTitle", 2), "custom-title": ("customTitle", 3)}


class ClaudeCodeFormat(Format):
    kind = "claude-code"

    def claims(self, sample: Sequence[Any]) -> bool:
        return any(_is_record(object_of(value)) for value in sample)

    def reader(self, policy: Policy, state: State | None = None) -> "ClaudeCodeReader":
        return ClaudeCodeReader(policy, state)

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        return records_of_lines(source, begin=begin, ordinal=ordinal)


def _is_record(value: dict[str, Any]) -> bool:
    match value.get("type"):
        case "user" | "assistant":
            chained = {"sessionId", "uuid", "parentUuid", "isSidechain"} & value.keys()
            return bool(chained) and "message" in value
        case "system" | "progress" | "attachment":
            return "parentUuid" in value and "sessionId" in value
        case "summary":
            return "leafUuid" in value
        case "file-history-snapshot":
            return isinstance(value.get("snapshot"), dict)
        case "queue-operation":
            return "sessionId" in value and "operation" in value
    return False


class ClaudeCodeReader(Reader):
    """In ``state.own``: ``branch``, of the repository; ``titled``, the rank of the title; ``began``, whether a message
    was read; ``unchained``, whether the writer names no parents at all; ``reply``, the id of the last reply and the
    records that it was written in."""

    def read(self, record: Record) -> Read:
        value = object_of(record.value)
        kind = string_of(value.get("type"))
        if kind in _TITLES:
            self._title(value, kind)
        elif kind == "agent-name":
            self.state.agent = self.state.agent or string_of(value.get("agentName"))
        elif kind not in _CHAINED:
            self.state.skip(kind or "no type")
        if kind not in _CHAINED:
            return Read()
        self._learn(value, kind)
        node = self._node(value, kind)
        return Read(node, self._entries(record, value, kind, node))

    def _title(self, value: dict[str, Any], kind: str) -> None:
        key, rank = _TITLES[kind]
        title = string_of(value.get(key))
        if title and rank >= self.state.own.get("titled", 0):
            self.state.title = title
            self.state.own["titled"] = rank

    def _learn(self, value: dict[str, Any], kind: str) -> None:
        state = self.state
        session, agent = string_of(value.get("sessionId")), string_of(value.get("agentId"))
        if kind in ("user", "assistant") and not state.own.get("began"):
            state.own["began"] = True
            if agent and value.get("isSidechain") is True:
                state.session_id, state.agent = agent, agent
                state.parent = "" if session in (agent, f"agent-{agent}") else session
        state.session_id = state.session_id or session
        state.cwd = state.cwd or string_of(value.get("cwd"))
        state.own["branch"] = first_string(state.own.get("branch"), value.get("gitBranch"))
        if state.started is None:
            state.started = milliseconds(value.get("timestamp"))

    def _node(self, value: dict[str, Any], kind: str) -> Node | None:
        """The place in the tree. A file whose records name no parent is linear; one that names none for an answer is
        chained by the order of its records."""
        identity = name_of(value.get("uuid"))
        if identity is None or not {"parentUuid", "logicalParentUuid"} & value.keys():
            return None
        parent = name_of(value.get("parentUuid")) or name_of(value.get("logicalParentUuid"))
        aside = value.get("isSidechain") is True and not self.state.parent and not self._is_agent()
        answers = _answers_tools(value)
        if not aside:
            if parent is None and (kind == "assistant" or answers) and self.state.previous:
                self.state.own["unchained"] = True
            if parent is None and self.state.own.get("unchained"):
                parent = self.state.previous if self.state.previous != identity else None
            self.state.previous = identity
            if kind != _ASIDE and not answers:
                self.state.leaf = identity
        return Node(identity, parent, answers or self._goes_on(value, identity, parent))

    def _goes_on(self, value: dict[str, Any], identity: str, parent: str | None) -> bool:
        """Whether the record is a further piece of the reply that its parent is of. What comes next may hang on any of
        the calls in a reply, and the reply is one all the same."""
        reply = string_of(object_of(value.get("message")).get("id"))
        if not reply:
            return False
        known, pieces = self.state.own.get("reply", ("", []))
        goes_on = reply == known and parent in pieces
        self.state.own["reply"] = [reply, [*pieces, identity] if goes_on else [identity]]
        return goes_on

    def _is_agent(self) -> bool:
        return bool(self.state.agent) and self.state.session_id == self.state.agent

    def _entries(self, record: Record, value: dict[str, Any], kind: str, node: Node | None) -> list[Entry]:
        if kind == "user":
            entries = entries_of_user(record, self.state, self.policy)
        elif kind == "assistant":
            entries = entries_of_assistant(record, self.state, self.policy)
        else:
            entries = entry_of_queued(record) if kind == "attachment" else []
        if not entries:
            self.state.skip(":".join(filter(None, (kind, _subtype(value)))))
        for entry in entries:
            entry.entry_id = node.id if node else name_of(value.get("uuid"))
            entry.parent_id = name_of(value.get("parentUuid")) or name_of(value.get("logicalParentUuid"))
            entry.timestamp = milliseconds(value.get("timestamp"))
        return entries


def _answers_tools(value: dict[str, Any]) -> bool:
    blocks = list_of(object_of(value.get("message")).get("content"))
    return value.get("type") == "user" and any(object_of(block).get("type") == "tool_result" for block in blocks)


def _subtype(value: dict[str, Any]) -> str:
    inner = [object_of(value.get(key)).get("type") for key in ("data", "attachment")]
    return first_string(value.get("subtype"), *inner)
