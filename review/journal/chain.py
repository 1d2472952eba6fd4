"""Reading the journal: proving the chain, replaying it, and telling an item's history."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from pawflow_web.identity.models import User, UserClock
from pawflow_web.lib.db import execute
from review.journal.snapshots import Snapshot, payload_digest, seal_of, snapshot, words_mac
from review.kinds import kind_of, kinds
from review.models import ERASING, EventKind, GovernanceItem, JournalEntry
from review.plaintext import WordsUnreadable, words_of
from review.querysets import ItemQuerySet

GENESIS = "0" * 64
_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Verification:
    """What replaying one owner's journal showed. ``differences`` is empty when everything agrees."""

    owner: str
    entries: int
    items: int
    head: str
    differences: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.differences


def verify(user: User) -> Verification:
    """Check the chain link by link, then compare every item with its last snapshot.

    Reports ``{"seq", "problem": "hash|gap|payload|head"}`` for the chain and ``{"ref", "field", "journal",
    "row"}`` for rows, with texts as digests.
    """
    chain = _Chain()
    with one_moment():
        clock = UserClock.objects.get(user=user)
        for entry in _entries(user):
            chain.add(entry)
        if chain.seq != clock.seq or chain.head != clock.head:
            chain.differences.append({"seq": clock.seq, "problem": "head"})
        rows = _compare(user, chain)
    return Verification(user.username, chain.count, rows, chain.head, chain.differences)


@contextmanager
def one_moment() -> Iterator[None]:
    """All statements inside see the rows of one moment: what is written meanwhile is no difference."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


class _Chain:
    """The state of a replay: the last seal, the last snapshot of every item, and what does not fit."""

    def __init__(self) -> None:
        self.seq = 0
        self.count = 0
        self.head = GENESIS
        self.snapshots: dict[int, Snapshot] = {}
        self.refs: dict[int, str] = {}
        self.differences: list[dict[str, Any]] = []
        self._without_payload: dict[int, list[int]] = {}

    def add(self, entry: JournalEntry) -> None:
        self.count += 1
        if entry.seq != self.seq + 1:
            self.differences.append({"seq": entry.seq, "problem": "gap"})
        if entry.prev != self.head or entry.hash != seal_of(entry):
            self.differences.append({"seq": entry.seq, "problem": "hash"})
        self.seq, self.head = entry.seq, entry.hash
        self.refs[entry.item_id] = entry.item_ref
        if entry.event in ERASING:
            self._without_payload.pop(entry.item_id, None)
            if entry.event == EventKind.PURGE:
                self.snapshots.pop(entry.item_id, None)
        payload = getattr(entry, "payload", None)
        if payload is None:
            if entry.event != EventKind.PURGE:
                self._without_payload.setdefault(entry.item_id, []).append(entry.seq)
            return
        if payload_digest(payload.salt, payload.body, payload.note) != entry.payload_digest:
            self.differences.append({"seq": entry.seq, "problem": "payload"})
        self.snapshots[entry.item_id] = json.loads(payload.body)

    def missing_payloads(self) -> list[int]:
        return sorted(seq for seqs in self._without_payload.values() for seq in seqs)


def _entries(user: User) -> Iterator[JournalEntry]:
    rows = JournalEntry.objects.filter(user=user).select_related("payload").order_by("seq")
    last = 0
    while chunk := list(rows.filter(seq__gt=last)[:_CHUNK]):
        yield from chunk
        last = chunk[-1].seq


def _compare(user: User, chain: _Chain) -> int:
    chain.differences += [{"seq": seq, "problem": "payload"} for seq in chain.missing_payloads()]
    items = with_relations().owned_by(user.pk).order_by("pk")
    left = dict(chain.snapshots)
    count = last = 0
    while chunk := list(items.filter(pk__gt=last)[:_CHUNK]):
        for item in chunk:
            count += 1
            chain.differences += row_differences(item, left.pop(item.pk, None))
            chain.differences += _copy_differences(item)
        last = chunk[-1].pk
    chain.differences += [
        {"ref": chain.refs[pk], "field": "row", "journal": "there", "row": "missing"} for pk in sorted(left)
    ]
    return count


def with_relations() -> ItemQuerySet:
    """Items with everything that their snapshots name."""
    related = [kind.relation for kind in kinds.all()]
    return GovernanceItem.objects.select_related(
        "scope_agent", "scope_conversation", "contradicts", "supersedes", *related
    )


def row_differences(item: GovernanceItem, recorded: Snapshot | None) -> list[dict[str, Any]]:
    """What an item says otherwise than the snapshot that the journal holds of it; its words included."""
    if recorded is None:
        return [{"ref": item.ref, "field": "row", "journal": "missing", "row": "there"}]
    present = snapshot(item)
    # The stored digest could have been changed with the words; the words themselves decide.
    present["words"] = _mac_of_row(item)
    return [
        {"ref": item.ref, "field": name, "journal": _shown(recorded.get(name)), "row": _shown(present[name])}
        for name in present
        if recorded.get(name) != present[name]
    ]


def _copy_differences(item: GovernanceItem) -> list[dict[str, Any]]:
    """What its facet repeats of the item otherwise than the item says it; ``journal`` is what the item says."""
    return [
        {"ref": item.ref, "field": f"facet.{name}", "journal": _plain(said), "row": _plain(repeated)}
        for name, (said, repeated) in kind_of(item).copies(item).items()
        if said != repeated
    ]


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool) else str(value)


def _mac_of_row(item: GovernanceItem) -> str:
    """Of the words that the row holds; of none where no key opens them."""
    try:
        words = words_of(item)
    except WordsUnreadable:
        return ""
    return words_mac(words, kind_of(item).words(item))


def _shown(value: Any) -> Any:
    """Short values as they are; anything that may hold words as a digest."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= 40):
        return value
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


# --- an item's history ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of an item's history, with what it changed: ``{field: [before, after]}``. ``comment`` is what a
    person said to it."""

    entry: JournalEntry
    status_before: str | None
    status_after: str | None
    changes: dict[str, list[Any]]
    comment: str


def history(item: GovernanceItem) -> list[Event]:
    """Everything that happened to an item, oldest first."""
    events: list[Event] = []
    before: Snapshot = {}
    for entry in JournalEntry.objects.filter(item_id=item.pk).select_related("payload").order_by("seq"):
        payload = getattr(entry, "payload", None)
        after: Snapshot = json.loads(payload.body) if payload is not None else before
        events.append(
            Event(
                entry,
                before.get("status"),
                after.get("status"),
                _changes(before, after) if before else {},
                payload.note if payload is not None else "",
            )
        )
        before = after
    return events


def _changes(before: Snapshot, after: Snapshot) -> dict[str, list[Any]]:
    flat_before, flat_after = _flat(before), _flat(after)
    return {
        name: [flat_before.get(name), flat_after.get(name)]
        for name in flat_after
        if flat_before.get(name) != flat_after.get(name)
    }


def _flat(state: Snapshot) -> Snapshot:
    """Facet fields beside the others; digests left out, since they say nothing to a person."""
    flat = {name: value for name, value in state.items() if name not in {"facet", "words", "flags"}}
    return {**flat, **state.get("facet", {})}
