import pytest

from pawflow_web.identity.models import User
from tests.factories import make_owner
from tests.review.beliefs import Parties


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")


@pytest.fixture
def bob(db: None) -> User:
    return make_owner("bob")


@pytest.fixture
def parties(alice: User) -> Parties:
    """Everybody who speaks for alice."""
    return Parties.of(alice)


@pytest.fixture
def strangers(bob: User) -> Parties:
    """Everybody who speaks for bob."""
    return Parties.of(bob)
