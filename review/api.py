"""REST routes of beliefs and of the review queue."""

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router

from pawflow_web.identity.rest import call_of, person, reader
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.periods import last_instant
from pawflow_web.lib.rest_types import Cursor, Limit
from review import lifecycle, tombstones
from review.filters import ItemFilter
from review.find import by_reference, find_items, load_for_display
from review.journal import Event, history
from review.models import GovernanceItem, Status, Tombstone
from review.present import ItemOut, present, present_all
from review.queue import counts
from review.rows import flags_of
from review.schemas import (
    AcceptIn,
    ActorOut,
    BulkIn,
    BulkOut,
    BulkRowOut,
    DecisionIn,
    DecisionOut,
    EventOut,
    FlagOut,
    ForgottenOut,
    HistoryOut,
    ItemsOut,
    KindWord,
    OriginWord,
    PrivacyWord,
    QueueOut,
    RejectedOut,
    ScopeWord,
    StatusWord,
    TombstoneOut,
    TombstonesOut,
    WaitingOut,
)

router = Router(tags=["beliefs"])

Word = Annotated[str | None, Query(max_length=80)]
# of notes, whose app lies above this one
CategoryWord = Literal["facts", "events", "discoveries", "preferences", "advice"]
Words = Annotated[str | None, Query(max_length=4000, description="words to find")]


@router.get("/items", auth=reader, response=ItemsOut)
def items(
    request: HttpRequest,
    q: Words = None,
    status: StatusWord | Literal["any"] = Status.ACTIVE,
    kind: KindWord | None = None,
    scope: ScopeWord | None = None,
    agent: Word = None,
    category: CategoryWord | None = None,
    tag: Annotated[list[str], Query(max_length=20, description="repeatable; all must be there")] = [],  # noqa: B006
    origin: OriginWord | None = None,
    privacy: PrivacyWord | None = None,
    pinned: bool | None = None,  # noqa: FBT001 - a query parameter
    as_of: Annotated[str | None, Query(max_length=40)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ItemsOut:
    """Beliefs. A person sees every status (default active); an agent what it may recall."""
    principal = call_of(request).principal
    if not principal.is_person and status not in {Status.ACTIVE, "any"}:
        return ItemsOut(items=[], next=None)
    narrowed_to = ItemFilter(
        fit_for_prompt=not principal.is_person,
        at=last_instant(as_of, principal.zone, field="as_of"),
        statuses=() if status == "any" or (as_of and not principal.is_person) else (status,),
        kind=kind or "",
        scope=scope or "",
        agent=agent or "",
        categories=(category,) if category else (),
        tags=tuple(word.lower() for word in tag),
        all_tags=True,
        origin=origin or "",
        privacy=privacy or "",
        pinned=pinned,
    )
    page = find_items(
        principal,
        narrowed_to=narrowed_to,
        query=q,
        sort="relevance" if q else "newest",
        limit=limit,
        cursor=cursor,
        counted=False,
    )
    return ItemsOut(items=present_all([hit.item for hit in page.hits]), next=page.next)


@router.get("/items/{ref}", auth=reader, response=ItemOut)
def item(request: HttpRequest, ref: str) -> ItemOut:
    """One belief by its reference, if this caller may see it: an agent only what it may recall."""
    principal = call_of(request).principal
    rows = GovernanceItem.objects.for_display()
    return present(by_reference(rows.open_to(principal), ref))


@router.get("/items/{ref}/history", auth=person, response=HistoryOut, by_alias=True)
def item_history(request: HttpRequest, ref: str) -> HistoryOut:
    """Everything that happened to a belief, oldest first."""
    found = by_reference(GovernanceItem.objects.visible_to(call_of(request).principal), ref)
    return HistoryOut(items=[_event(event) for event in history(found)], next=None)


@router.delete("/items/{ref}", auth=person, response=ForgottenOut)
def forget(request: HttpRequest, ref: str) -> ForgottenOut:
    """Take a belief out of use; it may be said again."""
    done = lifecycle.forget(principal=call_of(request).principal, reference=ref)
    return ForgottenOut(ref=done.item.ref, forgotten=done.forgotten, archive=None if done.forgotten else "pending")


@router.get("/review", auth=person, response=QueueOut)
def review_queue(
    request: HttpRequest,
    status: Literal[Status.NEEDS_REVIEW, Status.CANDIDATE] = Status.NEEDS_REVIEW,
    kind: KindWord | None = None,
    origin: OriginWord | None = None,
    agent: Word = None,
    project: Word = None,
    reason: Word = None,
    privacy: PrivacyWord | None = None,
    q: Words = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> QueueOut:
    """What waits for a person, the longest waiting first."""
    principal = call_of(request).principal
    narrowed_to = ItemFilter(
        statuses=(status,),
        kind=kind or "",
        origin=origin or "",
        agent=agent or "",
        project=project or "",
        reasons=(reason,) if reason else (),
        privacy=privacy or "",
    )
    page = find_items(
        principal,
        narrowed_to=narrowed_to,
        query=q,
        sort="relevance" if q else "oldest",
        limit=limit,
        cursor=cursor,
        counted=False,
    )
    return QueueOut(items=_waiting([hit.item for hit in page.hits]), next=page.next, counts=counts(principal))


@router.post("/review/bulk", auth=person, response=BulkOut)
def bulk(request: HttpRequest, payload: BulkIn) -> BulkOut:
    """Decide many at once; each stands alone, and what contradicts or was flagged is left for a person."""
    batch, results = lifecycle.decide_many(
        principal=call_of(request).principal,
        action=payload.action,
        references=payload.refs,
        revisions=payload.revisions,
        comment=payload.reason,
    )
    rows = [
        BulkRowOut(ref=row.ref, ok=False, error=row.error.body()["error"])
        if row.error
        else BulkRowOut(ref=row.ref, ok=True, status=row.status)
        for row in results
    ]
    return BulkOut(batch=batch.ref, done=sum(row.ok for row in rows), results=rows)


@router.get("/review/tombstones", auth=person, response=TombstonesOut)
def list_tombstones(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> TombstonesOut:
    """Words that are refused from now on, by the belief they were; never the words."""
    principal = call_of(request).principal
    pager = Pager.of("tombstones", principal.user_id, {})
    rows = Tombstone.objects.filter(user_id=principal.user_id, lifted_at=None)
    page = pager.page(rows, order=("-pk",), limit=limit, cursor=cursor)
    return TombstonesOut(
        items=[
            TombstoneOut(ref=row.ref, item=row.item_ref, key=None, created_at=row.at, hits=row.hits)
            for row in page.rows
        ],
        next=page.next,
    )


@router.delete("/review/tombstones/{ref}", auth=person, response=dict[str, bool])
def lift_tombstone(request: HttpRequest, ref: str) -> dict[str, bool]:
    """Let the words come again."""
    tombstones.lift_by_ref(principal=call_of(request).principal, ref=ref)
    return {"lifted": True}


@router.post("/review/{ref}/accept", auth=person, response=DecisionOut)
def accept(request: HttpRequest, ref: str, payload: AcceptIn) -> DecisionOut:
    """Let agents use it. A value in its way is replaced when it is named, by the item or in ``demote``."""
    done = lifecycle.accept(
        principal=call_of(request).principal,
        reference=ref,
        revision=payload.revision,
        demote=payload.demote,
        comment=payload.reason,
    )
    return DecisionOut(item=_shown(done), demoted=done.demoted.ref if done.demoted else None, decision=done.number)


@router.post("/review/{ref}/reject", auth=person, response=RejectedOut)
def reject(request: HttpRequest, ref: str, payload: DecisionIn) -> RejectedOut:
    """It should never have been believed; its words are refused from now on."""
    done = lifecycle.reject(
        principal=call_of(request).principal, reference=ref, revision=payload.revision, comment=payload.reason
    )
    tombstone = done.tombstone.ref if done.tombstone else ""
    return RejectedOut(item=_shown(done), demoted=None, tombstone=tombstone, decision=done.number)


@router.post("/review/{ref}/restore", auth=person, response=DecisionOut)
def restore(request: HttpRequest, ref: str, payload: DecisionIn) -> DecisionOut:
    """Take a rejected belief back into review and lift its refusal."""
    done = lifecycle.restore(
        principal=call_of(request).principal, reference=ref, revision=payload.revision, comment=payload.reason
    )
    return DecisionOut(item=_shown(done), demoted=None, decision=done.number)


def _shown(done: lifecycle.Decision) -> ItemOut:
    return present(load_for_display([done.item.pk])[done.item.pk])


def _waiting(found: list[GovernanceItem]) -> list[WaitingOut]:
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


def _event(event: Event) -> EventOut:
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
        changes=event.changes,
        decision=entry.decision,
        hash=entry.hash,
    )
