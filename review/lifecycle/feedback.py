"""How useful a belief was, said by those who read it."""

from dataclasses import dataclass
from typing import Any

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, InvalidTransition
from review.journal.acts import Act, act
from review.journal.comments import Comment
from review.lifecycle.locked import locked_named
from review.lifecycle.votes import votes_on
from review.models import Evidence, Feedback, GovernanceItem, Reason, Status

# Hundredths that one vote moves the confidence by.
HELPFUL_POINTS = 10
UNHELPFUL_POINTS = -15
# At or below it a belief waits for a person, once two parties found it unhelpful.
FLOOR = 55
VOTERS = 2


@dataclass(frozen=True, slots=True)
class Vote:
    """The belief after a vote, and how many parties voted which way."""

    item: GovernanceItem
    helpful: int
    unhelpful: int


def vote(*, principal: Principal, reference: str, helpful: bool, note: str = "") -> Vote:
    """Say whether a belief was of use. Each party has one vote on it; the last one counts, in place of the one
    before.

    What a person pinned, accepted or corrected does not move by what agents say; their votes are kept and shown.

    Raises:
        NotFound: there is no such belief that the caller may name.
        InvalidTransition: it is neither in use nor waiting.
        Conflict: an agent praises what it said itself.
    """
    comment = Comment.of(note, field="note")
    with act(principal) as current, current.decision():
        item = locked_named(principal, reference)
        if item.status not in {Status.ACTIVE, Status.NEEDS_REVIEW}:
            raise InvalidTransition(
                "Only a belief that is in use or waits can be voted on.", fields={"status": item.status}
            )
        party = f"{principal.kind}:{principal.name}"
        if helpful and not principal.is_person and _author(item) == party:
            raise Conflict("Nobody raises the trust in what they said themselves.", fields={"author": principal.name})
        _count(current, item, principal, party, helpful=helpful, comment=comment)
        votes = votes_on(item)
        return Vote(item, votes.helpful, votes.unhelpful)


def _author(item: GovernanceItem) -> str | None:
    return Evidence.objects.filter(item=item).order_by("pk").values_list("principal", flat=True).first()


def _count(
    current: Act, item: GovernanceItem, principal: Principal, party: str, *, helpful: bool, comment: Comment
) -> None:
    known = Feedback.objects.filter(item=item, principal=party).first()
    row = known or Feedback(item=item, user_id=item.user_id, principal=party)
    is_new = known is None or known.helpful != helpful
    row.helpful, row.note, row.at = helpful, comment, current.clock.at
    changes: dict[str, Any] = {}
    if is_new and (principal.is_person or not (item.pinned or item.decided)):
        points = HELPFUL_POINTS if helpful else UNHELPFUL_POINTS
        # Held between 0 and 100, a vote may count for less; exactly that is taken back when it changes.
        changes["confidence"] = max(0, min(100, item.confidence - row.points + points))
        row.points += changes["confidence"] - item.confidence
    row.save()
    if not is_new:
        return
    if not helpful and _falls(item, changes.get("confidence")):
        changes |= {"status": Status.NEEDS_REVIEW, "reason": Reason.FEEDBACK_BELOW_FLOOR}
    if not current.write(item, "feedback", comment=comment, **changes):
        current.mention(item, "feedback", comment=comment)


def _falls(item: GovernanceItem, confidence: int | None) -> bool:
    if item.status != Status.ACTIVE or confidence is None or confidence > FLOOR:
        return False
    return votes_on(item).unhelpful >= VOTERS
