"""What became of decisions, and what waits for one, in the shapes that REST and the command share."""

from collections.abc import Sequence
from typing import Any

from pawflow_web.lib.errors import NotFound
from review.display.rows import flags_of
from review.display.shape import ItemOut, present, present_all
from review.journal.chain import Event
from review.lifecycle import BulkResult, Decision, Undone
from review.models import Batch, GovernanceItem
from review.schemas import (
    ActorOut,
    BulkOut,
    BulkRowOut,
    DecisionOut,
    EventOut,
    FlagOut,
    RejectedOut,
    UndoneOut,
    WaitingOut,
)
from review.search.find import load_for_display


def item_out(item: GovernanceItem) -> ItemOut:
    """The belief as it is stored now. Raises :class:`NotFound` for one that was erased meanwhile."""
    found = load_for_display([item.pk]).get(item.pk)
    if found is None:
        raise NotFound(f"#{item.ref} was erased at the same moment.")
    return present(found)


def decision_out(done: Decision) -> DecisionOut:
    demoted = done.demoted.ref if done.demoted else None
    return DecisionOut(item=item_out(done.item), demoted=demoted, decision=done.number)


def rejected_out(done: Decision) -> RejectedOut:
    tombstone = done.tombstone.ref if done.tombstone else ""
    return RejectedOut(item=item_out(done.item), demoted=None, tombstone=tombstone, decision=done.number)


def undone_out(done: Undone) -> UndoneOut:
    restored = done.restored.ref if done.restored else None
    return UndoneOut(item=item_out(done.item), restored=restored, left=list(done.left), decision=done.number)


def bulk_out(batch: Batch, results: Sequence[BulkResult]) -> BulkOut:
    rows = [
        BulkRowOut(ref=row.ref, ok=False, error=row.error.body()["error"])
        if row.error
        else BulkRowOut(ref=row.ref, ok=True, status=row.status)
        for row in results
    ]
    return BulkOut(batch=batch.ref, done=sum(row.ok for row in rows), results=rows)


def waiting_out(found: Sequence[GovernanceItem]) -> list[WaitingOut]:
    """Each with the belief that it contradicts and with what the scanner found in it."""
    rivals = load_for_display([row.contradicts_id for row in found if row.contradicts_id])
    shown = {row.ref: row for row in present_all(list(rivals.values()))}
    return [
        WaitingOut(
            **dict(row),
            rival=shown.get(row.contradicts or ""),
            flags=[FlagOut(rule=flag["rule"], excerpt=flag["excerpt"]) for flag in flags_of(original)],
        )
        for row, original in zip(present_all(found), found, strict=True)
    ]


def event_out(event: Event) -> EventOut:
    entry = event.entry
    return EventOut(
        seq=entry.seq,
        at=entry.at,
        event=entry.event,
        verb=entry.verb,
        actor=ActorOut(kind=entry.actor_kind, name=entry.actor_name, token=entry.actor_token or None),
        reason=entry.reason,
        note=event.comment,
        from_=event.status_before,
        to=event.status_after,
        changes={name: [_public(name, value) for value in pair] for name, pair in event.changes.items()},
        decision=entry.decision,
        hash=entry.hash,
    )


def _public(name: str, value: Any) -> Any:
    """As the shape of a belief has it: the journal keeps a confidence in hundredths."""
    return value / 100 if name == "confidence" and value is not None else value
