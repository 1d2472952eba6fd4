import pytest

from pawflow_web.identity.models import User
from tests.factories import make_owner


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")
