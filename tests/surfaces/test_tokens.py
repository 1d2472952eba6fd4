"""Tokens over REST: for people only, shown once, ended at once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from pawflow_web.identity.models import Agent, ApiToken, User
from tests.factories import make_person_token, make_token
from tests.surfaces.conftest import Rest


def test_a_token_is_shown_once_and_works(person: Rest, asking: Callable[[str], Rest]) -> None:
    made = person.post("/tokens", {"agent": "coder", "origin": "automation", "abilities": ["read"], "expires": 30})

    assert made.status == 201
    assert sorted(made.json) == sorted(
        ["token", "id", "owner", "agent", "origin", "abilities", "expires_at", "created_at"]
    )
    assert asking(made.json["token"]).get("/conversations").status == 200
    assert asking(made.json["token"]).post("/conversations").status == 403
    listed = person.get("/tokens")
    assert made.json["token"] not in listed.body.decode()
    assert made.json["id"] in [row["id"] for row in listed.json["items"]]
    assert ApiToken.objects.get(ref=made.json["id"]).agent == Agent.objects.get(name="coder")


def test_an_ended_token_is_as_good_as_none(person: Rest, alice: User, asking: Callable[[str | None], Rest]) -> None:
    text = make_token(alice)
    ref = ApiToken.objects.latest("pk").ref
    assert asking(text).get("/conversations").status == 200

    assert person.delete(f"/tokens/{ref}").json == {"id": ref, "revoked": True}
    assert person.delete(f"/tokens/%23{ref}").status == 200

    refused = asking(text).get("/conversations")
    assert refused.status == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.body == asking(None).get("/conversations").body == asking("pf_wrong").get("/conversations").body


def test_an_expired_token_is_as_good_as_none(alice: User, asking: Callable[[str | None], Rest]) -> None:
    text = make_token(alice)
    assert asking(text).get("/conversations").status == 200
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert asking(text).get("/conversations").body == asking(None).get("/conversations").body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"abilities": []}, "abilities"),
        ({}, "abilities"),
        ({"abilities": ["fly"]}, "abilities.0"),
        ({"agent": "coder", "abilities": ["review"]}, "abilities"),
        ({"agent": "co der", "abilities": ["read"]}, "agent"),
        ({"agent": "coder", "origin": "importer", "abilities": ["read"]}, "origin"),
        ({"origin": "automation", "abilities": ["read"]}, "origin"),
        ({"agent": "coder", "abilities": ["read"], "expires": 0}, "expires"),
        ({"agent": "coder", "abilities": ["read"], "expires": True}, "expires"),
        ({"agent": "coder", "abilities": ["read"], "user": "bob"}, "user"),
    ],
)
def test_what_a_token_cannot_be_is_named(person: Rest, body: dict[str, object], field: str) -> None:
    before = ApiToken.objects.count()
    reply = person.post("/tokens", body)

    assert reply.status == 422
    assert list(reply.error["fields"]) == [field]
    assert ApiToken.objects.count() == before


def test_a_person_without_review_may_not_make_tokens(alice: User, asking: Callable[[str], Rest]) -> None:
    limited = asking(make_token(alice, agent=None, abilities=["read", "write"]))

    assert limited.post("/tokens", {"abilities": ["read", "review"]}).status == 403
    assert limited.get("/tokens").status == 403


def test_pages_of_tokens_hold_each_once(person: Rest, alice: User) -> None:
    for _ in range(4):
        make_person_token(alice)
    first = person.get("/tokens?limit=3").json
    second = person.get(f"/tokens?limit=3&cursor={first['next']}").json

    refs = [row["id"] for row in first["items"] + second["items"]]
    assert second["next"] is None
    assert len(refs) == len(set(refs)) == ApiToken.objects.count()
