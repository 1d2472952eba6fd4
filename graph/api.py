"""REST routes of the knowledge graph beside its tools: what a person decides about its words."""

from django.http import HttpRequest
from ninja import Router

from graph.facts.merging import merge, undo_merge
from graph.facts.vocabulary import functional_of, set_functional
from graph.schemas import MergeIn, MergeOut, PredicatesIn, PredicatesOut, UnmergedOut
from pawflow_web.identity.rest import call_of, person, reader

router = Router(tags=["graph"])


@router.get("/graph/predicates", auth=reader, response=PredicatesOut)
def predicates(request: HttpRequest) -> PredicatesOut:
    """Which predicates hold one value at a time."""
    return PredicatesOut(functional=list(functional_of(call_of(request).principal.user_id)))


@router.put("/graph/predicates", auth=person, response=PredicatesOut)
def change_predicates(request: HttpRequest, payload: PredicatesIn) -> PredicatesOut:
    """The owner's own list in place of the one that stood. It counts for what is said from now on."""
    done = set_functional(principal=call_of(request).principal, predicates=payload.functional)
    return PredicatesOut(functional=list(done))


@router.post("/graph/entities/merge", auth=person, response=MergeOut)
def merge_entities(request: HttpRequest, payload: MergeIn) -> MergeOut:
    """Two entities are one: facts and names of the second become those of the first. It can be undone."""
    return MergeOut(merge=merge(principal=call_of(request).principal, keep=payload.keep, drop=payload.drop).ref)


@router.post("/graph/merges/{ref}/undo", auth=person, response=UnmergedOut)
def undo_one_merge(request: HttpRequest, ref: str) -> UnmergedOut:
    """Take a merge back: names and facts go where they came from."""
    return UnmergedOut(undone=True, entity=undo_merge(principal=call_of(request).principal, ref=ref).back.ref)
