"""A second opinion on what the gate and the decisions do: small, in memory, written without the product's code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from tests.review.model_memory import Memory
from tests.review.model_parts import RETURNING, Belief, Deed, Place, RefusedError, Span, placed, visible

__all__ = ["Model", "Place", "RefusedError", "Span"]


@dataclass
class Model(Memory):
    """All beliefs of one owner. Each method is one act at ``now``, or raises and changes nothing."""

    # --- decisions --------------------------------------------------------------------------------------------

    def accept(self, pk: int, now: datetime, demote: int | None = None, *, in_bulk: bool = False) -> None:
        with self.deed("accept", pk):
            self._accept(pk, now, demote, in_bulk=in_bulk)

    def _accept(self, pk: int, now: datetime, demote: int | None, *, in_bulk: bool) -> None:
        belief = self.beliefs[pk]
        if belief.status not in {"needs_review", "stale"}:
            raise RefusedError("invalid_transition")
        if in_bulk and belief.flagged:
            raise RefusedError("needs_approval")
        if in_bulk and belief.contradicts is not None:
            raise RefusedError("conflict")
        span = Span(now) if belief.span.empty else belief.span
        self._no_twin(belief, span, now)
        if demote is not None and not self._holds(self.beliefs[demote]):
            raise RefusedError("not_found")
        room = self._room(belief, span, now, demote)
        expires = None if belief.expired(now) else belief.expires
        self.beliefs[pk] = replace(
            belief, status="active", reason="accepted", decided=True, span=room, expires=expires, contradicts=None
        )

    def _room(self, belief: Belief, span: Span, now: datetime, demote: int | None = None) -> Span:
        """Where a person puts it, after who stands there and was named has given way."""
        named = {demote, belief.contradicts} - {None}
        for rival in (*self._on(belief.key), *(self.beliefs[one] for one in named if one is not None)):
            if rival.pk != belief.pk:
                self._retire(rival, now)
        rows = {row.pk: row for row in self._holding(belief.key, None)}
        for one in (belief.contradicts, demote):
            if one is not None and one not in rows and self._holds(self.beliefs[one]):
                rows[one] = self.beliefs[one]
        rows.pop(belief.pk, None)
        room, loser = placed(list(rows.values()), span, now, by_person=True)
        if loser is not None and (loser.pk not in named or room is None):
            raise RefusedError("conflict")
        assert room is not None
        self._cut(loser, room, now)
        return room

    def reject(self, pk: int) -> None:
        with self.deed("reject", pk):
            belief = self.beliefs[pk]
            if belief.status == "rejected":
                raise RefusedError("invalid_transition")
            belief.status, belief.reason, belief.contradicts = "rejected", "rejected", None
            self._bury(belief)

    def restore(self, pk: int, now: datetime) -> None:
        with self.deed("restore", pk) as deed:
            belief = self.beliefs[pk]
            if belief.status != "rejected":
                raise RefusedError("invalid_transition")
            self._no_twin(belief, belief.span, now)
            deed.lifted = belief.words
            self._lift(belief.words)
            belief.status, belief.reason = "needs_review", "restored"
            if belief.expired(now):
                belief.expires = None

    def forget(self, pk: int, now: datetime, channel: str, place: Place | None) -> None:
        belief = self.beliefs[pk]
        if place is not None and pk not in self.readable_from(place, now):
            raise RefusedError("not_found")
        if channel != "user" or (place is not None and (belief.decided or belief.pinned)):
            return
        self._out_of_use(pk, "forgotten")

    def approve_archive(self, pk: int) -> None:
        self._out_of_use(pk, "archive_approved")

    def _out_of_use(self, pk: int, reason: str) -> None:
        with self.deed("forget", pk):
            belief = self.beliefs[pk]
            if belief.status in {"stale", "rejected"}:
                raise RefusedError("invalid_transition")
            belief.status, belief.reason = "stale", reason

    def end(self, pk: int, now: datetime, ended: datetime | None) -> None:
        with self.deed("end", pk):
            belief = self.beliefs[pk]
            if belief.status not in {"active", "superseded"}:
                raise RefusedError("invalid_transition")
            until = ended or now
            if belief.span.empty or (belief.span.low is not None and until <= belief.span.low):
                raise RefusedError("invalid")
            span = Span(belief.span.low, until)
            self._no_rival(belief, span, now)
            if span == belief.span:
                raise RefusedError("invalid_transition")
            belief.span = span

    def correct(
        self, pk: int, now: datetime, words: str, spelled: str, *, flagged: bool, override: bool, new_pk: int
    ) -> None:
        with self.deed("correct", pk) as deed:
            old = self.beliefs[pk]
            self._retire(old, now)
            if old.status not in {"active", "needs_review"}:
                raise RefusedError("invalid_transition")
            if spelled == old.spelled:
                raise RefusedError("invalid")
            deed.lifted = self._sayable(words, old, now, override=override)
            new = Belief(new_pk, words, old.place, "needs_review", "injection_flagged", old.key, old.span, old.expires)
            new.flagged, new.pinned, new.author, new.spelled = flagged, old.pinned, "alice", spelled
            if new.span.empty:
                new.span = Span()
            if flagged and words == old.words:
                raise RefusedError("conflict")
            if flagged:
                new.contradicts = pk
            else:
                self._take_place(new, old, now)
            self.beliefs[new_pk] = new

    def _sayable(self, words: str, old: Belief, now: datetime, *, override: bool) -> str:
        """The words, where a person had to insist on them."""
        same = self._same(words, old.place)
        contested = [self.beliefs[b.contradicts] for b in same if b.contradicts is not None]
        for belief in (*same, *self._on(old.key), *contested):
            self._retire(belief, now)
        if any(b.pk != old.pk and b.status in {"active", "needs_review"} for b in same):
            raise RefusedError("conflict")
        if words not in self.refused or (words == old.words and old.status == "active"):
            return ""
        if not override:
            raise RefusedError("tombstoned")
        self._lift(words)
        return words

    def _take_place(self, new: Belief, old: Belief, now: datetime) -> None:
        new.span = old.span
        if old.status != "active":
            new.span = self._room(old, Span(now) if old.span.empty else old.span, now)
        old.status, old.reason, old.span, old.contradicts = "superseded", "corrected", Span(empty=True), None
        new.status, new.reason, new.decided = "active", "corrected", True

    def vote(self, pk: int, party: str, place: Place | None, *, helpful: bool) -> None:
        with self.deed("feedback", pk) as deed:
            deed.party = party
            belief = self.beliefs[pk]
            if place is not None and not visible(belief.place, place):
                raise RefusedError("not_found")
            if belief.status not in {"active", "needs_review"}:
                raise RefusedError("invalid_transition")
            if helpful and place is not None and belief.author == party:
                raise RefusedError("conflict")
            known, points = self.votes.get((pk, party), (None, 0))
            if known == helpful:
                return
            moves = place is None or not (belief.decided or belief.pinned)
            before = belief.confidence
            if moves:
                belief.confidence = min(100, max(0, before - points + (10 if helpful else -15)))
            self.votes[pk, party] = helpful, points + belief.confidence - before
            against = sum(1 for (one, _), (way, _points) in self.votes.items() if one == pk and not way)
            if moves and not helpful and belief.status == "active" and belief.confidence <= 55 and against > 1:
                belief.status, belief.reason = "needs_review", "feedback_below_floor"

    # --- taking back -------------------------------------------------------------------------------------------

    def undo(self, pk: int, now: datetime) -> None:
        deed = self.standing(pk)
        if deed is None or all(before is None for before, _ in deed.moved.values()):
            raise RefusedError("invalid_transition")
        going = [one for one in deed.moved if self.standing(one) is deed]
        for one in going:
            deed.undone.add(one)
            before, after = deed.moved[one]
            belief = self.beliefs[one]
            if before is None:
                belief.status, belief.reason, belief.contradicts = "stale", "undone", None
                continue
            status, expires, confidence = belief.status, belief.expires, belief.confidence
            for name in RETURNING:
                if getattr(before, name) != getattr(after, name) == getattr(belief, name):
                    setattr(belief, name, getattr(before, name))
            if belief.expired(now) and (belief.status != status or belief.expires != expires):
                belief.expires = None
            if deed.verb == "feedback":
                party = deed.party
                way, points = self.votes[one, party]
                self.votes[one, party] = way, points + belief.confidence - confidence
        for one in going:
            self._no_twin(self.beliefs[one], self.beliefs[one].span, now, only_if_live=True)
            if self._holds(self.beliefs[one]):
                self._no_rival(self.beliefs[one], self.beliefs[one].span, now)
        self._undo_refusals(deed, going)

    def undoable(self) -> list[int]:
        """What a person would take back, the newest decision last."""
        found = {}
        for deed in self.deeds:
            if any(before is not None for before, _ in deed.moved.values()):
                found |= {pk: None for pk in deed.moved if self.standing(pk) is deed}
        return list(found)

    def standing(self, pk: int) -> Deed | None:
        """The last decision over it that was not taken back."""
        return next((deed for deed in reversed(self.deeds) if pk in deed.moved and pk not in deed.undone), None)

    def _undo_refusals(self, deed: Deed, going: list[int]) -> None:
        rejected = self.beliefs.get(deed.subject)
        if deed.verb == "reject" and rejected is not None and self.refused.get(rejected.words) == rejected.pk:
            self._lift(rejected.words)
            heirs = [b.pk for b in self.beliefs.values() if (b.words, b.status) == (rejected.words, "rejected")]
            heirs = [pk for pk in heirs if pk not in self.refusing]
            if heirs:
                self._bury(self.beliefs[min(heirs)])
        # the last of a decision is what its words belong to
        if deed.lifted and max(deed.moved) in going and deed.lifted not in self.refused:
            last = next((entry for entry in reversed(self.lifted) if entry[0] == deed.lifted), None)
            if last is None:
                self._bury(self.beliefs[deed.subject])
                return
            self.lifted.remove(last)
            self.refused[deed.lifted] = last[1]
