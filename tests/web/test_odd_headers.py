"""Headers that no browser of ours sends, and what a log may not keep of a request."""

import io
import logging
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from structlog.testing import capture_logs

from pawflow_web.identity import views
from pawflow_web.identity.models import User
from pawflow_web.web.daphne_requests import BoundedRequest
from pawflow_web.web.errors import failure_of
from tests.web.beliefs import propose, remember
from tests.web.people import browser_of, htmx, status

SECRET = "s3cret-Way_In"
PLACES = {
    "no address": "http://[",
    "half an address": "http://127.0.0.1]/review",
    "a NUL in its query": "http://127.0.0.1/review?q=%00&status=%00",
    "a list of a NUL": "http://127.0.0.1/memories?q=a%00&cursor=%00",
    "more than a form may have": "http://127.0.0.1/review?" + "a&" * 1500,
    "nothing to read in it": "http://127.0.0.1/review?cursor=%ff&status=nope&as_of=x&page=-1",
    "a word": "x",
    "ours": "http://127.0.0.1/review",
}


@pytest.mark.parametrize("place", PLACES)
def test_where_somebody_claims_to_be_breaks_no_deed(lotta: User, browser: Client, place: str) -> None:
    said = PLACES[place]
    waits, used = propose(lotta, "The canary is green."), remember(lotta, "Staging is in Dublin.")
    asked = {**htmx("dialog"), "HX-Current-URL": said, "Referer": said}
    paths = [f"/items/{used.ref}/pin", f"/items/{waits.ref}/accept", f"/items/{waits.ref}/undo"]
    for path in paths:
        assert browser.post(path, headers=asked).status_code < 300, path
    assert status(waits) == "needs_review"
    bulk = {"ref": f"{waits.ref}:{waits.revision}", "verb": "reject", "back": said}
    for headers in (asked, {"Referer": said}):
        for path in ("/review/bulk", "/memories/bulk", "/settings/look", "/imports/check", "/diary", "/todo"):
            assert browser.post(path, bulk, headers=headers).status_code < 500, path
        assert browser.get("/memories", headers=headers).status_code == 200
        answer = browser_of().post(f"/items/{used.ref}/pin", headers=headers)
        assert answer.status_code in {302, 401}


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["abcdefghijklmnop\0qrst", "abcdefghijklmnop\x80qrst", "a" * 5000, "../../etc/passwd"])
def test_what_is_no_session_key_is_no_session(lotta: User, key: str) -> None:
    stranger, known = browser_of(), browser_of(lotta)
    stranger.cookies["sessionid"] = key
    assert stranger.get("/menu").status_code == 302
    assert stranger.post("/login", {"username": "lotta", "password": "x"}).status_code < 500
    assert known.get("/menu").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("error", [RuntimeError("no"), OperationalError("gone"), InterfaceError("gone")])
def test_a_way_in_is_not_logged_when_it_fails(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(views, "use_sign_in_link", fail)
    with capture_logs() as lines:
        answer = browser_of().get(f"/login/once/{SECRET}")
    assert answer.status_code in {500, 503}
    assert [line["path"] for line in lines] == ["/login/once/"]
    assert SECRET not in str(lines)
    with capture_logs() as lines:
        failure_of(error, path="/items/0123456789ab")
    assert lines[0]["path"] == "/items/0123456789ab"


def test_what_the_server_logs_of_a_request_has_no_path() -> None:
    asked = BoundedRequest.__new__(BoundedRequest)
    asked.method, asked.uri, asked.clientproto = b"GET", f"/login/once/{SECRET}".encode(), b"HTTP/1.1"
    assert "BoundedRequest" in repr(asked)
    assert SECRET not in repr(asked)


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the product writes to its log, as it writes it."""
    handler: Any = next(handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler)
    stream = io.StringIO()
    monkeypatch.setattr(handler, "stream", stream)
    return stream


def test_a_suspicious_request_is_one_line_that_quotes_nothing(browser: Client, logged: io.StringIO) -> None:
    assert browser.get("/admin/review/journalentry/?seq__gte=1").status_code == 400
    many = {f"field{number}": "x" for number in range(1100)}
    assert browser.post("/login", many).status_code == 400
    logging.getLogger("pawflow_web").error("something", exc_info=RuntimeError("broke"))
    lines = logged.getvalue().splitlines()
    refused = [line for line in lines if "request_refused" in line]
    assert len(refused) == 2
    for line, kind in zip(refused, ("DisallowedModelAdminLookup", "TooManyFieldsSent"), strict=True):
        assert kind in line
        assert "warning" in line
        assert "error" not in line
        assert "seq__gte" not in line
    assert lines[:2] == refused
    assert "RuntimeError: broke" in logged.getvalue()
