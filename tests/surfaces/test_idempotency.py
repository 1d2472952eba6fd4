"""A write with an ``Idempotency-Key`` happens once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from conversations.models import Conversation, Project
from pawflow_web.identity.models import ApiToken, IdempotentReply, User
from tests.factories import make_owner, make_token
from tests.surfaces.conftest import Asked, Rest


def once(rest: Rest, body: Any = None, key: str = "k1", path: str = "/conversations") -> Asked:
    return rest.post(path, body, **{"Idempotency-Key": key})


def test_a_retry_gets_the_first_reply_and_writes_nothing(agent: Rest) -> None:
    first = once(agent, {"title": "One"})
    again = once(agent, {"title": "One"})

    assert (first.status, again.status) == (201, 201)
    assert again.body == first.body
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert Conversation.objects.count() == 1


def test_without_a_key_each_call_counts(agent: Rest) -> None:
    agent.post("/conversations", {"title": "One"})
    agent.post("/conversations", {"title": "One"})

    assert Conversation.objects.count() == 2
    assert IdempotentReply.objects.count() == 0


def test_another_request_under_the_same_key_is_a_mismatch(agent: Rest) -> None:
    once(agent, {"title": "One"})

    for path, body in (
        ("/conversations", {"title": "Two"}),
        ("/projects", {"title": "One"}),
        ("/conversations?project=", {"title": "One"}),
    ):
        reply = once(agent, body, path=path)
        assert reply.status == 409
        assert reply.error["code"] == "idempotency_mismatch"
    assert (Conversation.objects.count(), Project.objects.count()) == (1, 0)


def test_a_refusal_is_not_kept_so_it_can_be_mended(agent: Rest) -> None:
    refused = once(agent, {"name": "Shop", "root": "/no/such/place"}, path="/projects")
    accepted = once(agent, {"name": "Shop"}, path="/projects")

    assert (refused.status, accepted.status) == (400, 201)
    assert "idempotent-replayed" not in accepted.headers


def test_keys_belong_to_one_token(alice: User, agent: Rest, asking: Callable[[str], Rest]) -> None:
    once(agent, {"title": "One"})

    assert "idempotent-replayed" not in once(asking(make_token(alice, agent="other")), {"title": "One"}).headers
    assert Conversation.objects.count() == 2


def test_a_key_is_free_again_after_a_day(agent: Rest) -> None:
    once(agent, {"title": "One"})
    IdempotentReply.objects.update(at=timezone.now() - timedelta(hours=23))
    assert once(agent, {"title": "Two"}).status == 409

    IdempotentReply.objects.update(at=timezone.now() - timedelta(hours=25))
    assert once(agent, {"title": "Two"}).status == 201
    assert once(agent, {"title": "Two"}).headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_has_one_to_two_hundred_characters(agent: Rest, key: str) -> None:
    reply = once(agent, {"title": "One"}, key=key)

    assert reply.status == 422
    assert list(reply.error["fields"]) == ["Idempotency-Key"]
    assert once(agent, {"title": "One"}, key="x" * 200).status == 201


def test_a_kept_reply_shows_nothing_to_who_reads_the_rows(person: Rest) -> None:
    made = once(person, {"abilities": ["read"], "agent": "coder"}, path="/tokens").json
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM identity_idempotentreply")
        (kept,) = cursor.fetchone()

    assert made["token"] not in kept
    assert made["id"] not in kept
    assert once(person, {"abilities": ["read"], "agent": "coder"}, path="/tokens").json == made
    assert ApiToken.objects.filter(agent__name="coder").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_writes_and_the_others_wait_for_its_reply() -> None:
    token = make_token(make_owner("alice"))

    def send(_: int) -> Asked:
        try:
            return once(Rest(token), {"title": "One"})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(send, range(6)))

    assert {reply.status for reply in replies} == {201}
    assert len({reply.body for reply in replies}) == 1
    assert sum("idempotent-replayed" in reply.headers for reply in replies) == 5
    assert Conversation.objects.count() == 1


def test_a_tool_that_only_reads_is_simply_run_again(agent: Rest) -> None:
    once(agent, {"query": "release"}, path="/tools/recall")
    again = once(agent, {"query": "other words"}, path="/tools/recall")

    assert again.status == 200
    assert "idempotent-replayed" not in again.headers
    assert IdempotentReply.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_repeated_and_plain_proposals_at_once_neither_lock_up_nor_double() -> None:
    token = make_token(make_owner("alice"))

    def send(number: int) -> tuple[int, str]:
        try:
            headers = {"Idempotency-Key": f"k{number % 4}"} if number % 2 else {}
            reply = Rest(token).post("/tools/remember", {"text": f"Note {number % 4}"}, **headers)
            return reply.status, reply.json["ref"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(send, range(24)))

    assert {status for status, _ in replies} == {200}
    assert len({ref for _, ref in replies}) == 4
