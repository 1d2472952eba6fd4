"""How many beliefs are in use: counted anew whenever the owner's clock moved, and only then."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.models import User
from review.lifecycle import reject
from review.models import GovernanceItem
from review.search import in_use
from review.search.in_use import count_in_use
from tests.factories import make_owner, make_person, make_token
from tests.web.beliefs import remember

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    in_use._known.clear()
    yield
    in_use._known.clear()


@pytest.fixture
def lotta() -> User:
    return make_owner("lotta")


def stored(user: User) -> int:
    return GovernanceItem.objects.filter(user=user, status="active").count()


def test_every_change_of_a_status_is_seen(lotta: User) -> None:
    assert count_in_use(make_person(lotta)) == 0
    first = remember(lotta, "The deploy window is Tuesday.")
    assert count_in_use(make_person(lotta)) == stored(lotta) == 1
    remember(lotta, "Backups run at four in the morning.")
    assert count_in_use(make_person(lotta)) == stored(lotta) == 2
    reject(principal=make_person(lotta), reference=first.ref)
    assert count_in_use(make_person(lotta)) == stored(lotta) == 1


def test_what_did_not_change_is_not_counted_again(lotta: User) -> None:
    remember(lotta, "The deploy window is Tuesday.")
    with CaptureQueriesContext(connection) as asked:
        assert count_in_use(make_person(lotta)) == 1
        # Nobody's clock moves for this; a count would see it.
        GovernanceItem.objects.filter(user=lotta).update(status="stale")
        assert count_in_use(make_person(lotta)) == 1
    assert len([query for query in asked if "identity_userclock" in query["sql"]]) == 2


def test_owners_are_counted_apart_and_nobody_is_kept_for_ever(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_use, "_OWNERS_MOST", 1)
    tom = make_owner("tom")
    remember(lotta, "The deploy window is Tuesday.")
    for user, number in ((lotta, 1), (tom, 0), (lotta, 1)):
        assert count_in_use(make_person(user)) == number
        assert len(in_use._known) == 1


def test_an_agent_is_told_no_number(lotta: User) -> None:
    remember(lotta, "The deploy window is Tuesday.")
    with pytest.raises(ValueError, match="a part"):
        count_in_use(principal_of_token(f"Bearer {make_token(lotta)}"))
