"""The facts that came last, for what every turn begins with."""

from collections.abc import Sequence
from datetime import datetime

from graph.facts.parts import AMBIGUOUS_BELOW
from graph.facts.reading import facts
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem


def newest_facts(principal: Principal, *, limit: int, at: datetime | None = None) -> Sequence[GovernanceItem]:
    """Facts that hold and were not guessed, the last recorded first."""
    rows = facts(principal, at=at).filter(
        triple__user_id=principal.user_id, triple__live=True, triple__score__gte=AMBIGUOUS_BELOW
    )
    return list(rows.order_by("-triple__pk")[:limit])
