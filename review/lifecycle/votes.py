"""What the votes on a belief count for, and how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from review.models import Feedback, GovernanceItem, JournalEntry


@dataclass(frozen=True, slots=True)
class Votes:
    """How many parties found it helpful and how many did not."""

    helpful: int
    unhelpful: int


def votes_on(item: GovernanceItem) -> Votes:
    ways = list(Feedback.objects.filter(item=item).values_list("helpful", flat=True))
    return Votes(helpful=ways.count(True), unhelpful=ways.count(False))


def take_back(entries: Sequence[JournalEntry], points: int) -> None:
    """The vote of an undone decision keeps standing; what it did to the confidence is taken back by ``points``."""
    for entry in entries:
        if entry.verb == "feedback":
            voter = f"{entry.actor_kind}:{entry.actor_name}"
            Feedback.objects.filter(item_id=entry.item_id, principal=voter).update(points=F("points") + points)
