"""The queue of what waits for a person, and decisions over many at once."""

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router

from pawflow_web.identity.rest import call_of, person
from pawflow_web.lib.rest_types import Cursor, Limit
from review import lifecycle
from review.models import Status
from review.queue.waiting import counts
from review.replies import bulk_out, waiting_out
from review.schemas import (
    BulkIn,
    BulkOut,
    CommentIn,
    KindWord,
    OriginWord,
    PrivacyWord,
    QueueOut,
)
from review.search.filters import ItemFilter
from review.search.find import find_items

router = Router(tags=["beliefs"])

Word = Annotated[str | None, Query(max_length=80)]
Words = Annotated[str | None, Query(max_length=4000, description="words to find")]


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
    return QueueOut(items=waiting_out([hit.item for hit in page.hits]), next=page.next, counts=counts(principal))


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
    return bulk_out(batch, results)


@router.post("/review/batches/{ref}/undo", auth=person, response=BulkOut)
def undo_batch(request: HttpRequest, ref: str, payload: CommentIn) -> BulkOut:
    """Take back each decision of a bulk action; what moved on since stays and is named."""
    batch, results = lifecycle.undo_batch(principal=call_of(request).principal, ref=ref, comment=payload.reason)
    return bulk_out(batch, results)
