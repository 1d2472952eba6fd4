"""Which of an owner's agents may have a belief in a prompt right now."""

from django.db.models import BooleanField, Case, Q, Value, When

from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import principal_of_agent
from review.models import GovernanceItem
from review.querysets import recallable

# Nobody reads more names in a line; the statement stays short.
AGENTS_MOST = 24


def agents_reading(owner: Principal, item: GovernanceItem) -> list[str]:
    """Their names, each asked as itself, in the item's own conversation where it has one; in one statement."""
    agents = list(Agent.objects.filter(user_id=owner.user_id).select_related("user").order_by("name")[:AGENTS_MOST])
    if not agents:
        return []
    doors = {f"agent_{agent.pk}": _door(recallable(_in_place(owner, agent, item))) for agent in agents}
    seen = GovernanceItem.objects.filter(pk=item.pk).annotate(**doors).values(*doors).first() or {}
    return [agent.name for agent in agents if seen.get(f"agent_{agent.pk}")]


def _in_place(owner: Principal, agent: Agent, item: GovernanceItem) -> Principal:
    place = item.scope_conversation
    return principal_of_agent(agent, owner.zone).within(place.pk if place else None, place.ref if place else None)


def _door(condition: Q) -> Case:
    return Case(When(condition, then=Value(value=True)), default=Value(value=False), output_field=BooleanField())
