"""Looking at secrets, purging beliefs and deleting conversations, over REST."""

import pytest

from pawflow_web.identity.models import IdempotentReply, User
from review.journal.chain import verify
from review.models import GovernanceItem, JournalEntry
from tests.factories import GITHUB_TOKEN, make_conversation
from tests.review.canary import places_of
from tests.surfaces.conftest import Rest
from tests.surfaces.examples import remembered

WORDS = f"The token of the build is {GITHUB_TOKEN}"
KEY = {"Idempotency-Key": "k1"}


@pytest.fixture
def secret(agent: Rest) -> str:
    return remembered(agent, WORDS)


def test_a_person_looks_at_a_secret(person: Rest, agent: Rest, secret: str) -> None:
    assert person.get(f"/items/{secret}").json["text"] == "••••"
    shown = person.post(f"/items/{secret}/reveal")
    assert (shown.status, shown.json) == (200, {"ref": secret, "text": WORDS})
    assert shown.headers["cache-control"] == "no-store"
    number = GovernanceItem.objects.get(ref=secret).number
    assert person.post(f"/items/%23{number}/reveal").json == shown.json
    history = person.get(f"/items/{secret}/history").json["items"]
    assert [(one["event"], one["actor"]["kind"]) for one in history[1:]] == [("reveal", "person")] * 2


def test_what_was_looked_at_is_kept_by_nothing_on_the_way(person: Rest, secret: str, alice: User) -> None:
    for _ in range(2):
        shown = person.post(f"/items/{secret}/reveal", None, **KEY)
        assert (shown.status, shown.json["text"]) == (200, WORDS)
        assert "idempotent-replayed" not in shown.headers
    assert JournalEntry.objects.filter(verb="reveal").count() == 2
    assert not IdempotentReply.objects.exists()
    assert places_of(GITHUB_TOKEN) == set()
    # the control: what holds no secret is kept
    assert person.post(f"/review/{secret}/reject", {}, **KEY).status == 200
    assert IdempotentReply.objects.count() == 1
    assert verify(alice).ok


def test_what_is_no_secret_has_nothing_to_be_shown(person: Rest, agent: Rest) -> None:
    reply = person.post(f"/items/{remembered(agent)}/reveal")
    assert (reply.status, reply.error["code"]) == (409, "invalid_transition")
    assert reply.error["fields"] == {"privacy": "normal"}


def test_a_purged_belief_is_not_there_any_more(person: Rest, agent: Rest, alice: User) -> None:
    ref = remembered(agent, "The quagga sleeps")
    there = agent.post("/tools/remember", {"text": "The quagga sleeps", "scope": "global"}).json["ref"]
    agent.post("/tools/remember", {"text": "The quagga sleeps again"}, **KEY)
    assert person.post(f"/items/{ref}/purge", {"confirm": there}).status == 422

    done = person.post(f"/items/{ref}/purge", {"confirm": f"#{ref}"}, **{"Idempotency-Key": "k2"})

    tombstone = person.get("/review/tombstones").json["items"][0]
    assert done.json == {"ref": ref, "purged": True, "tombstone": tombstone["ref"], "same_words": [there]}
    for method, path in (("GET", ""), ("GET", "/history"), ("POST", "/reveal"), ("POST", "/end"), ("DELETE", "")):
        assert person.send(method, f"/items/{ref}{path}", {} if method == "POST" else None).status == 404
    assert person.post(f"/items/{ref}/purge", {"confirm": ref}).status == 404
    refused = agent.post("/tools/remember", {"text": "the QUAGGA sleeps!", "scope": "agent"})
    assert (refused.status, refused.error["code"]) == (409, "tombstoned")
    assert refused.error["fields"] == {"tombstone": tombstone["ref"]}
    # who sent the purge twice gets the same answer, who sent a reply that held the words gets none
    again = person.post(f"/items/{ref}/purge", {"confirm": f"#{ref}"}, **{"Idempotency-Key": "k2"})
    assert (again.status, again.body) == (200, done.body)
    assert verify(alice).ok


def test_a_purge_wants_the_reference(person: Rest, agent: Rest) -> None:
    ref = remembered(agent)
    for body in ({}, {"confirm": None}, {"confirm": True}, {"confirm": "x" * 41}, {"confirm": ref, "force": True}):
        assert person.post(f"/items/{ref}/purge", body).status == 422
    refused = person.post(f"/items/{ref}/purge", {"confirm": "yes"})
    assert refused.error == {
        "code": "invalid",
        "message": f"To erase this belief for good, confirm with its reference {ref}.",
        "fields": {"confirm": f"must be {ref}"},
    }
    assert person.get(f"/items/{ref}").status == 200


def test_agents_neither_look_nor_purge_nor_delete(agent: Rest, secret: str, alice: User) -> None:
    conversation = make_conversation(alice)
    for method, path, body in (
        ("POST", f"/items/{secret}/reveal", None),
        ("POST", f"/items/{secret}/purge", {"confirm": secret}),
        ("DELETE", f"/conversations/{conversation.ref}", None),
    ):
        assert agent.send(method, path, body).error["code"] == "not_allowed"
    assert GovernanceItem.objects.filter(ref=secret).exists()
    assert JournalEntry.objects.filter(verb="reveal").count() == 0


def test_a_deleted_conversation_takes_what_was_its_own_along(person: Rest, agent: Rest, alice: User) -> None:
    ref = agent.post("/conversations", {"title": "Animals", "external_id": "c-1"}).json["ref"]
    inside = {"X-PawFlow-Conversation": ref}
    own = agent.post("/tools/remember", {"text": "The quagga sleeps", "scope": "conversation"}, **inside).json["ref"]
    kept = agent.post("/tools/remember", {"text": "The mat is brown"}, **inside).json["ref"]

    done = person.delete("/conversations/c-1")

    assert (done.status, done.json) == (200, {"deleted": True})
    assert person.get(f"/conversations/{ref}").status == 404
    assert person.delete(f"/conversations/{ref}").status == 404
    assert agent.get("/items", **inside).status == 404
    assert person.get(f"/items/{own}").status == 404
    assert person.get(f"/items/{kept}").json["source"]["name"] == "coder"
    assert agent.post("/tools/remember", {"text": "The quagga sleeps"}).json["status"] == "active"
    assert verify(alice).ok
