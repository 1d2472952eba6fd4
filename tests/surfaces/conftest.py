"""Two owners and ways to ask as either of them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from pawflow_web.llm.binding import bind
from tests.factories import make_owner, make_person_token, make_token
from tests.live import live, live_server_process
from tests.llm.fixtures import server

__all__ = ["live", "live_server_process", "server"]


@dataclass(frozen=True)
class Asked:
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        body = self.json
        assert list(body) == ["error"]
        assert sorted(body["error"]) == ["code", "fields", "message"]
        error: dict[str, Any] = body["error"]
        return error


class Rest:
    """The REST surface in this process, through every middleware, asked with one token."""

    def __init__(self, token: str | None) -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Asked:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        reply = self._client.generic(
            method,
            path if path.startswith("/api") else f"/api/v1{path}",
            raw,
            content_type="application/json",
            headers={**self._headers, **headers},
        )
        return Asked(reply.status_code, b"".join(reply), {name.lower(): value for name, value in reply.items()})

    def get(self, path: str, **headers: str) -> Asked:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Asked:
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Asked:
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Asked:
        return self.send("DELETE", path, **headers)


@pytest.fixture(autouse=True)
def somebody_who_embeds(request: pytest.FixtureRequest) -> None:
    """For a test that runs the one tool that cannot do without."""
    parameters = getattr(getattr(request.node, "callspec", None), "params", {})
    named = [getattr(value, "name", value) for value in parameters.values()]
    if "semantic_recall" in named and "db" in request.fixturenames:
        request.getfixturevalue("db")
        request.getfixturevalue("server")
        assert bind() is not None


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")


@pytest.fixture
def bob(db: None) -> User:
    return make_owner("bob")


@pytest.fixture
def agent(alice: User) -> Rest:
    """Alice's agent."""
    return Rest(make_token(alice))


@pytest.fixture
def person(alice: User) -> Rest:
    """Alice herself, by a token of hers."""
    return Rest(make_person_token(alice))


@pytest.fixture
def asking() -> Callable[[str | None], Rest]:
    """Ask with any token, or with none."""
    return Rest
