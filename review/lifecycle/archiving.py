"""Asking a person to take a belief out of use, and the person's answer."""

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, InvalidTransition, NotFound
from pawflow_web.lib.ids import parse_ref
from review.gate.succession import answer_wishes
from review.journal.acts import act
from review.journal.comments import Comment
from review.lifecycle.archive_requests import ask_for_archive
from review.lifecycle.deciding import Decision, take_out_of_use
from review.lifecycle.locked import locked_named
from review.models import ArchiveRequest, ArchiveState, GovernanceItem, Reason, Status


def suggest(*, principal: Principal, reference: str, reason: str) -> ArchiveRequest:
    """Ask a person to take a belief out of use. Asked again while it is pending, the same request answers.

    Raises:
        NotFound: there is no such belief that the caller may name.
        InvalidTransition: it is not in use, so there is nothing to take out of it.
    """
    comment = Comment.of(reason)
    with act(principal) as current, current.decision():
        item = locked_named(principal, reference)
        if item.status != Status.ACTIVE:
            raise InvalidTransition("Only a belief in use can be archived.", fields={"status": item.status})
        return ask_for_archive(current, item, principal, comment)


def decide_archive(*, principal: Principal, ref: str, approve: bool, comment: str = "") -> Decision:
    """Answer an agent's wish: approved, the belief goes out of use as if it were forgotten; declined, it stays.

    Raises:
        NotFound: no such request of this owner.
        Conflict: it was answered before (``fields.state``).
        InvalidTransition: the belief is out of use already; the wish can still be declined.
    """
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        request = ArchiveRequest.objects.filter(user_id=principal.user_id, ref=parse_ref(ref) or "").first()
        if request is None:
            raise NotFound(f"There is no archive request {ascii(ref)[:40]} that you may see.")
        if request.state != ArchiveState.PENDING:
            raise Conflict(f"This request was {request.state} already.", fields={"state": request.state})
        item = GovernanceItem.objects.locked().get(pk=request.item_id)
        if approve:
            take_out_of_use(current, item, Reason.ARCHIVE_APPROVED, comment)
        else:
            current.mention(item, "decline_archive", comment=comment)
            answer_wishes(current, item, ArchiveState.DECLINED)
        return Decision(item, current.last_decision)
