import pytest
from django.test import Client


@pytest.fixture
def web(settings: object) -> Client:
    """A client of the product with the routes of ``tests.web.routes`` on top."""
    settings.ROOT_URLCONF = "tests.web.routes"  # type: ignore[attr-defined]
    return Client(raise_request_exception=False, headers={"host": "127.0.0.1"})
