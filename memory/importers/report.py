"""The account of one import. It holds numbers and places, never words of the file."""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.importers.formats.records import Broken, Read, Skipped
from pawflow_web.lib.errors import DomainError, Invalid
from review.gate.preparing import TooLong
from review.gate.proposals import Admission
from review.limits import TEXT_MOST

ERRORS_SHOWN = 100
_KINDS_SHOWN = 50

_OUTCOMES = {
    "stored": "needs_review",
    "duplicate": "duplicates",
    "restated": "duplicates",
    "refused": "tombstoned",
    "invalid": "invalid",
}
_TOO_LONG = f"this note is longer than {TEXT_MOST:,} characters, with the names before its words; it was left out"
_REFUSED_SECRET = "this looks like a secret, and this server stores none; it was left out"
_INVALID = "this cannot be stored as it is; it was left out"
# Parts of a fact -> what the file calls them.
_PARTS = {"subject": "from", "predicate": "relationType", "object": "to"}


@dataclass(slots=True)
class Errors:
    """How many there were, and the first of them."""

    total: int = 0
    first: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: int, code: str, message: str, file: str = "") -> None:
        """``file``: which one of a folder; empty for an import of one file."""
        self.total += 1
        if len(self.first) < ERRORS_SHOWN:
            named = {"file": file} if file else {}
            self.first.append({"line": line, "code": code, "message": message, **named})


@dataclass(slots=True)
class Decided:
    """What the gate said to the beliefs so far, in the order of the file. What an interrupted run goes on from."""

    count: int = 0
    line: int = 0
    items: Counter[str] = field(default_factory=Counter)
    errors: Errors = field(default_factory=Errors)

    def add(self, line: int, admission: Admission, fault: tuple[str, str] | None, file: str = "") -> None:
        outcome = _OUTCOMES[admission.outcome]
        self.count += 1
        self.line = line
        self.items[outcome] += 1
        if outcome == "invalid":
            code, message = fault or reason_of(admission.error)
            self.errors.add(line, code, message, file)

    def value(self) -> dict[str, Any]:
        return {"items": dict(self.items), "errors": self.errors.first, "errors_total": self.errors.total}

    @classmethod
    def of(cls, count: int, line: int, value: dict[str, Any]) -> "Decided":
        errors = Errors(value.get("errors_total", 0), list(value.get("errors", ())))
        return cls(count, line, Counter(value.get("items", {})), errors)


@dataclass(slots=True)
class Seen:
    """What the file held, good and bad. It is the same whenever the same bytes are read."""

    read: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    errors: Errors = field(default_factory=Errors)

    def add(self, found: Read, file: str = "") -> None:
        self.read += 1
        if isinstance(found, Broken):
            self.bad += 1
            self.errors.add(found.line, found.code, found.message, file)
        elif isinstance(found, Skipped):
            known = found.kind in self.skipped or len(self.skipped) < _KINDS_SHOWN
            self.skipped[found.kind if known else "other"] += 1
        else:
            self.kinds[found.kind] += 1


@dataclass(slots=True)
class Report:
    """One run over one file; ``value()`` is its public shape."""

    format: str
    source: str
    sha256: str
    owner: str
    agent: str | None
    dry_run: bool
    # kind of record -> its name in the plural
    counted: dict[str, str]
    waited: Sequence[str] = ()
    seen: Seen = field(default_factory=Seen)
    decided: Decided = field(default_factory=Decided)
    state: str = "running"
    resumed_at_line: int | None = None
    # no belief has come yet that a run before this one did not decide; not part of the value
    catching_up: bool = True
    # bytes of the file that were read so far; not part of the value
    position: int = 0

    def value(self) -> dict[str, Any]:
        seen, items = self.seen, self.decided.items
        both = (seen.errors.first, self.decided.errors.first)
        errors = list(heapq.merge(*both, key=lambda error: (error.get("file", ""), error["line"])))[:ERRORS_SHOWN]
        names = ("needs_review", "duplicates", "tombstoned", "invalid")
        return {
            "format": self.format,
            "source": self.source,
            "sha256": self.sha256,
            "owner": self.owner,
            "agent": self.agent,
            "dry_run": self.dry_run,
            "state": self.state,
            "records": {
                "read": seen.read,
                **{plural: seen.kinds[kind] for kind, plural in self.counted.items()},
                "bad": seen.bad,
            },
            "items": {"proposed": sum(items.values()), **{name: items[name] for name in names}},
            "waiting": dict.fromkeys(self.waited, 0),
            "skipped": dict(seen.skipped),
            "errors": errors,
            "errors_total": seen.errors.total + self.decided.errors.total,
            "resumed_at_line": self.resumed_at_line,
        }


def reason_of(error: DomainError | None) -> tuple[str, str]:
    """Code and sentence for words that the gate refused; the gate's own sentence may hold words of the file."""
    if error is None:
        return "invalid", _INVALID
    if error.code == "secret_refused":
        return error.code, _REFUSED_SECRET
    if isinstance(error, TooLong):
        return "too_long", _TOO_LONG
    return "invalid", _INVALID


def reason_of_relation(error: Invalid) -> tuple[str, str]:
    """The same for a relation that cannot be a fact: which part of it, and by which rule. Rules hold no words of it."""
    for part, called in _PARTS.items():
        if part in error.fields:
            return "invalid", f'"{called}" of this relation {error.fields[part]}; it was left out'
    return reason_of(error)
