"""What a person decides about one belief."""

from django.http import HttpRequest
from ninja import Router

from pawflow_web.identity.rest import call_of, person
from review import lifecycle
from review.replies import decision_out, rejected_out, undone_out
from review.schemas import AcceptIn, CorrectIn, DecisionIn, DecisionOut, RejectedOut, UndoneOut

router = Router(tags=["beliefs"])


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
    return decision_out(done)


@router.post("/review/{ref}/reject", auth=person, response=RejectedOut)
def reject(request: HttpRequest, ref: str, payload: DecisionIn) -> RejectedOut:
    """It should never have been believed; its words are refused from now on."""
    done = lifecycle.reject(
        principal=call_of(request).principal, reference=ref, revision=payload.revision, comment=payload.reason
    )
    return rejected_out(done)


@router.post("/review/{ref}/restore", auth=person, response=DecisionOut)
def restore(request: HttpRequest, ref: str, payload: DecisionIn) -> DecisionOut:
    """Take a rejected belief back into review and lift its refusal."""
    done = lifecycle.restore(
        principal=call_of(request).principal, reference=ref, revision=payload.revision, comment=payload.reason
    )
    return decision_out(done)


@router.post("/review/{ref}/correct", auth=person, response=DecisionOut)
def correct(request: HttpRequest, ref: str, payload: CorrectIn) -> DecisionOut:
    """Put other words in its place. They are a new belief, which waits where the gate finds something in them."""
    done = lifecycle.correct(
        principal=call_of(request).principal,
        reference=ref,
        text=payload.text,
        revision=payload.revision,
        comment=payload.reason,
        override_tombstone=payload.override_tombstone,
    )
    return decision_out(done)


@router.post("/review/{ref}/undo", auth=person, response=UndoneOut)
def undo(request: HttpRequest, ref: str, payload: DecisionIn) -> UndoneOut:
    """Take back the last decision over it, whoever made it, with everything that this decision did elsewhere."""
    done = lifecycle.undo(
        principal=call_of(request).principal, reference=ref, revision=payload.revision, comment=payload.reason
    )
    return undone_out(done)
