"""What is complete when the process starts, and closed from then on."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.checks import run_checks
from django.db import OperationalError

from pawflow_web.checks import REGISTRIES
from pawflow_web.identity import idempotency
from pawflow_web.identity.models import IdempotentReply, User
from pawflow_web.lib.drains import registry as drains
from pawflow_web.lib.tools import ToolRegistry
from pawflow_web.lib.tools import registry as tools
from pawflow_web.mcp import McpEndpoint, endpoint
from tests.factories import make_principal
from tests.live import Live


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.noun)
def test_a_registry_is_filled_and_takes_nothing_more(registry: Any) -> None:
    assert registry.all()
    with pytest.raises(RuntimeError, match="came after the start"):
        registry.add("late", registry.all()[0])


def test_two_tools_of_one_name_stop_the_start() -> None:
    fresh = ToolRegistry("tool")
    fresh.add("recall", tools.get("recall"))

    with pytest.raises(RuntimeError, match="two tools are called recall"):
        fresh.add("recall", tools.get("recall"))


def test_the_checks_find_nothing() -> None:
    assert run_checks() == []


@pytest.mark.django_db
def test_kept_replies_of_yesterday_are_dropped_and_those_of_today_stay(alice: User) -> None:
    principal = make_principal(alice)
    for key in ("old", "new"):
        idempotency.once(principal, key, "0" * 64, lambda: idempotency.Reply(200, "{}"))
    IdempotentReply.objects.filter(key="old").update(at="2020-01-01T00:00:00Z")

    drain = drains.find("idempotent_replies")
    assert drain is not None
    assert drain.run(0.0) is False
    assert list(IdempotentReply.objects.values_list("key", flat=True)) == ["new"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(OperationalError("gone"), 503, b'"unavailable"'), (RuntimeError("the secret detail"), 500, b'"internal"')],
)
async def test_mcp_answers_a_failure_before_the_sdk_with_our_body(
    monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: bytes
) -> None:
    def fail(_: str | None) -> None:
        raise error

    monkeypatch.setattr(endpoint, "principal_of_token", fail)
    start, body = await _post(McpEndpoint())

    assert start["status"] == status
    assert code in body["body"]
    assert b"secret detail" not in body["body"]
    assert (b"retry-after" in dict(start["headers"])) is (status == 503)


def test_a_websocket_that_nobody_takes_is_refused(live: Live) -> None:
    reply = live.get(
        "/ws/nothing",
        **{
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
            "Origin": live.base,
        },
    )

    assert reply.status == 403


Application = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


async def _post(application: Application) -> tuple[dict[str, Any], dict[str, Any]]:
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
    communicator = ApplicationCommunicator(application, scope)
    await communicator.send_input({"type": "http.request", "body": b"{}"})
    start = await communicator.receive_output(10)
    body = await communicator.receive_output(10)
    await communicator.wait()
    return start, body
