"""A person's visits to the Overview, and the zones they can choose."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from pawflow_web.identity.models import User, UserSettings
from pawflow_web.identity.services import close_setup, note_look, time_zones
from tests.factories import make_owner


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


def look(user: User, *, last: timedelta | None = None) -> datetime | None:
    """What a look says when the one before was so long ago; as a new request does, with nothing read yet."""
    if last is not None:
        UserSettings.objects.filter(user=user).update(last_looked_at=timezone.now() - last)
    return note_look(User.objects.get(pk=user.pk))


def test_the_first_visit_has_none_before_it(lotta: User) -> None:
    assert look(lotta) is None
    assert look(lotta) is None
    assert UserSettings.objects.get(user=lotta).last_looked_at is not None


def test_half_an_hour_without_a_look_ends_a_visit(lotta: User) -> None:
    look(lotta)
    assert look(lotta, last=timedelta(minutes=29)) is None
    left = timezone.now() - timedelta(minutes=31)
    until = look(lotta, last=timedelta(minutes=31))
    assert until is not None
    assert abs(until - left) < timedelta(seconds=5)
    assert look(lotta, last=timedelta(minutes=29)) == until


def test_within_a_minute_nothing_is_written(lotta: User) -> None:
    look(lotta)
    before = UserSettings.objects.get(user=lotta).last_looked_at
    look(lotta)
    assert UserSettings.objects.get(user=lotta).last_looked_at == before
    look(lotta, last=timedelta(minutes=2))
    assert UserSettings.objects.get(user=lotta).last_looked_at > before  # type: ignore[operator]  # it was looked


def test_setting_up_is_closed_once(lotta: User) -> None:
    close_setup(lotta)
    first = UserSettings.objects.get(user=lotta).setup_closed_at
    close_setup(lotta)
    assert first is not None
    assert UserSettings.objects.get(user=lotta).setup_closed_at == first


def test_every_zone_that_is_offered_exists_and_is_a_place_or_utc() -> None:
    names = time_zones()
    assert names[0] == "UTC"
    assert {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"} <= set(names)
    assert not [name for name in names if name.startswith(("Etc/", "US/", "posix/"))]
    assert all(ZoneInfo(name) for name in names)
