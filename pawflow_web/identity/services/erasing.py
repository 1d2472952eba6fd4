"""Erasing an agent, or an owner with everything that is theirs.

It begins in one transaction, from which on nobody speaks for them any more, and goes on in slices: at once for as long
as a request may take, then by the worker, which also goes on with what was interrupted.
"""

import time

import structlog
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.erasers import Leaving, erasers, owner_erasers
from pawflow_web.identity.models import (
    Agent,
    AgentBeliefs,
    ApiToken,
    Erasure,
    IdempotentReply,
    SignInLink,
    User,
    UserClock,
)
from pawflow_web.identity.owned import owned_tables
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services.agents import find_agent
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Conflict, Invalid

log = structlog.get_logger(__name__)

# So long a request goes on with it by itself.
PATIENCE_S = 2.0
# Whoever waits for all of it goes round so often, where something comes in between.
_ROUNDS = 10
# What the journal's guard asks of whoever deletes from it.
_ALLOW = "SELECT set_config('pawflow.erase', 'user:' || %s, true)"


def erase_agent(*, principal: Principal, name: str, beliefs: str, patience_s: float | None = PATIENCE_S) -> bool:
    """Erase one of a person's agents: its tokens, diary, tasks and notes, and what only it could read.

    Args:
        beliefs: ``review`` sends those that only it could read before the person, for every agent to read if they
            say so; ``purge`` erases them.
        patience_s: seconds after which the rest is left to the worker; None: wait for all of it.

    Returns: whether nothing is left of it.

    Raises:
        NotAllowed: only a person may.
        NotFound: the person has no agent of that name.
        Invalid: no such choice for its beliefs.
        Conflict: it is being erased already, with another choice.
    """
    principal.require_person()
    agent = find_agent(principal, name)
    if beliefs not in AgentBeliefs.values:
        words = " or ".join(AgentBeliefs.values)
        raise Invalid(f"Its beliefs cannot go there. Say {words}.", fields={"beliefs": f"must be {words}"})
    with transaction.atomic():
        erasure, _ = Erasure.objects.get_or_create(user_id=agent.user_id, agent=agent, defaults={"beliefs": beliefs})
        if erasure.beliefs != beliefs:
            raise Conflict(
                f"{name} is being erased already, and its beliefs go to {erasure.beliefs}.",
                fields={"beliefs": f"is {erasure.beliefs}"},
            )
        ApiToken.objects.filter(agent=agent, revoked_at=None).update(revoked_at=Now())
    log.warning("agent_erased", owner=principal.user_name, agent=name, beliefs=beliefs)
    return _go_on_for(erasure, patience_s)


def erase_owner(*, user: User, confirm: str, patience_s: float | None = PATIENCE_S) -> bool:
    """Erase an owner and everything of theirs, the journal too. Nothing takes it back.

    Args:
        confirm: the owner's name once more.
        patience_s: as for :func:`erase_agent`.

    Returns: whether nothing is left of them.

    Raises :class:`Invalid`: ``confirm`` is another name.
    """
    if confirm != user.username:
        raise Invalid(
            f"To erase everything of {user.username}, confirm with that name.",
            fields={"confirm": f"must be {user.username}"},
        )
    with transaction.atomic():
        # Whoever writes for them is waited for; whoever comes later is refused.
        UserClock.objects.filter(user=user).update(closed=True)
        User.objects.filter(pk=user.pk).update(is_active=False)
        ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=Now())
        SignInLink.objects.filter(user=user).delete()
        Erasure.objects.filter(user=user, agent__isnull=False).delete()
        erasure, _ = Erasure.objects.get_or_create(user=user, agent=None)
    log.warning("owner_erased", owner=user.pk)
    return _go_on_for(erasure, patience_s)


def go_on(erasure: Erasure, until: float) -> bool:
    """A part of it; every slice is a transaction of its own. Returns whether there is more.

    Args:
        until: a moment of ``time.monotonic()``.
    """
    if erasure.agent is not None:
        return _rest_of_agent(erasure, until)
    try:
        return _rest_of_owner(erasure.user, until)
    except IntegrityError as error:
        log.warning("owner_erasure_goes_round_again", owner=erasure.user_id, error=type(error).__name__)
        # What needs no clock, the record of a use or of a job, came between two slices: once more from the beginning.
        return True


def _go_on_for(erasure: Erasure, patience_s: float | None) -> bool:
    """Returns whether nothing is left of it."""
    if patience_s is not None:
        return not go_on(erasure, time.monotonic() + patience_s)
    return any(not go_on(erasure, float("inf")) for _ in range(_ROUNDS))


# --- an agent -----------------------------------------------------------------------------------------------------


def _rest_of_agent(erasure: Erasure, until: float) -> bool:
    agent = erasure.agent
    assert agent is not None  # noqa: S101 - asked by go_on
    leaving = Leaving(principal_of_user(erasure.user), agent, erasure.beliefs == AgentBeliefs.PURGE)
    for erase in erasers.all():
        while erase(leaving):
            if time.monotonic() > until:
                return True
    with user_clock(erasure.user_id):
        # A call that was let in before its token ended may have written since; from here on none can.
        for erase in erasers.all():
            while erase(leaving):
                pass
        tokens = ApiToken.objects.filter(agent=agent)
        IdempotentReply.objects.filter(user_id=erasure.user_id, caller__in=tokens.values("ref")).delete()
        tokens.delete()
        Agent.objects.filter(pk=agent.pk).delete()
    return False


# --- an owner -----------------------------------------------------------------------------------------------------


def _rest_of_owner(user: User, until: float) -> bool:
    for erase in owner_erasers.all():
        erase(user.pk)
    for table in owned_tables():
        more = True
        while more:
            if time.monotonic() > until:
                return True
            with transaction.atomic():
                execute(_ALLOW, [str(user.pk)])
                more = table.erase_some(user.pk)
    _sign_out(user)
    with transaction.atomic():
        execute(_ALLOW, [str(user.pk)])
        for table in owned_tables():
            while table.erase_some(user.pk):
                pass
        User.objects.filter(pk=user.pk).delete()
    return False


def _sign_out(user: User) -> None:
    """Their sessions open nothing any more; the rows name them."""
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
