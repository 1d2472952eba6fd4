"""The product over real HTTP, on the database of the tests.

``live`` is for tests that mark ``django_db(transaction=True)``: the server has connections of its own and sees
only what is committed.
"""

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings
from django.db import connection

from tests.browser.server import serve


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error object, after checking that the body is exactly it."""
        assert self.headers["content-type"].startswith("application/json"), self.body
        body = self.json
        assert list(body) == ["error"]
        assert sorted(body["error"]) == ["code", "fields", "message"]
        error: dict[str, Any] = body["error"]
        return error


@dataclass(frozen=True)
class Live:
    """A running server; ``send`` is one request on a connection of its own."""

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def bearing(self, token: str, **more: str) -> "Live":
        """The same server, asked with that token."""
        return Live(self.base, {**self.headers, "Authorization": f"Bearer {token}", **more})

    def send(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        address = urlsplit(self.base)
        client = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        try:
            raw = body.encode() if isinstance(body, str) else body
            client.request(method, path, raw, {**self.headers, **(headers or {})})
            reply = client.getresponse()
            return Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            client.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        """``body``: a JSON value, or bytes as they are."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.send("POST", path, raw, {"Content-Type": "application/json", **headers})


def database_url() -> str:
    """The database of the tests as a server process takes it."""
    row = connection.settings_dict
    user, password, host = (quote(str(row[name]), safe="") for name in ("USER", "PASSWORD", "HOST"))
    port = f":{row['PORT']}" if row["PORT"] else ""
    return f"postgresql://{user}:{password}@{host}{port}/{row['NAME']}"


@pytest.fixture(scope="session")
def live_server_process(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    with django_db_blocker.unblock():
        url = database_url()
    environment = {"DATABASE_URL": url, "PAWFLOW_DATA_DIR": str(settings.ENV.data_dir), "PAWFLOW_DEBUG": "on"}
    with serve(environment, tmp_path_factory.mktemp("live") / "server.log") as base:
        yield base


@pytest.fixture
def live(live_server_process: str, transactional_db: None) -> Live:
    return Live(live_server_process)
