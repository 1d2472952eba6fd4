"""What the journal says a belief was before a decision, as the values of its columns."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import Q

from pawflow_web.lib.errors import Conflict
from review.gate.placement import EMPTY
from review.journal.snapshots import Snapshot, snapshot
from review.models import GovernanceItem, JournalEntry


@dataclass(frozen=True, slots=True)
class Past:
    """The decisions over one belief: those that moved it, oldest first, and those that were taken back."""

    moves: Sequence[int]
    undone: frozenset[int]

    @classmethod
    def of(cls, item: GovernanceItem) -> Self:
        return cls.of_all([item.pk])[item.pk]

    @classmethod
    def of_all(cls, ids: Sequence[int]) -> dict[int, Self]:
        entries = JournalEntry.objects.filter(Q(moved=True) | Q(undoes__isnull=False), item_id__in=ids)
        rows = list(entries.order_by("seq").values_list("item_id", "decision", "undoes"))
        return {
            pk: cls(
                [decision for item, decision, undoes in rows if item == pk and undoes is None],
                frozenset(undoes for item, _decision, undoes in rows if item == pk and undoes is not None),
            )
            for pk in ids
        }

    @property
    def last_standing(self) -> int | None:
        """What an undo takes back next."""
        return next((number for number in reversed(self.moves) if number not in self.undone), None)


@dataclass(frozen=True, slots=True)
class Change:
    """What one decision made of one belief: its ``entries`` there, oldest first, and the states around them.

    ``before`` is None for what the decision created.
    """

    item: GovernanceItem
    entries: Sequence[JournalEntry]
    before: Snapshot | None
    after: Snapshot

    @classmethod
    def of(cls, item: GovernanceItem, entries: Sequence[JournalEntry]) -> Self:
        """Raises :class:`Conflict` when what it was before has been erased."""
        below = JournalEntry.objects.filter(item_id=item.pk, seq__lt=entries[0].seq).select_related("payload")
        last = below.order_by("seq").last()
        return cls(item, entries, _state(item, last) if last is not None else None, _state(item, entries[-1]))

    def differences(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Columns and parts of the facet that the decision changed and nobody since, with their values from before.
        Confidence, votes and tags that came later stay."""
        assert self.before is not None  # noqa: S101 - what a decision created has nothing to go back to
        current = snapshot(self.item)
        before = {**self.before}
        facet = _to_restore(before.pop("facet"), self.after["facet"], current["facet"])
        columns: dict[str, Any] = {}
        for name, value in _to_restore(before, self.after, current).items():
            columns.update(_COLUMNS[name](self.item, name, value))
        return columns, facet


def _state(item: GovernanceItem, entry: JournalEntry) -> Snapshot:
    payload = getattr(entry, "payload", None)
    if payload is None:
        raise Conflict(
            f"What #{item.ref} was before has been erased, so this cannot be taken back.", fields={"erased": item.ref}
        )
    state: Snapshot = json.loads(payload.body)
    return state


def _to_restore(before: Snapshot, after: Snapshot, current: Snapshot) -> Snapshot:
    return {
        name: value
        for name, value in before.items()
        if value != after.get(name) and current.get(name) == after.get(name)
    }


# --- values of the journal as values of columns -----------------------------------------------------------------

Columns = dict[str, Any]


def _same(_item: GovernanceItem, name: str, value: Any) -> Columns:
    return {name: value}


def _moment(_item: GovernanceItem, name: str, value: str | None) -> Columns:
    return {name: _instant(value)}


def _range(_item: GovernanceItem, name: str, value: list[str | None] | None) -> Columns:
    return {name: EMPTY if value is None else DateTimeTZRange(*map(_instant, value))}


def _precisions(_item: GovernanceItem, _name: str, value: list[str]) -> Columns:
    return {"valid_from_precision": value[0], "valid_to_precision": value[1]}


def _reference(item: GovernanceItem, name: str, ref: str | None) -> Columns:
    """None where that belief was purged since."""
    return {name: GovernanceItem.objects.owned_by(item.user_id).filter(ref=ref).first() if ref else None}


def _instant(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


# What a decision that moves a belief may change of it. Place, privacy and words are not among them.
_COLUMNS: Mapping[str, Callable[[GovernanceItem, str, Any], Columns]] = {
    "status": _same,
    "reason": _same,
    "confidence": _same,
    "exclusive_key": _same,
    "pinned": _same,
    "decided": _same,
    "flags": _same,
    "valid": _range,
    "valid_precision": _precisions,
    "expires_at": _moment,
    "retired_at": _moment,
    "contradicts": _reference,
    "supersedes": _reference,
}
