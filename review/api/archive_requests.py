"""Wishes of agents that a belief goes out of use, and a person's answer."""

from django.http import HttpRequest
from ninja import Router

from pawflow_web.identity.rest import call_of, person
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.rest_types import Cursor, Limit
from review.display.shape import present_all
from review.lifecycle.archiving import decide_archive
from review.models import ArchiveRequest
from review.replies import item_out
from review.schemas import ArchiveAnswerIn, ArchiveAnswerOut, ArchiveRequestOut, ArchiveRequestsOut
from review.search.find import load_for_display

router = Router(tags=["beliefs"])


@router.get("/review/archive-requests", auth=person, response=ArchiveRequestsOut)
def archive_requests(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> ArchiveRequestsOut:
    """What waits for an answer, the newest first."""
    principal = call_of(request).principal
    rows = ArchiveRequest.objects.pending_of(principal.user_id)
    pager = Pager.of("archive_requests", principal.user_id, {})
    page = pager.page(rows, order=("-pk",), limit=limit, cursor=cursor)
    items = load_for_display([row.item_id for row in page.rows])
    # A wish goes with its belief, which may be erased between the two statements.
    wishes = [row for row in page.rows if row.item_id in items]
    shown = present_all([items[row.item_id] for row in wishes])
    return ArchiveRequestsOut(
        items=[
            ArchiveRequestOut(ref=row.ref, item=item, by=row.principal, reason=row.reason, created_at=row.at)
            for row, item in zip(wishes, shown, strict=True)
        ],
        next=page.next,
    )


@router.post("/review/archive-requests/{ref}", auth=person, response=ArchiveAnswerOut)
def answer_archive_request(request: HttpRequest, ref: str, payload: ArchiveAnswerIn) -> ArchiveAnswerOut:
    """Approve: the belief goes out of use. Decline: it stays."""
    done = decide_archive(
        principal=call_of(request).principal,
        ref=ref,
        approve=payload.decision == "approve",
        comment=payload.reason,
    )
    return ArchiveAnswerOut(item=item_out(done.item), decision=done.number)
