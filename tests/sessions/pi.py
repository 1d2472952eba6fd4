"""What the tests of Pi sessions are made of: lines, traces, envelopes of facts, and reading them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from conversations.sessions.entries import Bad, Entry, Node, Policy, Record, State
from conversations.sessions.formats.pi import PiFormat
from conversations.sessions.lineage import Lineage, lineage_of

PI = PiFormat()
SAMPLES = Path(__file__).parent / "fixtures" / "pi"
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/home/ada/demo"}


class Session:
    """A source that was read: its records, the entries and the node of each, and the state at the end."""

    def __init__(self, source: bytes, policy: Policy | None = None, state: State | None = None) -> None:
        self.policy = policy or Policy()
        self.records: list[Record] = []
        self.entries: list[Entry] = []
        self.nodes: list[tuple[int, Node | None]] = []
        self.bad: list[str] = []
        reader = PI.reader(self.policy, state)
        for record in PI.records(source):
            if isinstance(record, Bad):
                self.bad.append(record.code)
                continue
            read = reader.read(record)
            self.records.append(record)
            self.entries += read.entries
            self.nodes.append((record.ordinal, read.node))
        self.state = reader.state

    @property
    def lineage(self) -> Lineage:
        return lineage_of(self.nodes, self.state.leaf)

    @property
    def active(self) -> list[Entry]:
        on_branch = self.lineage.active
        return [entry for entry in self.entries if entry.ordinal in on_branch]

    @property
    def texts(self) -> list[str]:
        return [entry.text for entry in self.entries]

    def alone(self, record: Record) -> Sequence[Entry]:
        """The entries of one record, read with nothing known but the calls of its entries."""
        ours = [entry for entry in self.entries if entry.ordinal == record.ordinal]
        state = State(calls={call: tool for entry in ours for call, tool in entry.calls})
        return PI.reader(self.policy, state).read(record).entries


def source(values: Iterable[Any], *, header: dict[str, Any] | None = HEADER) -> bytes:
    """A file of these values, one a line, behind the header if there is one."""
    lines = [*([header] if header else []), *values]
    return b"".join(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for value in lines
    )


def session(*values: Any, policy: Policy | None = None) -> Session:
    return Session(source(values), policy)


def only(*values: Any, policy: Policy | None = None) -> Entry:
    """The one entry of these lines."""
    (entry,) = session(*values, policy=policy).entries
    return entry


def line(kind: str, identity: str = "a", parent: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": identity, "parentId": parent, "timestamp": "2026-03-01T10:00:01.000Z", **fields}


def message(role: str, identity: str = "a", parent: str | None = None, **said: Any) -> dict[str, Any]:
    return line("message", identity, parent, message={"role": role, **said})


def call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": identity, "name": name, "arguments": arguments}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def operation(sequence: int, ref: str, **more: Any) -> dict[str, Any]:
    return {"type": "call", "sequence": sequence, "ref": ref, "args": {}, "outcome": "succeeded", **more}


def trace(*operations: Any, **changed: Any) -> dict[str, Any]:
    counts = {"droppedValues": 0, "truncatedValues": 0, "redactedValues": 0, "droppedOperations": 0}
    whole = {"kind": "pi-fabric.execution", "version": 1, "outcome": "succeeded", "phases": [], "counts": counts}
    return {**whole, "operations": list(operations), **changed}


def executed(traced: Any, identity: str = "e2", parent: str | None = "e1") -> dict[str, Any]:
    """The result of a program, with the trace of what it ran."""
    said = {"toolCallId": "f1", "toolName": "fabric_exec", "content": [words("done")], "isError": False}
    return message("toolResult", identity, parent, **said, details={"success": True, "trace": traced, "audits": [{}]})


def fact(kind: str, entry: str, subordinal: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "entryId": entry, "subordinal": subordinal, "address": f"{entry}/{subordinal}", **more}


def operation_fact(entry: str = "x3", subordinal: str = "0", ref: str = "pi.edit", **more: Any) -> dict[str, Any]:
    given = {"ref": ref, "tool": ref.partition(".")[2], "args": {}, "outcome": "succeeded"}
    return fact("operation", entry, subordinal, **{**given, **more})


def run_fact(name: str = "Prototype", **more: Any) -> dict[str, Any]:
    return fact("fabricRun", "x2", "call:f9", name=name, outcome="succeeded", **more)


def envelope(*facts: Any, version: int = 2, **changed: Any) -> dict[str, Any]:
    whole = {
        "kind": "pi-fabric.branch-summary",
        "version": version,
        "source": {"firstEntryId": "x1", "lastEntryId": "x4", "entryCount": 4, "oldLeafId": None},
        "facts": list(facts),
        "omittedFacts": 0,
        "sections": ["[Session Goal]"],
        "request": {"text": "", "sourceBytes": 0, "truncated": False},
    }
    return {**whole, **changed}


def left(details: Any, identity: str = "b", parent: str | None = None) -> dict[str, Any]:
    """The summary of a branch that was left."""
    return line("branch_summary", identity, parent, fromId="x4", summary="prose of the summary", details=details)
