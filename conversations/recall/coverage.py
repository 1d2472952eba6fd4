"""How much of what was to be searched an answer rests on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Coverage:
    """``eligible`` sessions were to be searched, ``stale`` ones were not as they are now, ``incomplete`` ones hold less
    than there was. ``reasons`` say why an empty answer proves nothing."""

    eligible: int = 0
    stale: int = 0
    incomplete: int = 0
    reasons: set[str] = field(default_factory=set)
    error: Mapping[str, str] | None = None

    def because(self, *reasons: str) -> None:
        self.reasons.update(reasons)

    @property
    def complete(self) -> bool:
        return not (self.stale or self.incomplete or self.reasons or self.error)

    def value(self) -> dict[str, Any]:
        """As the contract shapes it."""
        found: dict[str, Any] = {
            "complete": self.complete,
            "indexedSessions": self.eligible - self.stale,
            "eligibleSessions": self.eligible,
            "staleSessions": self.stale,
            "incompleteSessions": self.incomplete,
            "reasons": sorted(self.reasons),
        }
        return found if self.error is None else {**found, "error": dict(self.error)}


class CodedError(Exception):
    """An answer of recall that is an error inside the reply."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.value: dict[str, Any] = {"code": code, "message": message, **details}


def of_nothing(code: str) -> dict[str, Any]:
    """The coverage of an answer that is an error: nothing was searched."""
    return {
        "complete": False,
        "indexedSessions": 0,
        "eligibleSessions": 0,
        "staleSessions": 0,
        "incompleteSessions": 0,
        "reasons": [code],
    }


def reasons_of(rows: Iterable[Iterable[str]]) -> tuple[int, set[str]]:
    """How many sessions have any reasons, and all of them."""
    found = [set(row) for row in rows if row]
    return len(found), set().union(*found)
