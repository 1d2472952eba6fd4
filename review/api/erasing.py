"""Secret words looked at, and beliefs erased for good."""

from django.http import HttpRequest, HttpResponse
from ninja import Router

from pawflow_web.identity.rest import call_of, person
from review.lifecycle.erasing import purge as purge_item
from review.lifecycle.sealing import reveal as reveal_item
from review.models import GovernanceItem
from review.schemas import PurgedOut, PurgeIn, RevealedOut
from review.search.find import by_reference

router = Router(tags=["beliefs"])


@router.post("/items/{ref}/reveal", auth=person, response=RevealedOut)
def reveal(request: HttpRequest, response: HttpResponse, ref: str) -> RevealedOut:
    """The words of a secret. The journal says who looked; nothing on the way keeps the reply."""
    principal = call_of(request).principal
    found = by_reference(GovernanceItem.objects.visible_to(principal), ref)
    response["Cache-Control"] = "no-store"
    return RevealedOut(ref=found.ref, text=reveal_item(principal=principal, reference=ref))


@router.post("/items/{ref}/purge", auth=person, response=PurgedOut)
def purge(request: HttpRequest, ref: str, payload: PurgeIn) -> PurgedOut:
    """Erase it everywhere, which cannot be taken back, and refuse its words from now on. `same_words` names beliefs
    that hold them too and were not touched."""
    done = purge_item(principal=call_of(request).principal, reference=ref, confirm=payload.confirm)
    return PurgedOut(ref=done.ref, purged=True, tombstone=done.tombstone, same_words=list(done.same_words))
