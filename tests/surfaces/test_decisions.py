"""Decisions over REST: the shapes that the outside relies on."""

import json
from typing import Any

import pytest

from pawflow_web.identity.models import User
from tests.factories import AUTOMATION, make_conversation, make_token
from tests.surfaces.conftest import Rest
from tests.surfaces.examples import remembered


def shared(agent: Rest, text: str) -> str:
    """The ref of a belief that every agent of its owner reads."""
    ref: str = agent.post("/tools/remember", {"text": text, "scope": "global"}).json["ref"]
    return ref


DECISION = ["decision", "demoted", "item"]


@pytest.fixture
def waiting(alice: User) -> Rest:
    """An automation: what it says waits."""
    return Rest(make_token(alice, agent="nightly", origin=AUTOMATION))


def test_a_correction_is_a_new_belief(agent: Rest, person: Rest) -> None:
    old = remembered(agent, "Lives in Porto")
    reply = person.post(f"/review/{old}/correct", {"text": "Lives in Braga", "reason": "typo", "revision": 1})

    assert (reply.status, sorted(reply.json), reply.json["demoted"]) == (200, DECISION, old)
    item = reply.json["item"]
    assert (item["text"], item["status"], item["supersedes"], item["ref"] != old) == (
        "Lives in Braga", "active", old, True,
    )  # fmt: skip
    before = person.get(f"/items/{old}").json
    assert (before["status"], before["text"], before["superseded_by"], before["never_valid"]) == (
        "superseded", "Lives in Porto", item["ref"], True,
    )  # fmt: skip
    history = person.get(f"/items/{old}/history").json["items"]
    assert [(event["event"], event["from"], event["to"], event["note"]) for event in history] == [
        ("created", None, "active", ""),
        ("transition", "active", "superseded", "typo"),
    ]
    assert history[-1]["decision"] == reply.json["decision"]


def test_undo_says_what_came_back(agent: Rest, person: Rest) -> None:
    old = remembered(agent, "Lives in Porto")
    new = person.post(f"/review/{old}/correct", {"text": "Lives in Braga"}).json["item"]["ref"]
    reply = person.post(f"/review/{new}/undo", {"reason": "it was right"})

    assert (reply.status, sorted(reply.json)) == (200, ["decision", "item", "left", "restored"])
    assert (reply.json["item"]["status"], reply.json["restored"], reply.json["left"]) == ("stale", old, [])
    assert person.get(f"/items/{old}").json["status"] == "active"
    nothing = person.post(f"/review/{new}/undo", {})
    assert (nothing.status, nothing.error["code"]) == (409, "invalid_transition")


def test_an_end_keeps_its_precision(agent: Rest, person: Rest) -> None:
    item = remembered(agent)
    reply = person.post(f"/items/{item}/end", {"ended_at": "2020-05"})
    assert (reply.status, reply.json["status"], reply.json["ended_at"]) == (
        200, "active", "2020-05-01T00:00:00.000000Z",
    )  # fmt: skip
    for ended in (None, 1_600_000_000, "2021-01-05T10:00:00+02:00"):
        assert person.post(f"/items/{item}/end", {"ended_at": ended}).status == 200
    for wrong in ("2021-01-05T10:00:00", "soon", True, [2020]):
        refused = person.post(f"/items/{item}/end", {"ended_at": wrong})
        assert (refused.status, list(refused.error["fields"])) == (422, ["ended_at"])


def test_parts_of_a_belief_are_changed(alice: User, agent: Rest, person: Rest) -> None:
    item = remembered(agent)
    conversation = make_conversation(alice).ref
    changes = {
        "tags": ["Release"], "category": "events", "importance": "high", "durability": "project", "pinned": True,
        "expires_at": "2090", "privacy": "sensitive", "scope": "conversation", "conversation": conversation,
    }  # fmt: skip
    reply = person.patch(f"/items/{item}", {"revision": 1, **changes})
    assert reply.status == 200, reply.body
    shown = reply.json
    assert {name: shown[name] for name in changes} == {
        **changes, "tags": ["release"], "expires_at": "2090-01-01T00:00:00.000000Z",
    }  # fmt: skip
    assert (shown["ref"], shown["revision"]) == (item, 2)
    cleared = person.patch(f"/items/{item}", {"revision": 2, "category": None, "expires_at": None}).json
    assert (cleared["category"], cleared["expires_at"], cleared["pinned"]) == (None, None, True)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "revision"),
        ({"revision": 1, "status": "active"}, "status"),
        ({"revision": 1, "text": "other words"}, "text"),
        ({"revision": 1, "confidence": 1}, "confidence"),
        ({"revision": 1, "origin": "user_channel"}, "origin"),
        ({"revision": 1, "pinned": "yes"}, "pinned"),
        ({"revision": 1, "pinned": None}, "pinned"),
        ({"revision": 1, "scope": "everywhere"}, "scope"),
        ({"revision": 1, "importance": "huge"}, "importance"),
        ({"revision": 1, "tags": ["x" * 81]}, "tags.0"),
        ({"revision": 1, "tags": ["AKIAIOSFODNN7EXAMPLE"]}, "tags"),
        ({"revision": 1, "expires_at": "2001"}, "expires_at"),
    ],
)
def test_what_cannot_be_changed_is_named(agent: Rest, person: Rest, body: dict[str, Any], field: str) -> None:
    item = remembered(agent)
    before = person.get(f"/items/{item}").json
    reply = person.patch(f"/items/{item}", body)
    assert (reply.status, list(reply.error["fields"])) == (422, [field])
    assert person.get(f"/items/{item}").json == before


def test_a_stale_change_is_refused(agent: Rest, person: Rest) -> None:
    item = remembered(agent)
    assert person.patch(f"/items/{item}", {"revision": 1, "pinned": True}).status == 200
    late = person.patch(f"/items/{item}", {"revision": 1, "pinned": False})
    assert (late.status, late.error["code"], late.error["fields"]) == (
        409, "stale_revision", {"revision": 2, "ref": item},
    )  # fmt: skip


def test_many_are_forgotten_and_brought_back(agent: Rest, person: Rest) -> None:
    refs = [remembered(agent, text) for text in ("Lives in Porto", "Likes tea")]
    gone = person.post("/review/bulk", {"action": "forget", "refs": [*refs, "0123456789ab"], "reason": "old"})
    assert (gone.status, gone.json["done"], [row["ok"] for row in gone.json["results"]]) == (
        200,
        2,
        [True, True, False],
    )
    back = person.post(f"/review/batches/{gone.json['batch']}/undo", {})
    assert (back.status, back.json["batch"], back.json["done"]) == (200, gone.json["batch"], 2)
    assert back.json["results"] == [{"ref": ref, "ok": True, "status": "active"} for ref in refs]
    again = person.post(f"/review/batches/{gone.json['batch']}/undo", {})
    assert (again.status, again.error["code"]) == (409, "invalid_transition")


def test_archive_requests_are_listed_and_answered(agent: Rest, waiting: Rest, person: Rest) -> None:
    items = [shared(agent, text) for text in ("Lives in Porto", "Likes tea")]
    asked = [
        waiting.post("/tools/memory_archive_suggestion", {"ref": item, "reason": f"over: {item}"}) for item in items
    ]
    assert [(reply.status, reply.json["archive"]) for reply in asked] == [(200, "pending")] * 2
    requests = [reply.json["request"] for reply in asked]
    assert person.get("/review").json["counts"]["archive_requests"] == 2

    page = person.get("/review/archive-requests?limit=1").json
    rest = person.get(f"/review/archive-requests?limit=1&cursor={page['next']}").json
    listed = [*page["items"], *rest["items"]]
    assert (rest["next"], [row["ref"] for row in listed]) == (None, requests[::-1])
    assert (listed[0]["by"], listed[0]["reason"], listed[0]["item"]["ref"], listed[0]["item"]["archive"]) == (
        "agent:nightly", f"over: {items[1]}", items[1], "pending",
    )  # fmt: skip

    approved = person.post(f"/review/archive-requests/{requests[0]}", {"decision": "approve", "reason": "yes"})
    declined = person.post(f"/review/archive-requests/{requests[1]}", {"decision": "decline"})
    assert [reply.json["item"]["status"] for reply in (approved, declined)] == ["stale", "active"]
    assert approved.json["item"]["reason"] == "archive_approved"
    assert person.get("/review/archive-requests").json == {"items": [], "next": None}
    late = person.post(f"/review/archive-requests/{requests[0]}", {"decision": "approve"})
    assert (late.status, late.error["code"]) == (409, "conflict")


def test_a_page_of_requests_costs_the_same_for_one_and_many(
    agent: Rest, person: Rest, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        item = remembered(agent, f"Belief number {number}")
        agent.post("/tools/memory_archive_suggestion", {"ref": item, "reason": "over"})
    with django_assert_max_num_queries(6):
        assert len(person.get("/review/archive-requests").json["items"]) == 12


def test_votes_are_answered_with_their_numbers(agent: Rest, waiting: Rest) -> None:
    item = shared(agent, "Lives in Porto")
    reply = waiting.post("/tools/memory_feedback", {"ref": item, "helpful": False, "note": "out of date"})
    assert {name: reply.json[name] for name in ("ref", "status", "confidence", "votes")} == {
        "ref": item, "status": "active", "confidence": 0.7, "votes": {"helpful": 0, "unhelpful": 1},
    }  # fmt: skip
    assert waiting.post("/tools/memory_feedback", {"ref": item}).error["fields"] == {"helpful": "is required"}
    praised = agent.post("/tools/memory_feedback", {"ref": item, "helpful": True})
    assert (praised.status, praised.error["code"]) == (409, "conflict")


def test_an_agent_learns_of_a_rejection_by_the_reference_it_has(agent: Rest, person: Rest) -> None:
    item = remembered(agent)
    person.post(f"/review/{item}/reject", {})
    before = json.dumps(person.get(f"/items/{item}").json)
    for tool, more in (("memory_feedback", {"helpful": False}), ("memory_archive_suggestion", {"reason": "over"})):
        reply = agent.post(f"/tools/{tool}", {"ref": item, **more})
        assert (reply.status, reply.error["code"], reply.error["fields"]) == (
            409, "invalid_transition", {"status": "rejected"},
        )  # fmt: skip
    assert json.dumps(person.get(f"/items/{item}").json) == before


def test_a_preview_is_a_question(waiting: Rest, person: Rest) -> None:
    item = remembered(waiting, "Lives in Porto")
    reply = person.get(f"/items/{item}/preview?verb=accept")
    assert (reply.status, sorted(reply.json)) == (200, ["agents", "gains", "loses", "sentences", "verb"])
    assert reply.json["sentences"] == [{"text": "nightly may read it from the next turn.", "ref": None}]
    assert reply.json["gains"] == [{"agent": "nightly", "ref": item}]
    assert person.get(f"/items/{item}").json["status"] == "needs_review"
    assert person.get(f"/items/{item}/preview?verb=restore").status == 409
    assert person.get(f"/items/{item}/preview?verb=burn").error["fields"].keys() == {"verb"}


def test_tombstones_show_no_words(agent: Rest, person: Rest) -> None:
    item = remembered(agent, "Lives in Porto")
    person.post(f"/review/{item}/reject", {})
    (row,) = person.get("/review/tombstones").json["items"]
    assert (row["item"], row["key"], row["hits"]) == (item, None, 0)
    assert "Porto" not in json.dumps(row)


@pytest.mark.parametrize("path", ["/review/{ref}/accept", "/review/{ref}/reject", "/items/{ref}/purge", "/tokens"])
def test_a_call_of_a_person_that_counts_as_an_automation_decides_nothing(alice: User, person: Rest, path: str) -> None:
    narrowed = {"X-PawFlow-Origin": "automation"}
    ref = person.post("/tools/remember", {"text": "Lives in Porto"}, **narrowed).json["ref"]
    assert person.get(f"/items/{ref}").json["status"] == "needs_review"
    body = {"confirm": ref} if "purge" in path else {"abilities": ["read"]} if "tokens" in path else {}
    refused = person.post(path.format(ref=ref), body, **narrowed)
    assert (refused.status, refused.error["code"]) == (403, "not_allowed")
    assert person.post(path.format(ref=ref), body).status in {200, 201}


@pytest.mark.parametrize("name", [".", "..", "..."])
def test_nobody_is_called_by_dots_alone(person: Rest, name: str) -> None:
    reply = person.post("/tokens", {"agent": name, "abilities": ["read"], "origin": "automation"})
    assert (reply.status, list(reply.error["fields"])) == (422, ["agent"])
