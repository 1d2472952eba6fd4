"""The one way in which beliefs change: an :class:`Act` under the owner's clock.

An act inserts and changes items, and for each change appends one entry to the owner's journal and keeps
``Believed`` true. Entries are buffered and written just before the commit, so their numbers have no gaps.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange, Jsonb

from pawflow_web.identity.clock import Clock, savepoint, user_clock
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.services import wake
from pawflow_web.lib.db import execute
from review.kinds import kind_of
from review.models import GovernanceItem
from review.querysets import READABLE
from review.snapshots import canonical, entry_hash, new_salt, payload_digest, range_value, snapshot

INDEX_DRAIN = "beliefs_index"

# A change of one of these is what a reviewer must have seen before deciding.
_REVISED = {"status", "valid", "scope", "privacy", "pinned", "contradicts", "expires_at"}
# What the search index filters by.
_INDEXED = {
    "status", "reason", "valid", "scope", "scope_agent", "scope_conversation", "privacy", "pinned", "expires_at",
}  # fmt: skip

_INSERT_ITEM = """
INSERT INTO review_governanceitem (ref, number, user_id, kind, text, text_digest, words_mac, scope,
  scope_agent_id, scope_conversation_id, status, reason, confidence, privacy, origin, flags, exclusive_key, valid,
  valid_from_precision, valid_to_precision, recorded_at, updated_at, retired_at, expires_at, last_seen_at, pinned,
  decided, contradicts_id, supersedes_id, revision, changed_seq)
VALUES (%(ref)s, %(number)s, %(user_id)s, %(kind)s, %(text)s, %(text_digest)s, %(words_mac)s, %(scope)s,
  %(scope_agent_id)s, %(scope_conversation_id)s, %(status)s, %(reason)s, %(confidence)s, %(privacy)s, %(origin)s,
  %(flags)s, %(exclusive_key)s, %(valid)s, %(valid_from_precision)s, %(valid_to_precision)s, %(at)s, %(at)s,
  %(retired_at)s, %(expires_at)s, %(at)s, false, false, %(contradicts_id)s, %(supersedes_id)s, 1, %(changed_seq)s)
RETURNING id
"""
_INSERT_ENTRIES = """
WITH written AS (
  INSERT INTO review_journalentry (user_id, seq, decision, item_id, item_ref, event, verb, actor_kind, actor_name,
    actor_token, reason, undoes, moved, at, payload_digest, prev, hash)
  SELECT %(user_id)s, e.* FROM unnest(%(seq)s::bigint[], %(decision)s::bigint[], %(item_id)s::bigint[],
    %(item_ref)s::text[], %(event)s::text[], %(verb)s::text[], %(actor_kind)s::text[], %(actor_name)s::text[],
    %(actor_token)s::text[], %(reason)s::text[], %(undoes)s::bigint[], %(moved)s::boolean[],
    %(at)s::timestamptz[], %(payload_digest)s::text[], %(prev)s::text[], %(hash)s::text[]) AS e
  RETURNING id, seq, item_id
), kept AS (
  INSERT INTO review_journalpayload (entry_id, user_id, item_id, salt, body, note)
  SELECT w.id, %(user_id)s, w.item_id, p.salt, p.body, p.note
  FROM written w JOIN unnest(%(seq)s::bigint[], %(salt)s::text[], %(body)s::text[], %(note)s::text[])
    AS p(seq, salt, body, note) ON p.seq = w.seq
)
UPDATE identity_userclock SET at = %(clock_at)s, seq = %(clock_seq)s, number = %(clock_number)s, head = %(head)s
WHERE user_id = %(user_id)s
"""
_CLOSE_BELIEVED = """
UPDATE review_believed SET known = tstzrange(lower(known), greatest(lower(known), least(upper(known), %(at)s)))
WHERE item_id = %(item_id)s AND known @> %(at)s::timestamptz
"""
_OPEN_BELIEVED = """
INSERT INTO review_believed (item_id, user_id, known, valid)
VALUES (%(item_id)s, %(user_id)s, tstzrange(%(at)s, %(until)s), %(valid)s)
"""
_INSERT_EVIDENCE = """
INSERT INTO review_evidence (item_id, user_id, origin, principal, agent_id, conversation_id, turn, file, line, quote,
  span_start, span_end, at, day)
VALUES (%(item_id)s, %(user_id)s, %(origin)s, %(principal)s, %(agent_id)s, %(conversation_id)s, %(turn)s, %(file)s,
  %(line)s, %(quote)s, %(span_start)s, %(span_end)s, %(at)s, (%(at)s AT TIME ZONE 'UTC')::date)
ON CONFLICT DO NOTHING RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who the journal says it was."""

    kind: str
    name: str
    token: str = ""

    @classmethod
    def of(cls, principal: Principal) -> "Actor":
        return cls(str(principal.kind), principal.name, principal.token_ref or "")


# What makes an item readable at all: (valid, until when), or None.
_Reading = tuple[DateTimeTZRange, datetime | None] | None


@dataclass(slots=True)
class _Entry:
    seq: int
    decision: int
    item: GovernanceItem
    event: str
    verb: str
    actor: Actor
    reason: str
    undoes: int | None
    moved: bool
    at: datetime
    body: str
    note: str


@dataclass(slots=True)
class Act:
    """Changes of one owner's beliefs while their clock is held. Made by :func:`act`."""

    clock: Clock
    actor: Actor
    _entries: list[_Entry] = field(default_factory=list)
    # per item: how it could be read before this act, and when it was last changed in it
    _readings: dict[int, tuple[GovernanceItem, _Reading]] = field(default_factory=dict)
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
        entries, readings, decision = len(self._entries), dict(self._readings), self._decision
        try:
            with savepoint(self.clock):
                yield
        except BaseException:
            del self._entries[entries:]
            self._readings, self._decision = readings, decision
            raise

    @property
    def last_decision(self) -> int:
        """The decision of the entry written last."""
        return self._entries[-1].decision

    def insert(self, item: GovernanceItem, facet: dict[str, Any], *, verb: str = "admit", note: str = "") -> None:
        """Store a new item with its facet. Sets number, times and id on ``item``."""
        at = self._begin_entry()
        item.number = self.clock.next_number()
        item.recorded_at = item.updated_at = item.last_seen_at = at
        item.changed_seq = self.clock.seq
        item.revision = 1
        item.pk = execute(_INSERT_ITEM, _item_parameters(item, at))[0][0]
        item._state.adding = False
        item._state.db = "default"
        kind_of(item).write(item, facet)
        self._readings[item.pk] = (item, None)
        self._buffer(item, event="created", verb=verb, moved=True, at=at, note=note)

    def write(
        self,
        item: GovernanceItem,
        verb: str,
        *,
        event: str = "transition",
        facet: dict[str, Any] | None = None,
        note: str = "",
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
        self._readings.setdefault(item.pk, (item, _reading(item)))
        moved = "status" in different or "valid" in different
        different["updated_at"] = at
        if _REVISED & different.keys():
            different["revision"] = item.revision + 1
        if _INDEXED & different.keys() or facet:
            different["changed_seq"] = self.clock.seq
        for name, value in different.items():
            setattr(item, name, value)
        GovernanceItem.objects.filter(pk=item.pk).update(**different)
        kind = kind_of(item)
        if facet:
            kind.update(item, facet)
        if moved:
            kind.after_transition(item)
        self._buffer(item, event=event, verb=verb, moved=moved, at=at, note=note, undoes=undoes)
        return True

    def note(self, item: GovernanceItem, verb: str, *, event: str, note: str = "") -> None:
        """An entry about an item that stays as it is."""
        self._buffer(item, event=event, verb=verb, moved=False, at=self._begin_entry(), note=note)

    def add_evidence(self, item: GovernanceItem, **source: Any) -> bool:
        """Record one occasion. Returns whether it is a new voice (party, conversation and day)."""
        given = {"turn": "", "file": "", "line": None, "quote": "", "span_start": None, "span_end": None}
        return bool(
            execute(
                _INSERT_EVIDENCE,
                {**given, **source, "item_id": item.pk, "user_id": item.user_id, "at": self.clock.at},
            )
        )

    def flush(self) -> None:
        """Write ``Believed`` and the journal. Runs once, just before the commit."""
        self._write_believed()
        if self._entries:
            execute(_INSERT_ENTRIES, self._sealed())
            wake(INDEX_DRAIN)

    def _begin_entry(self) -> datetime:
        self.clock.next_seq()
        return self.clock.next_instant() if self._entries else self.clock.at

    def _buffer(
        self,
        item: GovernanceItem,
        *,
        event: str,
        verb: str,
        moved: bool,
        at: datetime,
        note: str = "",
        undoes: int | None = None,
    ) -> None:
        seq = self.clock.seq
        if self._decision is None:
            self._decision = seq
        self._entries.append(
            _Entry(
                seq=seq,
                decision=self._decision,
                item=item,
                event=event,
                verb=verb,
                actor=self.actor,
                reason=item.reason,
                undoes=undoes,
                moved=moved,
                at=at,
                body=canonical(snapshot(item)),
                note=note,
            )
        )

    def _write_believed(self) -> None:
        latest = {entry.item.pk: entry.at for entry in self._entries}
        for pk, (item, before) in self._readings.items():
            after = _reading(item)
            if _same_reading(before, after):
                continue
            at = latest[pk]
            if before is not None:
                execute(_CLOSE_BELIEVED, {"item_id": pk, "at": at})
            # What expired before this moment could not be read from it on, whatever its status says.
            if after is not None and (after[1] is None or after[1] > at):
                execute(
                    _OPEN_BELIEVED,
                    {"item_id": pk, "user_id": item.user_id, "at": at, "until": after[1], "valid": after[0]},
                )

    def _sealed(self) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        head = self.clock.head
        for entry in self._entries:
            salt = new_salt()
            digest = payload_digest(salt, entry.body, entry.note)
            actor = (entry.actor.kind, entry.actor.name, entry.actor.token)
            sealed = entry_hash(
                prev=head,
                seq=entry.seq,
                decision=entry.decision,
                item_ref=entry.item.ref,
                event=entry.event,
                verb=entry.verb,
                actor=actor,
                reason=entry.reason,
                undoes=entry.undoes,
                moved=entry.moved,
                at=entry.at,
                digest=digest,
            )
            values = (
                entry.seq, entry.decision, entry.item.pk, entry.item.ref, entry.event, entry.verb, *actor,
                entry.reason, entry.undoes, entry.moved, entry.at, digest, head, sealed, salt, entry.body, entry.note,
            )  # fmt: skip
            for name, value in zip(_COLUMNS, values, strict=True):
                columns[name].append(value)
            head = sealed
        self.clock.head = head
        return {
            **columns,
            "user_id": self.clock.user_id,
            "clock_at": self.clock.at,
            "clock_seq": self.clock.seq,
            "clock_number": self.clock.number,
            "head": head,
        }


_COLUMNS = (
    "seq", "decision", "item_id", "item_ref", "event", "verb", "actor_kind", "actor_name", "actor_token",
    "reason", "undoes", "moved", "at", "payload_digest", "prev", "hash", "salt", "body", "note",
)  # fmt: skip


@contextmanager
def act(principal: Principal) -> Iterator[Act]:
    """Hold the owner's clock and change their beliefs. Nested acts of one call join the outer one.

    Raises what :func:`~pawflow_web.identity.clock.user_clock` raises.
    """
    with user_clock(principal.user_id) as clock:
        current = clock.notes.get("act")
        if current is None:
            current = clock.notes["act"] = Act(clock, Actor.of(principal))
            clock.before_commit.append(current.flush)
        yield current


def _reading(item: GovernanceItem) -> _Reading:
    if item.status not in READABLE or item.valid.isempty:
        return None
    return item.valid, item.expires_at


def _same_reading(one: _Reading, other: _Reading) -> bool:
    if one is None or other is None:
        return one is other
    return range_value(one[0]) == range_value(other[0]) and one[1] == other[1]


def _item_parameters(item: GovernanceItem, at: datetime) -> dict[str, Any]:
    return {
        "ref": item.ref,
        "number": item.number,
        "user_id": item.user_id,
        "kind": item.kind,
        "text": item.text,
        "text_digest": item.text_digest,
        "words_mac": item.words_mac,
        "scope": str(item.scope),
        "scope_agent_id": item.scope_agent.pk if item.scope_agent else None,
        "scope_conversation_id": item.scope_conversation.pk if item.scope_conversation else None,
        "status": str(item.status),
        "reason": item.reason,
        "confidence": item.confidence,
        "privacy": str(item.privacy),
        "origin": str(item.origin),
        "flags": Jsonb(item.flags),
        "exclusive_key": item.exclusive_key,
        "valid": item.valid,
        "valid_from_precision": item.valid_from_precision,
        "valid_to_precision": item.valid_to_precision,
        "at": at,
        "retired_at": item.retired_at,
        "expires_at": item.expires_at,
        "contradicts_id": item.contradicts.pk if item.contradicts else None,
        "supersedes_id": item.supersedes.pk if item.supersedes else None,
        "changed_seq": item.changed_seq,
    }
