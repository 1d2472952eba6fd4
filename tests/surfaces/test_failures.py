"""What nobody foresaw, and a database that is away."""

import logging
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.test import Client, RequestFactory

from conversations.api import conversations as conversations_api
from conversations.models import Conversation
from pawflow_web.identity import auth
from pawflow_web.identity.models import User
from pawflow_web.lib.db import execute
from pawflow_web.web import health
from pawflow_web.web.errors import failure_of, refusal
from tests.factories import make_token
from tests.surfaces.conftest import Rest


def failing(error: Exception) -> Callable[..., None]:
    def fail(**_: object) -> None:
        raise error

    return fail


def test_a_crash_shows_a_reference_and_nothing_else(
    agent: Rest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert agent.post("/conversations").status == 201
    monkeypatch.setattr(conversations_api, "create_conversation", failing(RuntimeError("the secret detail")))

    with caplog.at_level(logging.ERROR):
        reply = agent.post("/conversations")

    assert (reply.status, reply.error["code"]) == (500, "internal")
    assert b"secret detail" not in reply.body
    reference = reply.error["message"].split("reference ")[1].rstrip(").")
    assert any(reference in str(record.msg) for record in caplog.records)


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("gone")])
def test_a_database_that_is_away_is_worth_another_try(
    agent: Rest, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(conversations_api, "create_conversation", failing(error))
    reply = agent.post("/conversations")

    assert (reply.status, reply.error["code"]) == (503, "unavailable")
    assert int(reply.headers["retry-after"]) > 0


def test_a_full_disk_is_called_so(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(**_: object) -> None:
        with transaction.atomic():
            execute("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$")

    monkeypatch.setattr(conversations_api, "create_conversation", write)
    # /ready believes in it for a minute.
    monkeypatch.setattr(health, "_full_at", None)
    reply = agent.post("/conversations")
    assert (reply.status, reply.error["code"]) == (503, "unavailable")
    assert "disk of the database is full" in reply.error["message"]
    with pytest.raises(OperationalError) as full:
        write()
    request = RequestFactory().post("/review")
    page = refusal(request, failure_of(full.value)).content.decode()
    assert "The disk of the database is full" in page
    assert "does not answer" not in page


def test_a_failure_inside_a_repeatable_write_leaves_the_key_free(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(conversations_api, "create_conversation", failing(OperationalError("gone")))
        assert agent.post("/conversations", None, **{"Idempotency-Key": "k"}).status == 503

    assert agent.post("/conversations", None, **{"Idempotency-Key": "k"}).status == 201


# --- the browser's session ------------------------------------------------------------------------------------


def test_a_session_reads_freely_and_writes_with_the_csrf_token(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    path = "/api/v1/conversations"

    assert browser.get(path).status_code == 200
    refused = browser.post(path, {}, content_type="application/json")
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "csrf"
    browser.cookies["csrftoken"] = "a" * 32
    accepted = browser.post(path, {}, content_type="application/json", headers={"X-CSRFToken": "a" * 32})
    assert accepted.status_code == 201
    assert browser.get("/api/v1/tokens").status_code == 200


def test_a_form_of_a_session_is_no_json(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    browser.cookies["csrftoken"] = "a" * 32
    reply = browser.post("/api/v1/conversations", {"csrfmiddlewaretoken": "a" * 32, "title": "x"})

    assert reply.status_code == 415
    assert Conversation.objects.count() == 0


def test_a_bad_token_does_not_fall_back_to_the_session(alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    path = "/api/v1/conversations"

    assert browser.get(path).status_code == 200
    assert browser.get(path, headers={"Authorization": "Bearer pf_wrong"}).status_code == 401


def test_a_token_needs_no_csrf_token(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    headers = {"Authorization": f"Bearer {make_token(alice)}"}

    assert (
        browser.post("/api/v1/conversations", {}, content_type="application/json", headers=headers).status_code == 201
    )


def test_a_token_that_runs_wild_is_stopped_and_told_for_how_long(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, rate_limit=2))
    # ten seconds before a minute ends
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: 6_000_050.0 - 6_000_050.0 % 60 + 50))
    statuses = [agent.get("/conversations").status for _ in range(3)]

    assert statuses == [200, 200, 429]
    refused = agent.get("/conversations")
    assert refused.error["code"] == "rate_limited"
    assert refused.headers["retry-after"] == "10"
