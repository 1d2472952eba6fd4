"""What the gate decides, as pure functions: origin gives the best outcome, findings can only lower it."""

from collections.abc import Sequence
from typing import Literal

from pawflow_web.identity.principal import Principal
from review.gate.preparing import Prepared
from review.gate.proposals import Judgement
from review.kinds import Kind
from review.models import GovernanceItem, Origin, Privacy, Reason, Status

# Hundredths. An automation or an import may be right, but nobody has said that it was meant.
UNREVIEWED_CONFIDENCE = 60
EXTRACTOR_ACTIVE_FROM = 80
EXTRACTOR_REVIEW_FROM = 55
AGAIN_CONFIDENCE = 5

# Reasons that only say who spoke: the owner's own word settles them.
WAITING_FOR_ORIGIN = frozenset(
    {Reason.AUTOMATION_REVIEW, Reason.ORIGIN_UNKNOWN, Reason.IMPORT_REVIEW, Reason.EXTRACTOR_REVIEW}
)

Again = Literal["evidence", "confirm", "restate", "review"]


def judge_new(prepared: Prepared, principal: Principal, origin: str, kind: Kind, *, near_tombstone: bool) -> Judgement:
    """Status, reason and confidence of words that were not there before."""
    given = prepared.proposal.confidence
    unreviewed = UNREVIEWED_CONFIDENCE if given is None else given
    if kind.best_status == Status.CANDIDATE:
        best = Judgement(Status.CANDIDATE, Reason.PROCEDURE_CANDIDATE, unreviewed, may_replace=False)
    elif origin == Origin.USER_CHANNEL:
        best = Judgement(Status.ACTIVE, Reason.USER_CHANNEL, kind.confidence, may_replace=True)
    elif origin == Origin.EXTRACTOR:
        best = _of_extractor(given or 0)
    elif origin == Origin.IMPORTER:
        best = Judgement(Status.NEEDS_REVIEW, Reason.IMPORT_REVIEW, unreviewed, may_replace=False)
    else:
        reason = Reason.AUTOMATION_REVIEW if principal.origin_known else Reason.ORIGIN_UNKNOWN
        best = Judgement(Status.NEEDS_REVIEW, reason, UNREVIEWED_CONFIDENCE, may_replace=False)
    return _lowered(best, prepared, near_tombstone=near_tombstone)


def judge_again(prepared: Prepared, duplicate: GovernanceItem, origin: str, *, near_tombstone: bool = False) -> Again:
    """What saying the words of an existing belief again does to it.

    Returns: ``evidence`` (one more voice), ``confirm`` (a voice that counts), ``restate`` (in use from now),
    ``review`` (a person has to look).
    """
    if origin in {Origin.AUTOMATION, Origin.IMPORTER}:
        return "evidence"
    if duplicate.status == Status.ACTIVE:
        return "confirm"
    if not prepared.clean or duplicate.flags or duplicate.privacy != Privacy.NORMAL:
        return "evidence"
    if duplicate.status == Status.NEEDS_REVIEW:
        waits_for_origin = duplicate.reason in WAITING_FOR_ORIGIN and origin == Origin.USER_CHANNEL
        return "restate" if waits_for_origin and not near_tombstone else "evidence"
    if duplicate.status == Status.STALE and duplicate.reason != Reason.CONSOLIDATED:
        return "restate" if origin == Origin.USER_CHANNEL and not near_tombstone else "review"
    return "evidence"


def origin_of(principal: Principal) -> str:
    """The origin of a caller's own words; unknown counts as automation, the stricter of the two."""
    return Origin.USER_CHANNEL if principal.is_user_channel else Origin.AUTOMATION


def preferred(duplicates: Sequence[GovernanceItem]) -> GovernanceItem | None:
    """Of several rows with the same words, the one that stands for them."""
    order = [Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE, Status.STALE, Status.SUPERSEDED]
    return min(duplicates, key=lambda item: (order.index(Status(item.status)), -item.pk), default=None)


def _of_extractor(confidence: int) -> Judgement:
    if confidence >= EXTRACTOR_ACTIVE_FROM:
        return Judgement(Status.ACTIVE, Reason.EXTRACTOR_CONFIDENT, confidence, may_replace=True)
    if confidence >= EXTRACTOR_REVIEW_FROM:
        return Judgement(Status.NEEDS_REVIEW, Reason.EXTRACTOR_REVIEW, confidence, may_replace=False)
    return Judgement(Status.REJECTED, Reason.EXTRACTOR_BELOW_FLOOR, confidence, may_replace=False)


def _lowered(best: Judgement, prepared: Prepared, *, near_tombstone: bool) -> Judgement:
    """The same with what was found taken into account. The gravest finding gives the reason."""
    reason: Reason | None = None
    if prepared.flags:
        reason = Reason.INJECTION_FLAGGED
    elif prepared.unscanned:
        reason = Reason.SCANNER_UNAVAILABLE
    elif prepared.privacy == Privacy.SECRET:
        reason = Reason.SECRET
    elif prepared.privacy == Privacy.SENSITIVE:
        reason = Reason.SENSITIVE_REVIEW
    elif near_tombstone:
        reason = Reason.NEAR_TOMBSTONE
    if reason is None or best.status == Status.REJECTED:
        return best
    status = best.status if best.status == Status.CANDIDATE else Status.NEEDS_REVIEW
    return Judgement(status, reason, best.confidence, may_replace=False)
