"""From credentials to a :class:`Principal`. Used by every surface, so that no rule lives in one of them alone."""

import time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings

from pawflow_web.identity.models import Profile, User, UserSettings
from pawflow_web.identity.principal import ALL_ABILITIES, UTC, Principal, PrincipalKind
from pawflow_web.lib.crypto import token_digest
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Invalid, RateLimited, Unauthenticated

# One statement: the ORM's way to the same row costs more than the rest of an empty call.
_FIND = """
SELECT t.id, t.ref, t.origin, t.abilities, t.agent_id, a.name, a.profile, a.reads_sensitive, u.id, u.username,
       s.time_zone, t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute'
FROM identity_apitoken t
JOIN identity_user u ON u.id = t.user_id AND u.is_active
JOIN identity_usersettings s ON s.user_id = u.id
LEFT JOIN identity_agent a ON a.id = t.agent_id
WHERE t.digest = %s AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
"""
_TOUCH = """
UPDATE identity_apitoken SET last_used_at = now()
WHERE id = %s AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
"""


def principal_of_token(authorization: str | None) -> Principal:
    """The party behind an ``Authorization`` header.

    Raises:
        Unauthenticated: no, an unknown, an expired or a revoked token, with one text for all.
        RateLimited: the token made more calls in a minute than ``PAWFLOW_RATE_LIMIT``.
    """
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated
    rows = execute(_FIND, [token_digest(token.strip())])
    if not rows:
        raise Unauthenticated
    pk, ref, origin, abilities, agent_id, agent_name, profile, sensitive, user_id, user_name, zone, touch = rows[0]
    _limiter.check(ref)
    if touch:
        execute(_TOUCH, [pk])
    principal = Principal(
        user_id=user_id,
        user_name=user_name,
        kind=PrincipalKind.PERSON if agent_id is None else PrincipalKind.AGENT,
        origin=origin or "automation",
        origin_known=origin is not None,
        agent_id=agent_id,
        agent_name=agent_name,
        profile=profile or Profile.ASSISTANT,
        reads_sensitive=bool(sensitive),
        token_ref=ref,
        abilities=frozenset(abilities),
        zone=_zone(zone),
    )
    # Everything that a demo agent writes waits for a person, like the words of an automation.
    return principal.narrowed() if profile == Profile.DEMO else principal


def principal_of_user(user: User) -> Principal:
    """A person in the browser: all abilities, their own words."""
    preferences = preferences_of(user)
    return Principal(
        user_id=user.pk,
        user_name=user.username,
        kind=PrincipalKind.PERSON,
        origin="user_channel",
        abilities=ALL_ABILITIES,
        zone=_zone(preferences.time_zone if preferences else "UTC"),
    )


def preferences_of(user: User) -> UserSettings | None:
    """How the person wants the dashboard; read once for each ``user`` object."""
    try:
        return user.preferences
    except UserSettings.DoesNotExist:
        return None


def narrow_origin(principal: Principal, header: str | None) -> Principal:
    """Apply ``X-PawFlow-Origin``: a call may count its words as automation, never as more than the token says.

    Raises :class:`Invalid` for any other value.
    """
    if header is None:
        return principal
    if header != "automation":
        raise Invalid(
            "X-PawFlow-Origin may only narrow a call.",
            fields={"X-PawFlow-Origin": "must be automation or absent"},
        )
    return principal.narrowed()


class RateLimiter:
    """Calls per token in the current minute, counted in this process.

    Two web processes allow twice the number; the limit is there to stop a loop that ran wild, not to meter.
    """

    def __init__(self) -> None:
        self._minute = 0
        self._calls: dict[str, int] = {}

    def check(self, token_ref: str) -> None:
        """Count one call. Raises :class:`RateLimited` past ``PAWFLOW_RATE_LIMIT`` in one minute."""
        limit = settings.ENV.rate_limit
        if limit == 0:
            return
        clock = time.time()
        minute = int(clock // 60)
        if minute != self._minute:
            self._minute, self._calls = minute, {}
        count = self._calls.get(token_ref, 0) + 1
        self._calls[token_ref] = count
        if count > limit:
            raise RateLimited(f"More than {limit} calls in a minute with this token.", retry_after=60 - int(clock % 60))


_limiter = RateLimiter()


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
