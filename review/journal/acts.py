"""The one way in which beliefs change: an :class:`Act` under the owner's clock.

An act inserts and changes items, and for each change appends one entry to the owner's journal and keeps
``Believed`` true. Entries are buffered and written just before the commit, so their numbers have no gaps.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pawflow_web.identity.clock import Clock, savepoint, user_clock
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.services import wake
from pawflow_web.lib.db import execute, insert_statement, values_of
from pawflow_web.llm.providers import configured
from review.journal.believed import Reading, reading_of, write_reading
from review.journal.comments import NO_COMMENT, Comment
from review.journal.entries import Entry, erase_payloads, write_entries
from review.journal.snapshots import ScopeNames, canonical, snapshot
from review.kinds import kind_of
from review.models import Evidence, GovernanceItem, JournalEntry, Privacy
from review.plaintext import sealed
from review.transitions import EVENTS

INDEX_DRAIN = "beliefs_index"
EMBED_DRAIN = "beliefs_embedding"

# A change of one of these is what a reviewer must have seen before deciding.
_REVISED = {
    "status", "valid", "scope", "scope_agent", "scope_conversation", "privacy", "pinned", "contradicts", "expires_at",
}  # fmt: skip
# What the search index filters by.
_INDEXED = {
    "status", "reason", "valid", "scope", "scope_agent", "scope_conversation", "privacy", "pinned", "expires_at",
}  # fmt: skip
# What a kind may keep copies of, or hang something on.
_FOLLOWED = {"status", "valid", "scope", "scope_agent", "scope_conversation", "privacy", "expires_at"}


@dataclass(frozen=True, slots=True)
class Actor:
    """Who the journal says it was."""

    kind: str
    name: str
    token: str = ""

    @classmethod
    def of(cls, principal: Principal) -> "Actor":
        return cls(str(principal.kind), principal.name, principal.token_ref or "")


@dataclass(slots=True)
class Act:
    """Changes of one owner's beliefs while their clock is held. Made by :func:`act`."""

    clock: Clock
    actor: Actor
    _entries: list[Entry] = field(default_factory=list)
    # per item: how it could be read before this act
    _readings: dict[int, tuple[GovernanceItem, Reading]] = field(default_factory=dict)
    _decision: int | None = None

    @contextmanager
    def decision(self) -> Iterator[None]:
        """All entries written inside belong to one decision, named by the seq of the first."""
        outer, self._decision = self._decision, None
        try:
            yield
        finally:
            self._decision = outer

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo the part inside when it fails: rows, counters and buffered entries."""
        entries, readings, decision = list(self._entries), dict(self._readings), self._decision
        try:
            with savepoint(self.clock):
                yield
        except BaseException:
            self._entries[:] = entries
            self._readings, self._decision = readings, decision
            raise

    @property
    def last_decision(self) -> int:
        """The decision of the entry written last."""
        return self._entries[-1].row.decision

    @property
    def touched(self) -> set[int]:
        """The row ids of the items that this act has written about so far."""
        return {entry.row.item_id for entry in self._entries}

    def has_told(self, item: GovernanceItem, verb: str) -> bool:
        """Whether an entry of this act, which is not stored yet, says that of the item."""
        return any(entry.row.item_id == item.pk and entry.row.verb == verb for entry in self._entries)

    def insert(
        self,
        item: GovernanceItem,
        facet: dict[str, Any],
        *,
        verb: str = "admit",
        comment: Comment = NO_COMMENT,
        names: ScopeNames | None = None,
    ) -> None:
        """Store a new item with its facet. Sets number, times and id on ``item``, and seals the words of a secret.

        Args:
            comment: a person's own words about it.
            names: what its scope names, when known; else they are read.
        """
        at = self._begin_entry()
        item.number = self.clock.next_number()
        item.recorded_at = item.updated_at = item.last_seen_at = at
        item.changed_seq = self.clock.seq
        if item.privacy == Privacy.SECRET:
            item.text = sealed(item.text)
        item.tier = kind_of(item).tier(facet)
        item.pk = execute(f"{insert_statement(GovernanceItem)} RETURNING id", values_of(item))[0][0]
        item._state.adding = False
        item._state.db = "default"
        kind_of(item).write(item, facet)
        self._readings[item.pk] = (item, None)
        self._buffer(item, verb, at, moved=True, comment=comment, names=names)

    def write(
        self,
        item: GovernanceItem,
        verb: str,
        *,
        facet: dict[str, Any] | None = None,
        comment: Comment = NO_COMMENT,
        undoes: int | None = None,
        **changes: Any,
    ) -> bool:
        """Change an item that was read ``locked()``; exactly the columns given, and the journal with them.

        Returns: whether anything was different. Without a difference nothing is written.
        """
        different = {name: value for name, value in changes.items() if getattr(item, name) != value}
        if not different and not facet:
            return False
        at = self._begin_entry()
        self._readings.setdefault(item.pk, (item, reading_of(item)))
        moved = "status" in different or "valid" in different
        kind = kind_of(item)
        if facet:
            kind.update(item, facet)
            different["tier"] = kind.tier(kind.snapshot(item))
        different["updated_at"] = at
        if _REVISED & different.keys() or (facet and verb == "edit"):
            different["revision"] = item.revision + 1
        if _INDEXED & different.keys() or facet:
            different["changed_seq"] = self.clock.seq
        for name, value in different.items():
            setattr(item, name, value)
        GovernanceItem.objects.filter(pk=item.pk).update(**different)
        if _FOLLOWED & different.keys():
            kind.follow(item, at)
        self._buffer(item, verb, at, moved=moved, comment=comment, undoes=undoes)
        return True

    def mention(
        self, item: GovernanceItem, verb: str, *, comment: Comment = NO_COMMENT, undoes: int | None = None
    ) -> None:
        """An entry about an item that stays as it is."""
        self._buffer(item, verb, self._begin_entry(), moved=False, comment=comment, undoes=undoes)

    def forget_payloads(self, item: GovernanceItem) -> None:
        """Erase what the journal kept of the item so far, in this act too. Its entries stay; what follows must be
        one that says why they are bare."""
        for index, entry in enumerate(self._entries):
            if entry.row.item_id == item.pk:
                self._entries[index] = Entry(entry.row, body=None)
        erase_payloads(item.pk)

    def erase(self, item: GovernanceItem) -> None:
        """The last entry of an item whose row is about to be deleted: that it was purged, and nothing of it."""
        self.forget_payloads(item)
        at = self._begin_entry()
        self._readings.pop(item.pk, None)
        self._entries.append(Entry(self._entry(item, "purge", at, moved=False), body=None))

    def add_evidence(self, item: GovernanceItem, **source: Any) -> bool:
        """Record one occasion. Returns whether it is a new voice (party, conversation and day)."""
        at = self.clock.at
        row = Evidence(item_id=item.pk, user_id=item.user_id, at=at, day=at.astimezone(UTC).date(), **source)
        return bool(execute(f"{insert_statement(Evidence)} ON CONFLICT DO NOTHING RETURNING id", values_of(row)))

    def flush(self) -> None:
        """Write ``Believed`` and the journal. Runs once, just before the commit."""
        # All of it is known from one moment on, since nobody could see a part of it: between a loser that is cut and
        # its winner there is no instant at which neither was believed.
        for item, before in self._readings.values():
            write_reading(item, before, self._entries[0].row.at)
        if self._entries:
            write_entries(self.clock, self._entries)
            wake(*([INDEX_DRAIN, EMBED_DRAIN] if configured() else [INDEX_DRAIN]))

    def _begin_entry(self) -> datetime:
        self.clock.next_seq()
        return self.clock.next_instant() if self._entries else self.clock.at

    def _buffer(
        self,
        item: GovernanceItem,
        verb: str,
        at: datetime,
        *,
        moved: bool,
        comment: Comment = NO_COMMENT,
        undoes: int | None = None,
        names: ScopeNames | None = None,
    ) -> None:
        row = self._entry(item, verb, at, moved=moved, undoes=undoes)
        self._entries.append(Entry(row, canonical(snapshot(item, names)), str(comment)))

    def _entry(
        self, item: GovernanceItem, verb: str, at: datetime, *, moved: bool, undoes: int | None = None
    ) -> JournalEntry:
        seq = self.clock.seq
        if self._decision is None:
            self._decision = seq
        return JournalEntry(
            user_id=self.clock.user_id,
            seq=seq,
            decision=self._decision,
            item_id=item.pk,
            item_ref=item.ref,
            event=EVENTS[verb],
            verb=verb,
            actor_kind=self.actor.kind,
            actor_name=self.actor.name,
            actor_token=self.actor.token,
            reason=item.reason,
            undoes=undoes,
            moved=moved,
            at=at,
        )


@contextmanager
def act(principal: Principal) -> Iterator[Act]:
    """Hold the owner's clock and change their beliefs. Nested acts of one call join the outer one.

    Raises what :func:`~pawflow_web.identity.clock.user_clock` raises.
    """
    with user_clock(principal.user_id) as clock:
        current = clock.companions.get("act")
        if current is None:
            current = clock.companions["act"] = Act(clock, Actor.of(principal))
            clock.before_commit.append(current.flush)
        yield current
