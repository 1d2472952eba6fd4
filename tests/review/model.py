"""A second opinion on what the gate and the decisions do: small, in memory, written without the product's code."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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
    contradicts: int | None = None

    def expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now

    def readable(self, moment: datetime) -> bool:
        return self.status in {"active", "superseded"} and self.span.holds(moment) and not self.expired(moment)


def _may_displace(loser: Belief, place: Place) -> bool:
    """Agents speak in this model: what a person decided, and what others read, does not give way to them."""
    return not loser.decided and place in {loser.place, EVERYBODY}


@dataclass
class Model:
    """All beliefs of one owner. Each method is one act at ``now``, or raises and changes nothing."""

    beliefs: dict[int, Belief] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)

    def draft(self) -> Model:
        return copy.deepcopy(self)

    # --- reading ----------------------------------------------------------------------------------------------

    def readable_from(self, place: Place | None, moment: datetime) -> set[int]:
        """``place`` None is the owner, who sees every scope."""
        seen = (b for b in self.beliefs.values() if b.readable(moment))
        return {b.pk for b in seen if place is None or _visible(b.place, place)}

    # --- the gate ---------------------------------------------------------------------------------------------

    def said(
        self, now: datetime, channel: str, words: str, place: Place, key: str, span: Span, *, flagged: bool,
        replaces: int | None, new_pk: int,
    ) -> int:  # fmt: skip
        """Returns the pk that now stands for the words; ``new_pk`` is what a new row would get."""
        # a file read again meets what became of its words, ended or not
        ended = channel == "importer"
        for belief in (*self._same(words, place, ended=ended), *self._on(key), *self._named(replaces)):
            self._retire(belief, now)
        known = self._preferred(words, place, ended=ended)
        if words in self.refused and (known is None or known.status != "active"):
            raise RefusedError("tombstoned")
        if known is not None and replaces in {None, known.pk}:
            self._again(known, now, channel)
            return known.pk
        named = self.beliefs[replaces] if replaces is not None else None
        if named is not None and (named.status != "active" or not _left(named.span, now)):
            raise RefusedError("conflict")
        if known is not None and known.status != "stale":
            raise RefusedError("conflict")
        status = "active" if channel == "user" and not flagged else "needs_review"
        reason = {"user": "user_channel", "automation": "automation_review", "importer": "import_review"}[channel]
        belief = Belief(new_pk, words, place, status, "injection_flagged" if flagged else reason, key, span)
        belief.flagged = flagged
        placed, loser = _placed(self._holding(key, named), span, now)
        barred = loser is not None and channel == "user" and not _may_displace(loser, place)
        if loser is not None and (status != "active" or placed is None or barred):
            belief.contradicts = loser.pk
            if status == "active":
                belief.status, belief.reason = "needs_review", "contradicts_active"
        elif placed is not None and status == "active":
            self._cut(loser, placed, now)
            belief.span = placed
        self.beliefs[new_pk] = belief
        return new_pk

    def _again(self, known: Belief, now: datetime, channel: str) -> None:
        if channel != "user":
            return
        if known.status == "active":
            known.expires = None
        elif not known.flagged and (known.status == "stale" or known.reason in WAITING_FOR_ORIGIN):
            for rival in self._on(known.key):
                self._retire(rival, now)
            placed, loser = _placed(self._holding(known.key, None), known.span, now)
            assert placed is not None
            self._cut(loser, placed, now)
            known.span, known.status, known.reason = placed, "active", "restated"
            known.expires = known.contradicts = None

    # --- decisions --------------------------------------------------------------------------------------------

    def accept(self, pk: int, now: datetime, demote: int | None = None, *, in_bulk: bool = False) -> None:
        belief = self.beliefs[pk]
        if belief.status not in {"needs_review", "stale"}:
            raise RefusedError("invalid_transition")
        if in_bulk and belief.flagged:
            raise RefusedError("needs_approval")
        if in_bulk and belief.contradicts is not None:
            raise RefusedError("conflict")
        span = Span(now) if belief.span.empty else belief.span
        self._no_twin(belief, span, now)
        named = {demote, belief.contradicts} - {None}
        if demote is not None and not (
            self.beliefs[demote].status in {"active", "superseded"} and not self.beliefs[demote].span.empty
        ):
            raise RefusedError("not_found")
        for rival in (*self._on(belief.key), *(self.beliefs[one] for one in named if one is not None)):
            self._retire(rival, now)
        rows = {row.pk: row for row in self._holding(belief.key, None)}
        for one in (belief.contradicts, demote):
            if one is not None and one not in rows and self._holds(self.beliefs[one]):
                rows[one] = self.beliefs[one]
        rows.pop(pk, None)
        placed, loser = _placed(list(rows.values()), span, now, by_person=True)
        if loser is not None and (loser.pk not in named or placed is None):
            raise RefusedError("conflict")
        assert placed is not None
        self._cut(loser, placed, now)
        expires = None if belief.expired(now) else belief.expires
        self.beliefs[pk] = replace(
            belief, status="active", reason="accepted", decided=True, span=placed, expires=expires, contradicts=None
        )

    def reject(self, pk: int) -> None:
        belief = self.beliefs[pk]
        if belief.status == "rejected":
            raise RefusedError("invalid_transition")
        belief.status, belief.reason, belief.contradicts = "rejected", "rejected", None
        self.refused.add(belief.words)

    def restore(self, pk: int, now: datetime) -> None:
        belief = self.beliefs[pk]
        if belief.status != "rejected":
            raise RefusedError("invalid_transition")
        self._no_twin(belief, belief.span, now)
        self.refused.discard(belief.words)
        belief.status, belief.reason = "needs_review", "restored"
        if belief.expired(now):
            belief.expires = None

    def forget(self, pk: int, now: datetime, channel: str, place: Place | None) -> None:
        belief = self.beliefs[pk]
        if place is not None and pk not in self.readable_from(place, now):
            raise RefusedError("not_found")
        if channel != "user" or (place is not None and belief.decided):
            return
        if belief.status in {"stale", "rejected"}:
            raise RefusedError("invalid_transition")
        belief.status, belief.reason = "stale", "forgotten"

    # --- shared -----------------------------------------------------------------------------------------------

    def _same(self, words: str, place: Place, *, ended: bool = False) -> list[Belief]:
        alive = {"active", "needs_review", "stale"}
        same = (b for b in self.beliefs.values() if (b.words, b.place) == (words, place))
        return [b for b in same if (b.status in alive and b.span.open) or (ended and b.status != "rejected")]

    def _preferred(self, words: str, place: Place, *, ended: bool) -> Belief | None:
        order = ["active", "needs_review", "stale", "superseded"]
        same = self._same(words, place, ended=ended)
        return min(same, key=lambda b: (order.index(b.status), -b.pk), default=None)

    def _on(self, key: str) -> list[Belief]:
        return [b for b in self.beliefs.values() if key and b.key == key and self._holds(b)]

    def _named(self, pk: int | None) -> Iterator[Belief]:
        if pk is not None:
            yield self.beliefs[pk]

    def _holding(self, key: str, named: Belief | None) -> list[Belief]:
        rows = self._on(key)
        return [*rows, named] if named is not None and named not in rows else rows

    @staticmethod
    def _holds(belief: Belief) -> bool:
        return belief.status in {"active", "superseded"} and not belief.span.empty

    @staticmethod
    def _retire(belief: Belief, now: datetime) -> None:
        if belief.status in {"active", "needs_review"} and belief.expired(now):
            belief.status, belief.reason = "stale", "expired"

    def _no_twin(self, belief: Belief, span: Span, now: datetime) -> None:
        for other in self._same(belief.words, belief.place) if span.open else ():
            if other.pk != belief.pk and other.status != "stale":
                self._retire(other, now)
                if other.status != "stale":
                    raise RefusedError("conflict")

    @staticmethod
    def _cut(loser: Belief | None, taker: Span, now: datetime) -> None:
        if loser is None:
            return
        same_start = loser.span.low is not None and taker.low is not None and loser.span.low >= taker.low
        loser.span = Span(empty=True) if same_start else Span(loser.span.low, taker.low)
        if not _left(loser.span, now):
            loser.status, loser.reason = "superseded", "superseded"


def _visible(place: Place, viewer: Place) -> bool:
    return all(wanted is None or wanted == own for wanted, own in zip(place, viewer, strict=True))


def _left(span: Span, now: datetime) -> bool:
    return not span.empty and (span.high is None or span.high > now)


def _placed(
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
