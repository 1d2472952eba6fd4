"""The second opinion's beliefs and its gate."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from tests.review.model_parts import (
    WAITING_FOR_ORIGIN,
    Belief,
    Deed,
    Place,
    RefusedError,
    Span,
    left,
    may_displace,
    placed,
    visible,
)


@dataclass
class Memory:
    """All beliefs of one owner. Each method is one act at ``now``, or raises and changes nothing."""

    beliefs: dict[int, Belief] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)
    # refused words, each with the belief whose rejection it was; those lifted, the last one last
    refused: dict[str, int] = field(default_factory=dict)
    lifted: list[tuple[str, int]] = field(default_factory=list)
    # which beliefs ever had a refusal of their own
    refusing: set[int] = field(default_factory=set)
    # (belief, party) -> (helpful, what it moved the confidence by)
    votes: dict[tuple[int, str], tuple[bool, int]] = field(default_factory=dict)

    def draft(self) -> Self:
        return copy.deepcopy(self)

    @contextmanager
    def deed(self, verb: str, subject: int) -> Iterator[Deed]:
        """What is moved inside is one decision, but for what merely expires meanwhile."""
        before = copy.deepcopy(self.beliefs)
        deed = Deed(verb, subject, {})
        known = len(self.deeds)
        yield deed
        for expired in self.deeds[known:]:
            before[expired.subject] = expired.moved[expired.subject][1]
        for pk, belief in self.beliefs.items():
            old = before.get(pk)
            if old is None or (old.status, old.span) != (belief.status, belief.span):
                deed.moved[pk] = (old, copy.deepcopy(belief))
        if deed.moved:
            self.deeds.append(deed)

    # --- reading ----------------------------------------------------------------------------------------------

    def readable_from(self, place: Place | None, moment: datetime) -> set[int]:
        """``place`` None is the owner, who sees every scope."""
        seen = (b for b in self.beliefs.values() if b.readable(moment))
        return {b.pk for b in seen if place is None or visible(b.place, place)}

    # --- the gate ---------------------------------------------------------------------------------------------

    def said(self, now: datetime, channel: str, words: str, *rest: Any, new_pk: int, **more: Any) -> int:
        """Returns the pk that now stands for the words; ``new_pk`` is what a new row would get."""
        with self.deed("admit", new_pk):
            return self._said(now, channel, words, *rest, new_pk=new_pk, **more)

    def _said(
        self, now: datetime, channel: str, words: str, place: Place, key: str, span: Span, *, flagged: bool,
        replaces: int | None, new_pk: int, author: str = "", spelled: str = "",
    ) -> int:  # fmt: skip
        # a file read again meets what became of its words, ended or not
        ended = channel == "importer"
        same = self._same(words, place, ended=ended)
        contested = [self.beliefs[b.contradicts] for b in same if b.contradicts is not None]
        for belief in (*same, *self._on(key), *self._named(replaces), *contested):
            self._retire(belief, now)
        known = self._preferred(words, place, ended=ended)
        if words in self.refused and (known is None or known.status != "active"):
            raise RefusedError("tombstoned")
        if known is not None and replaces in {None, known.pk}:
            self._again(known, now, channel)
            return known.pk
        named = self.beliefs[replaces] if replaces is not None else None
        if named is not None and (named.status != "active" or not left(named.span, now)):
            raise RefusedError("conflict")
        if known is not None and known.status != "stale":
            raise RefusedError("conflict")
        status = "active" if channel == "user" and not flagged else "needs_review"
        reason = {"user": "user_channel", "automation": "automation_review", "importer": "import_review"}[channel]
        belief = Belief(new_pk, words, place, status, "injection_flagged" if flagged else reason, key, span)
        belief.flagged, belief.author, belief.spelled = flagged, author, spelled
        room, loser = placed(self._holding(key, named), span, now)
        barred = loser is not None and channel == "user" and not may_displace(loser, place)
        if loser is not None and (status != "active" or room is None or barred):
            belief.contradicts = loser.pk
            if status == "active":
                belief.status, belief.reason = "needs_review", "contradicts_active"
        elif room is not None and status == "active":
            self._cut(loser, room, now)
            belief.span = room
        self.beliefs[new_pk] = belief
        return new_pk

    def _again(self, known: Belief, now: datetime, channel: str) -> None:
        if channel != "user":
            return
        if known.status == "active":
            known.expires = None
        elif not known.flagged and (known.status == "stale" or known.reason in WAITING_FOR_ORIGIN):
            rivals = {b.pk: b for b in self._on(known.key) if b.pk != known.pk}
            if known.contradicts is not None and self._holds(self.beliefs[known.contradicts]):
                rivals[known.contradicts] = self.beliefs[known.contradicts]
            room, loser = placed(list(rivals.values()), known.span, now)
            if room is not None and (loser is None or may_displace(loser, known.place)):
                self._cut(loser, room, now)
                known.span, known.status, known.reason = room, "active", "restated"
                known.expires = known.contradicts = None
            elif known.status == "stale":
                assert loser is not None
                known.status, known.reason, known.contradicts = "needs_review", "contradicts_active", loser.pk
                known.expires = None

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

    def retire(self, pk: int, now: datetime) -> None:
        """The sweep comes by, or somebody meets it."""
        self._retire(self.beliefs[pk], now)

    def _retire(self, belief: Belief, now: datetime) -> None:
        """A decision of its own: nobody takes it back with something else."""
        if belief.status in {"active", "needs_review"} and belief.expired(now):
            before = copy.deepcopy(belief)
            belief.status, belief.reason = "stale", "expired"
            self.deeds.append(Deed("expire", belief.pk, {belief.pk: (before, copy.deepcopy(belief))}))

    def _no_rival(self, belief: Belief, span: Span, now: datetime) -> None:
        for other in self._on(belief.key):
            if other.pk != belief.pk and other.span.meets(span):
                self._retire(other, now)
                if other.status != "stale":
                    raise RefusedError("conflict")

    def _no_twin(self, belief: Belief, span: Span, now: datetime, *, only_if_live: bool = False) -> None:
        if only_if_live and belief.status not in {"active", "needs_review"}:
            return
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
        if not left(loser.span, now):
            loser.status, loser.reason = "superseded", "superseded"

    def _bury(self, belief: Belief) -> None:
        if belief.words not in self.refused:
            self.refused[belief.words] = belief.pk
            self.refusing.add(belief.pk)

    def _lift(self, words: str) -> None:
        if words in self.refused:
            self.lifted.append((words, self.refused.pop(words)))
