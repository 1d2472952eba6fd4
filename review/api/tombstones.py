"""Words that are refused from now on."""

from django.http import HttpRequest
from ninja import Router

from pawflow_web.identity.rest import call_of, person
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.rest_types import Cursor, Limit
from review.gate import tombstones
from review.models import Tombstone
from review.schemas import TombstoneOut, TombstonesOut

router = Router(tags=["beliefs"])


@router.get("/review/tombstones", auth=person, response=TombstonesOut)
def list_tombstones(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> TombstonesOut:
    """Words that are refused from now on, by the belief they were; never the words."""
    principal = call_of(request).principal
    pager = Pager.of("tombstones", principal.user_id, {})
    rows = Tombstone.objects.standing_of(principal.user_id)
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
