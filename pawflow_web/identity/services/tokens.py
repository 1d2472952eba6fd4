"""Bearer tokens of agents and people."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from pawflow_web.identity.clock import now
from pawflow_web.identity.models import ApiToken, User
from pawflow_web.identity.models.token import Ability, TokenOrigin
from pawflow_web.identity.names import NAME_RULE, is_name
from pawflow_web.identity.services.agents import ensure_agent
from pawflow_web.identity.services.owners import require_open
from pawflow_web.lib.crypto import new_token, token_digest
from pawflow_web.lib.errors import Invalid, NotFound

LONGEST_LIFE_DAYS = 3650


@transaction.atomic
def create_token(
    *,
    user: User,
    agent: str | None,
    origin: str | None,
    abilities: Sequence[str],
    expires_days: int | None = None,
) -> tuple[ApiToken, str]:
    """A token and, this once, its text. Creates the agent when it is new.

    Args:
        agent: its name; None for the person's own token, whose origin is always ``user_channel``.
        origin: ``user_channel``, ``automation`` or None (unknown, treated as automation).
        abilities: any of ``read write relay review``; ``review`` only without an agent.

    Raises:
        Invalid: naming each field that is wrong.
        Conflict: the account is shut, or the agent is being erased.
    """
    require_open(user)
    wrong = _faults(agent, origin, abilities, expires_days)
    if wrong:
        raise Invalid(
            "This token cannot be made: " + "; ".join(f"{k} {v}" for k, v in wrong.items()) + ".",
            fields=wrong,
        )
    row = None if agent is None else ensure_agent(user=user, name=agent)
    text = new_token()
    token = ApiToken.objects.create(
        user=user,
        agent=row,
        origin=TokenOrigin.USER_CHANNEL if agent is None else origin,
        digest=token_digest(text),
        abilities=[ability for ability in Ability.values if ability in abilities],
        expires_at=None if expires_days is None else now() + timedelta(days=expires_days),
    )
    token.refresh_from_db(fields=["created_at"])
    return token, text


def revoke_token(*, user: User, ref: str) -> ApiToken:
    """End a token at once; ending it again changes nothing. Raises :class:`NotFound` for anyone else's."""
    token = ApiToken.objects.of_owner(user.pk).filter(ref=ref).first()
    if token is None:
        raise NotFound
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=Now())
    return token


def _faults(
    agent: str | None, origin: str | None, abilities: Sequence[str], expires_days: int | None
) -> dict[str, str]:
    wrong: dict[str, str] = {}
    if agent is not None and not is_name(agent):
        wrong["agent"] = f"must be {NAME_RULE}"
    if origin is not None and origin not in TokenOrigin.values:
        wrong["origin"] = f"must be one of {', '.join(TokenOrigin.values)}"
    if agent is None and origin == TokenOrigin.AUTOMATION:
        wrong["origin"] = "must be user_channel for a token without an agent: it speaks for the person"
    unknown = [ability for ability in abilities if ability not in Ability.values]
    if unknown or not abilities:
        wrong["abilities"] = f"must be one or more of {', '.join(Ability.values)}"
    elif agent is not None and Ability.REVIEW in abilities:
        wrong["abilities"] = "review belongs to people: leave the agent out"
    if expires_days is not None and not 1 <= expires_days <= LONGEST_LIFE_DAYS:
        wrong["expires"] = f"must be 1 to {LONGEST_LIFE_DAYS} days"
    return wrong
