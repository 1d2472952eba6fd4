"""Beliefs: lists, one of them, its history, and what a person changes of it."""

from datetime import datetime
from typing import Annotated, Literal, cast
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from ninja import Query, Router

from pawflow_web.identity.rest import call_of, person, reader
from pawflow_web.lib.periods import first_instant, last_instant, parse_period, time_of_query
from pawflow_web.lib.rest_types import Cursor, Limit
from review import lifecycle
from review.display.shape import ItemOut, present, present_all
from review.journal.chain import history
from review.lifecycle.preview import preview
from review.models import GovernanceItem, Status
from review.readership import use
from review.replies import event_out, item_out
from review.schemas import (
    EditIn,
    EndIn,
    ForgottenOut,
    HistoryOut,
    ItemsOut,
    KindWord,
    OriginWord,
    PreviewOut,
    PrivacyWord,
    ScopeWord,
    SeenOut,
    SentenceOut,
    StatusWord,
)
from review.search.filters import ItemFilter
from review.search.find import by_reference, find_items

router = Router(tags=["beliefs"])

Word = Annotated[str | None, Query(max_length=80)]
# of notes, whose app lies above this one
CategoryWord = Literal["facts", "events", "discoveries", "preferences", "advice"]
Words = Annotated[str | None, Query(max_length=4000, description="words to find")]
TimeQuery = Annotated[
    str | None, Query(max_length=40, description="ISO time with zone, date, month, year or epoch seconds")
]


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
    as_of: TimeQuery = None,
    known_at: TimeQuery = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ItemsOut:
    """Beliefs. A person sees every status (default active); an agent what it may recall.

    With as_of or known_at the default is what could be recalled then; another status is what of it has that status
    today.
    """
    principal = call_of(request).principal
    if not principal.is_person and status not in {Status.ACTIVE, "any"}:
        return ItemsOut(items=[], next=None)
    at, known = (_last(text, principal.zone, name) for name, text in (("as_of", as_of), ("known_at", known_at)))
    in_use_then = status == Status.ACTIVE and (at or known) is not None
    narrowed_to = ItemFilter(
        fit_for_prompt=in_use_then or not principal.is_person,
        at=at,
        known_at=known,
        statuses=() if in_use_then or status == "any" else (status,),
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
    shown = [hit.item for hit in page.hits]
    use.record(principal, "items_search" if q else "items", shown)
    return ItemsOut(items=present_all(shown), next=page.next)


def _last(text: str | None, zone: ZoneInfo, name: str) -> datetime | None:
    return None if text is None else last_instant(time_of_query(text), zone, field=name)


@router.get("/items/{ref}", auth=reader, response=ItemOut)
def item(request: HttpRequest, ref: str) -> ItemOut:
    """One belief by its reference, if this caller may see it: an agent only what it may recall."""
    principal = call_of(request).principal
    rows = GovernanceItem.objects.for_display()
    found = by_reference(rows.open_to(principal), ref)
    use.record(principal, "item", [found])
    return present(found)


@router.get("/items/{ref}/history", auth=person, response=HistoryOut, by_alias=True)
def item_history(request: HttpRequest, ref: str) -> HistoryOut:
    """Everything that happened to a belief, oldest first."""
    found = by_reference(GovernanceItem.objects.visible_to(call_of(request).principal), ref)
    return HistoryOut(items=[event_out(event) for event in history(found)], next=None)


@router.patch("/items/{ref}", auth=person, response=ItemOut)
def edit(request: HttpRequest, ref: str, payload: EditIn) -> ItemOut:
    """Change what belongs to a belief beside its words; what is left out stays as it is."""
    principal = call_of(request).principal
    given = payload.model_dump(include=payload.model_fields_set - {"revision", "reason"})
    if "expires_at" in given:
        given["expires_at"] = first_instant(given["expires_at"], principal.zone, field="expires_at")
    done = lifecycle.edit(
        principal=principal,
        reference=ref,
        revision=payload.revision,
        changes=cast("lifecycle.Changes", given),
        comment=payload.reason,
    )
    return item_out(done)


@router.post("/items/{ref}/end", auth=person, response=ItemOut)
def end(request: HttpRequest, ref: str, payload: EndIn) -> ItemOut:
    """Say until when it was true; its status stays."""
    principal = call_of(request).principal
    given = payload.ended_at
    period = None if given is None else parse_period(given, principal.zone, field="ended_at")
    done = lifecycle.end(
        principal=principal,
        reference=ref,
        ended_at=period.first if period else None,
        precision=period.precision if period else "",
        revision=payload.revision,
        comment=payload.reason,
    )
    return item_out(done.item)


@router.get("/items/{ref}/preview", auth=person, response=PreviewOut)
def preview_of(
    request: HttpRequest,
    ref: str,
    verb: Annotated[str, Query(max_length=20, description="accept reject restore forget end correct undo")] = "accept",
    demote: Annotated[str | None, Query(max_length=40)] = None,
) -> PreviewOut:
    """What a decision would change for the owner's agents. Nothing is written."""
    seen = preview(principal=call_of(request).principal, reference=ref, verb=verb, demote=demote)
    return PreviewOut(
        verb=verb,
        sentences=[SentenceOut(text=each.text, ref=each.ref or None) for each in seen.sentences],
        agents=list(seen.agents),
        gains=[SeenOut(agent=each.agent, ref=each.ref) for each in seen.gains],
        loses=[SeenOut(agent=each.agent, ref=each.ref) for each in seen.loses],
    )


@router.delete("/items/{ref}", auth=person, response=ForgottenOut)
def forget(request: HttpRequest, ref: str) -> ForgottenOut:
    """Take a belief out of use; it may be said again."""
    done = lifecycle.forget(principal=call_of(request).principal, reference=ref)
    return ForgottenOut(ref=done.item.ref, forgotten=done.forgotten, archive=None if done.forgotten else "pending")
