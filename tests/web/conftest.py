import pytest
from django.test import Client

from pawflow_web.identity.models import User
from tests.factories import make_owner
from tests.web.people import browser_of


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def browser(lotta: User) -> Client:
    """Lotta's, signed in."""
    return browser_of(lotta)


@pytest.fixture
def web(settings: object) -> Client:
    """A client of the product with the routes of ``tests.web.routes`` on top."""
    settings.ROOT_URLCONF = "tests.web.routes"  # type: ignore[attr-defined]
    return Client(raise_request_exception=False, headers={"host": "127.0.0.1"})
