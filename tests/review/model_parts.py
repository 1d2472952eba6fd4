"""What the second opinion on beliefs is made of: spans of time, beliefs, decisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

WAITING_FOR_ORIGIN = {"automation_review", "import_review"}
# (agent or None, conversation or None): where a belief stands, and from where somebody looks
Place = tuple[str | None, str | None]
EVERYBODY: Place = (None, None)


class RefusedError(Exception):
    """The product is expected to answer with this code."""


@dataclass(frozen=True)
class Span:
    """``[low, high)`` of world time; None is without a bound."""

    low: datetime | None = None
    high: datetime | None = None
    empty: bool = False

    def holds(self, moment: datetime) -> bool:
        return not self.empty and (self.low is None or self.low <= moment) and (self.high is None or moment < self.high)

    def meets(self, other: Span) -> bool:
        if self.empty or other.empty:
            return False
        before = self.high is not None and other.low is not None and self.high <= other.low
        after = other.high is not None and self.low is not None and other.high <= self.low
        return not before and not after

    @property
    def open(self) -> bool:
        return not self.empty and self.high is None


@dataclass
class Belief:
    pk: int
    words: str
    place: Place
    status: str
    reason: str
    key: str = ""
    span: Span = field(default_factory=Span)
    expires: datetime | None = None
    flagged: bool = False
    decided: bool = False
    pinned: bool = False
    contradicts: int | None = None
    confidence: int = 0
    # who said it first, and in which spelling
    author: str = ""
    spelled: str = ""

    def expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now

    def readable(self, moment: datetime) -> bool:
        return self.status in {"active", "superseded"} and self.span.holds(moment) and not self.expired(moment)


def may_displace(loser: Belief, place: Place) -> bool:
    """Agents speak in this model: what a person decided, and what others read, does not give way to them."""
    return not (loser.decided or loser.pinned) and place in {loser.place, EVERYBODY}


@dataclass
class Deed:
    """One decision: the beliefs it moved, each as it was (None: it was made) and as it became. ``verb`` is what was
    done to ``subject``."""

    verb: str
    subject: int
    moved: dict[int, tuple[Belief | None, Belief]]
    undone: set[int] = field(default_factory=set)
    number: int | None = None
    # it lifted the refusal of these words
    lifted: str = ""
    party: str = ""


# What an undo gives back where nobody changed it since.
RETURNING = ("status", "reason", "span", "expires", "decided", "pinned", "contradicts", "confidence")


def visible(place: Place, viewer: Place) -> bool:
    return all(wanted is None or wanted == own for wanted, own in zip(place, viewer, strict=True))


def left(span: Span, now: datetime) -> bool:
    return not span.empty and (span.high is None or span.high > now)


def placed(
    rows: list[Belief], span: Span, now: datetime, *, by_person: bool = False
) -> tuple[Span | None, Belief | None]:
    """Where ``span`` may stand among ``rows`` and who loses the moment of its start; None when it may not."""
    if not any(row.span.meets(span) for row in rows):
        return span, None
    low = span.low or now
    if span.high is not None and span.high <= low:
        return None, max((row for row in rows if row.span.meets(span)), key=lambda row: str(row.span.low or ""))
    ends = [row.span.low for row in rows if row.span.low is not None and row.span.low > low]
    high = min([end for end in (span.high, *ends) if end is not None], default=None)
    loser = next((row for row in rows if row.span.holds(low)), None)
    gap = loser is not None and high is not None and (loser.span.high is None or loser.span.high > high)
    return (None if gap and not by_person else Span(low, high)), loser
