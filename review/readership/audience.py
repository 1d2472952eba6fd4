"""Which of an owner's agents may have a belief in a prompt right now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from django.db.models import BooleanField, Case, Q, Value, When

from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import principal_of_agent
from review.models import GovernanceItem
from review.querysets import recallable

# Nobody reads more names in a line; the statement stays short.
AGENTS_MOST = 24


@dataclass(frozen=True, slots=True)
class Audience:
    """An owner's agents by name, each as it reads in the conversation that one belief belongs to."""

    agents: Mapping[str, Principal]

    @classmethod
    def of(cls, owner: Principal, item: GovernanceItem) -> Self:
        """At most :data:`AGENTS_MOST`, the one that alone may read the item always among them."""
        agents = Agent.objects.filter(user_id=owner.user_id).select_related("user")
        named_first = Case(When(pk=item.scope_agent_id, then=Value(0)), default=Value(1))
        asked = sorted(agents.order_by(named_first, "name")[:AGENTS_MOST], key=lambda agent: agent.name)
        here = item.scope_conversation_id
        return cls({agent.name: principal_of_agent(agent, owner.zone).within(here, None) for agent in asked})

    def columns(self) -> dict[str, Case]:
        """For a statement over beliefs: whether each of the agents may recall the row."""
        return {f"read_by_{index}": _door(recallable(reads)) for index, reads in enumerate(self.agents.values())}

    def reading(self, row: GovernanceItem) -> tuple[str, ...]:
        """The names of those that read the row, which comes with :meth:`columns`."""
        return tuple(name for index, name in enumerate(self.agents) if getattr(row, f"read_by_{index}"))


def agents_reading(owner: Principal, item: GovernanceItem) -> tuple[str, ...]:
    """Their names; all of them are asked in one statement. ``item`` may be gone already."""
    audience = Audience.of(owner, item)
    if not audience.agents:
        return ()
    row = GovernanceItem.objects.filter(pk=item.pk).only("pk").annotate(**audience.columns()).first()
    return audience.reading(row) if row is not None else ()


def _door(condition: Q) -> Case:
    return Case(When(condition, then=Value(value=True)), default=Value(value=False), output_field=BooleanField())
