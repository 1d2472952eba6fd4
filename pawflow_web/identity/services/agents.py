"""Agents: the programs that speak for an owner."""

from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.names import check_name


def ensure_agent(*, user: User, name: str) -> Agent:
    """The owner's agent of that name, made when it is new. Raises :class:`Invalid` for what is no name."""
    return Agent.objects.get_or_create(user=user, name=check_name(name, field="agent"))[0]
