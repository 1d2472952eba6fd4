"""Whoever refuses under ``/api/``, the body has the same three keys; elsewhere it is a page."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from structlog.testing import capture_logs

MiB = 1024 * 1024


def error_of(response: HttpResponse) -> dict[str, Any]:
    assert response["Content-Type"] == "application/json"
    body = response.json()  # type: ignore[attr-defined]
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message", "fields"}
    return dict(body["error"])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/nowhere", 404, "not_found"),
        ("/api/%ff", 404, "not_found"),
        ("/api/forbidden", 403, "not_allowed"),
        ("/api/refused", 401, "unauthenticated"),
        ("/api/other_json", 422, "invalid"),
        ("/api/conflict", 409, "stale_revision"),
        ("/api/crash", 500, "internal"),
        ("/api/database_away", 503, "unavailable"),
    ],
)
def test_every_refusal_has_the_error_body(web: Client, path: str, status: int, code: str) -> None:
    response = web.get(path)
    assert response.status_code == status
    assert error_of(response)["code"] == code


def test_an_answer_is_left_alone(web: Client) -> None:
    assert web.get("/api/fine").json() == {"fine": True}


def test_our_own_error_keeps_its_words(web: Client) -> None:
    response = web.get("/api/ours")
    assert response.status_code == 422
    assert error_of(response)["fields"] == {"limit": "must be at most 100"}


def test_an_unknown_host_is_refused_with_the_error_body(web: Client) -> None:
    assert web.get("/api/fine").status_code == 200
    response = web.get("/api/fine", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert error_of(response)["code"] == "bad_request"


def test_a_wrong_method_says_which_are_right(web: Client) -> None:
    response = web.post("/api/only_get")
    assert response.status_code == 405
    assert response["Allow"] == "GET"
    assert error_of(response)["code"] == "method_not_allowed"


def test_a_refusal_keeps_its_challenge(web: Client) -> None:
    assert web.get("/api/refused")["WWW-Authenticate"] == 'Bearer realm="x"'


def test_a_body_over_the_bound_is_too_large(web: Client) -> None:
    assert web.post("/api/read_body", b"x" * MiB, content_type="text/plain").content == str(MiB).encode()
    response = web.post("/api/read_body", b"x" * (2 * MiB + 1), content_type="text/plain")
    assert response.status_code == 413
    assert error_of(response)["code"] == "too_large"


def test_a_missing_csrf_token_is_named(web: Client) -> None:
    checked = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1"})
    assert web.post("/api/needs_token").status_code == 200
    response = checked.post("/api/needs_token")
    assert response.status_code == 403
    assert error_of(response)["code"] == "csrf"


def test_a_database_that_is_away_asks_for_another_try(web: Client) -> None:
    assert web.get("/api/database_away")["Retry-After"] == "5"
    assert web.get("/page/database_away")["Retry-After"] == "5"


def test_a_crash_tells_its_reference_and_nothing_else(web: Client) -> None:
    with capture_logs() as lines:
        message = error_of(web.get("/api/crash"))["message"]
    assert [line["event"] for line in lines] == ["unexpected_error"]
    assert lines[0]["reference"] in message
    assert isinstance(lines[0]["exc_info"], ZeroDivisionError)
    assert "hunter2" not in message


def test_replaced_errors_keep_the_security_headers(web: Client) -> None:
    response = web.get("/api/other_json")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert int(response["Content-Length"]) == len(response.content)
