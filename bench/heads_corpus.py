"""Sessions in which programs ran operations, hot and cold ones alike, and ways to spoil them on purpose."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

Values = dict[str, Any]

RECORDS = 12
REFS = ("pi.grep", "pi.read", "agents.run", "memory.recall")
# No operation is of this.
ABSENT = "pi.write"
# A word on two operations, of different refs, in one hot and in one cold session.
RARE, RARE_RECORDS = "heronwire", (4, 6)
HYDRATION = "cold_structural_filter_requires_hydration"
# What one wants to do, and the tool that is for it.
HEADS = {
    "find exactly what was said and done in past sessions": "memory_recall",
    "list past sessions, newest first": "memory_sessions",
    "read entries of a session whole": "memory_expand",
    "store a durable fact or decision": "remember",
}
_TOLD = "Fabric operation address parentEntryId sequence tool ref provider action args outcome"
_PROSE = "Find exactly what was said and done in past sessions"
_BEGAN, _APART = datetime(2024, 1, 1, tzinfo=UTC), timedelta(hours=1)
_NOTHING_LOST = {"droppedValues": 0, "truncatedValues": 0, "redactedValues": 0, "droppedOperations": 0}


def _same(value: Values) -> Values:
    return value


@dataclass(frozen=True, slots=True)
class Spoil:
    """What is done to each trace before it is stored, to the arguments of each question, and to each answer."""

    trace: Callable[[Values], Values] = _same
    arguments: Callable[[Values], Values] = _same
    answer: Callable[[Values], Values] = _same


def _telling_the_catalogue(trace: Values) -> Values:
    """Operations that say what the description of a tool says."""
    told = [{**one, "args": {**one["args"], "pattern": _PROSE}} for one in trace["operations"]]
    return {**trace, "operations": told}


def _of_another_shape(trace: Values) -> Values:
    """A trace that is none to the letter, so that its operations are not known to have been done."""
    return {**trace, "shape": "unknown"}


def _ignoring_what_is_absent(arguments: Values) -> Values:
    return {name: value for name, value in arguments.items() if (name, value) != ("ref", ABSENT)}


def _proving_what_is_cold(answer: Values) -> Values:
    """Answers that do not say what only following them can prove."""
    reasons = [reason for reason in answer["coverage"]["reasons"] if reason != HYDRATION]
    return {**answer, "coverage": {**answer["coverage"], "reasons": reasons}}


# Each by the condition that it breaks.
SPOILS = {
    "prose": Spoil(trace=_telling_the_catalogue),
    "provenance": Spoil(trace=_of_another_shape),
    "hydration": Spoil(answer=_proving_what_is_cold),
    "absent": Spoil(arguments=_ignoring_what_is_absent),
}


@dataclass(frozen=True, slots=True)
class HeadSession:
    """A session of one program. Those of higher numbers are newer."""

    number: int
    rare: bool

    @property
    def id(self) -> str:
        return f"heads-{self.number:03d}"

    @property
    def path(self) -> str:
        return f"heads/{self.id}.jsonl"

    @property
    def changed(self) -> datetime:
        return _BEGAN + self.number * _APART

    def addresses(self, ref: str, *, rare: bool = False) -> Iterator[str]:
        """Of its operations of that ref; ``rare``: those that say the rare word."""
        for sequence in range(RECORDS):
            if REFS[sequence % len(REFS)] == ref and (not rare or self._is_rare(sequence)):
                yield f"{self._name(3)}/{sequence}"

    def source(self, spoil: Spoil) -> bytes:
        return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in self._lines(spoil))

    def _is_rare(self, sequence: int) -> bool:
        return self.rare and sequence in RARE_RECORDS

    def _name(self, line: int) -> str:
        return f"{self.number:04x}{line:04x}"

    def _lines(self, spoil: Spoil) -> Iterator[Values]:
        at = self.changed.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        opaque = f"opaque_{self.number}"
        yield {"type": "session", "version": 3, "id": self.id, "timestamp": at, "cwd": "/opaque"}
        call = {"type": "toolCall", "id": "call_1", "name": "fabric_exec", "arguments": {"code": opaque}}
        trace = {
            "kind": "pi-fabric.execution",
            "version": 1,
            "outcome": "succeeded",
            "phases": [],
            "operations": [self._operation(sequence) for sequence in range(RECORDS)],
            "counts": _NOTHING_LOST,
        }
        result = {
            "toolCallId": "call_1",
            "toolName": "fabric_exec",
            "content": [{"type": "text", "text": opaque}],
            "details": {"success": True, "trace": spoil.trace(trace)},
            "isError": False,
        }
        said: list[Values] = [
            {"role": "user", "content": opaque},
            {"role": "assistant", "content": [call]},
            {"role": "toolResult", **result},
        ]
        for line, message in enumerate(said, 1):
            parent = self._name(line - 1) if line > 1 else None
            yield {"type": "message", "id": self._name(line), "parentId": parent, "timestamp": at, "message": message}

    def _operation(self, sequence: int) -> Values:
        rare = f" {RARE}" if self._is_rare(sequence) else ""
        return {
            "type": "call",
            "sequence": sequence,
            "ref": REFS[sequence % len(REFS)],
            "args": {"path": f"opaque_{self.number}_{sequence}{rare}"},
            "outcome": "succeeded",
        }


def head_sessions(each: int) -> list[HeadSession]:
    """The cold ones, then as many hot ones; the first of either has the rare word."""
    return [HeadSession(number, number % each == 0) for number in range(2 * each)]


def words_of(session: HeadSession) -> frozenset[str]:
    """The words that a session holds anyway, and those with which an operation is told."""
    return frozenset(re.findall(r"\w+", f"{_TOLD} {session.source(Spoil()).decode()}".lower()))
