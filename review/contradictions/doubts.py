"""What in use may contradict a waiting belief although no key says so.

It is told from the words alone (:mod:`review.contradictions.clashes`), shown beside the newcomer while a person
decides, and decides nothing: a plain accept keeps both.
"""

from dataclasses import dataclass

from pawflow_web.identity.principal import Principal
from review.contradictions.clashes import Difference, difference_of
from review.contradictions.features import features_of
from review.gate.lookalikes import find_similar
from review.models import GovernanceItem, Privacy


@dataclass(frozen=True, slots=True)
class Doubt:
    """``rival`` is in use in the same place and speaks of the same thing; ``difference`` is in what they differ."""

    rival: GovernanceItem
    difference: Difference


def doubt_about(principal: Principal, item: GovernanceItem) -> Doubt | None:
    """The nearest belief in use that may contradict ``item``; None for secrets, whose words nothing looks at."""
    if item.privacy == Privacy.SECRET:
        return None
    mine = features_of(item.text)
    for other, _share in find_similar(principal, item.text, kind=item.kind):
        if other.pk != item.pk and _place(other) == _place(item) and other.privacy != Privacy.SECRET:
            difference = difference_of(mine, features_of(other.text))
            if difference is not None:
                return Doubt(other, difference)
    return None


def _place(item: GovernanceItem) -> tuple[str, int | None, int | None]:
    return item.scope, item.scope_agent_id, item.scope_conversation_id
