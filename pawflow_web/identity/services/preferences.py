"""How a person wants the dashboard, and what it remembers of their visits."""

from datetime import datetime, timedelta
from functools import cache
from zoneinfo import available_timezones

from django.utils import timezone

from pawflow_web.identity.auth import preferences_of
from pawflow_web.identity.models import User, UserSettings
from pawflow_web.identity.models.settings import Density, Theme
from pawflow_web.lib.db import StatementNow, execute
from pawflow_web.lib.errors import Invalid

# Of the database of zones: places, and the one clock that is nobody's. The rest are other names for the same.
_NO_PLACES = ("Etc/", "SystemV/", "US/", "Mexico/", "Chile/", "Brazil/", "Canada/", "posix/", "right/")

# A reload is no new look.
_SAME_LOOK = timedelta(minutes=1)
# Looking again and again is one visit, until nobody has looked for half an hour.
_LOOK = """
UPDATE identity_usersettings
SET looked_until = CASE
        WHEN last_looked_at < statement_timestamp() - interval '30 minutes' THEN last_looked_at ELSE looked_until
    END,
    last_looked_at = statement_timestamp()
WHERE user_id = %s
RETURNING looked_until
"""


@cache
def time_zones() -> tuple[str, ...]:
    """The names of zones that a person can choose, ``UTC`` first."""
    places = sorted(name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES))
    return ("UTC", *places)


def update_preferences(
    *,
    user: User,
    theme: str | None = None,
    density: str | None = None,
    single_keys: bool | None = None,
    time_zone: str | None = None,
) -> None:
    """Change how the dashboard looks and which zone dates are read in; None leaves it as it is.

    Raises :class:`Invalid` naming each value that there is not.
    """
    known = {"theme": Theme.values, "density": Density.values, "time_zone": time_zones()}
    wanted = {"theme": theme, "density": density, "time_zone": time_zone}
    given = {field: value for field, value in wanted.items() if value is not None}
    wrong = {field: "must be one of those offered" for field, value in given.items() if value not in known[field]}
    if wrong:
        raise Invalid("These settings cannot be saved.", fields=wrong)
    keys = {} if single_keys is None else {"single_keys": single_keys}
    UserSettings.objects.filter(user=user).update(**given, **keys)


def note_look(user: User) -> datetime | None:
    """The person looks at the Overview. Returns the end of their visit before this one; None: there was none."""
    kept = preferences_of(user)
    last = kept.last_looked_at if kept else None
    if kept is not None and last is not None and timezone.now() - last < _SAME_LOOK:
        return kept.looked_until
    rows = execute(_LOOK, [user.pk])
    until: datetime | None = rows[0][0] if rows else None
    return until


def close_setup(user: User) -> None:
    """Setting up is finished, or to be shown no more."""
    UserSettings.objects.filter(user=user, setup_closed_at=None).update(setup_closed_at=StatementNow())
