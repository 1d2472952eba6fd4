"""Agents: the programs that speak for an owner, and how much of the memory each works with."""

from typing import Any
from zoneinfo import ZoneInfo

import structlog
from django.db import transaction

from pawflow_web.identity.models import Agent, ApiToken, Erasure, MemoryRender, Profile, User
from pawflow_web.identity.names import check_name, is_name
from pawflow_web.identity.principal import Principal, PrincipalKind
from pawflow_web.lib.errors import Conflict, Invalid, NotFound

log = structlog.get_logger(__name__)


def ensure_agent(*, user: User, name: str) -> Agent:
    """The owner's agent of that name, made when it is new.

    Raises:
        Invalid: that is no name.
        Conflict: the agent of that name is being erased.
    """
    agent = Agent.objects.get_or_create(user=user, name=check_name(name, field="agent"))[0]
    if Erasure.objects.filter(agent=agent).exists():
        raise Conflict(
            f"{name} is being erased. Its name is free again when nothing is left of it.", fields={"agent": name}
        )
    return agent


def find_agent(principal: Principal, name: str) -> Agent:
    """A person's agent of that name, with its owner.

    Raises :class:`NotFound` in the same words for an agent that does not exist and for one that is not theirs, which
    to an agent every other one is.
    """
    agent = None
    if principal.is_person and is_name(name):
        agent = Agent.objects.select_related("user").filter(user_id=principal.user_id, name=name).first()
    if agent is None:
        raise NotFound(f"There is no agent {ascii(name)[:100]}.")
    return agent


@transaction.atomic
def update_agent(
    *,
    user: User,
    name: str,
    profile: str | None = None,
    memory_render: str | None = None,
    reads_sensitive: bool | None = None,
) -> Agent:
    """Change how much of the memory the owner's agent works with; None leaves a setting as it is.

    Each change is a line of the log that names the owner, the agent and both values: what an agent may read is
    no belief, so the journal does not hold it.

    Raises:
        NotFound: the owner has no agent of that name.
        Invalid: no such profile or render.
    """
    wanted = _checked(profile=profile, memory_render=memory_render, reads_sensitive=reads_sensitive)
    agent = Agent.objects.select_for_update().filter(user=user, name=name).first() if is_name(name) else None
    if agent is None:
        raise NotFound
    changes = {field: value for field, value in wanted.items() if getattr(agent, field) != value}
    if not changes:
        return agent
    before = {field: getattr(agent, field) for field in changes}
    for field, value in changes.items():
        setattr(agent, field, value)
    agent.save(update_fields=list(changes))
    transaction.on_commit(lambda: _log_change(user, agent, before, changes))
    return agent


def principal_of_agent(agent: Agent, zone: ZoneInfo) -> Principal:
    """The agent as one that reads, with nothing said about where it speaks from: for showing its owner what it
    would get. It can do nothing else. Reads ``agent.user``.
    """
    return Principal(
        user_id=agent.user_id,
        user_name=agent.user.username,
        kind=PrincipalKind.AGENT,
        origin="automation",
        origin_known=False,
        agent_id=agent.pk,
        agent_name=agent.name,
        profile=agent.profile,
        reads_sensitive=agent.reads_sensitive,
        abilities=frozenset({"read"}),
        zone=zone,
    )


def abilities_of(principal: Principal) -> frozenset[str]:
    """What this party may do by any of its tokens, so that what it is told of does not depend on the one it calls with;
    of an agent without one, what a token gets when nothing else is said."""
    if principal.agent_id is None:
        return principal.abilities
    given = ApiToken.objects.open().filter(agent_id=principal.agent_id).values_list("abilities", flat=True)
    return frozenset(ability for abilities in given for ability in abilities) or frozenset({"read", "write"})


def _checked(*, profile: str | None, memory_render: str | None, reads_sensitive: bool | None) -> dict[str, Any]:
    wrong = {
        field: f"must be one of {', '.join(choices.values)}"
        for field, value, choices in (("profile", profile, Profile), ("memory_render", memory_render, MemoryRender))
        if value is not None and value not in choices.values
    }
    if wrong:
        raise Invalid(
            "This agent cannot be changed so: " + "; ".join(f"{k} {v}" for k, v in wrong.items()) + ".", fields=wrong
        )
    wanted = {"profile": profile, "memory_render": memory_render, "reads_sensitive": reads_sensitive}
    return {field: value for field, value in wanted.items() if value is not None}


def _log_change(user: User, agent: Agent, before: dict[str, Any], after: dict[str, Any]) -> None:
    # A warning, so that it stands in the log of a production server too: it changes what a program may read.
    log.warning("agent_changed", owner=user.username, agent=agent.name, before=before, after=after)
