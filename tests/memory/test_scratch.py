"""Scratch notes: evidence that is of use for a while and then gone by itself."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from memory.desk.places import Place
from memory.models import ScratchNote
from memory.models import scratch as rows
from memory.scratch import services
from memory.scratch.reading import list_notes
from memory.tasks import expired_notes
from pawflow_web.identity.models import User
from pawflow_web.lib.db import StatementNow
from tests.factories import GITHUB_TOKEN, make_conversation, make_token
from tests.memory.desk import note, scratch
from tests.review.beliefs import Parties
from tests.surfaces.conftest import Rest

NOTE_KEYS = {"id", "topic", "content", "tags", "expires_at", "created_at", "updated_at", "revision", "display"}
HEAD_KEYS = {"id", "topic", "first_line", "tags", "expires_at", "created_at", "updated_at", "revision"}


def hours(made: dict[str, Any], since: str = "created_at") -> float:
    """From then until it expires."""
    first, last = (datetime.fromisoformat(made[name]) for name in (since, "expires_at"))
    return (last - first) / timedelta(hours=1)


def topics(reply: Any) -> list[str]:
    return [one["topic"] for one in reply.json["items"]]


def let_expire(made: dict[str, Any]) -> None:
    ScratchNote.objects.filter(ref=made["id"][3:]).update(expires_at=StatementNow())


def test_a_note_is_kept_changed_and_deleted(agent: Rest) -> None:
    made = note(agent, "Rollback \n plan", "  First\n\n  second\n", tags=["deploy", " deploy ", "Canary  red"])
    assert made.keys() == NOTE_KEYS
    assert (made["topic"], made["content"]) == ("Rollback plan", "First\n\n  second")
    assert (made["tags"], made["revision"], hours(made)) == (["deploy", "Canary red"], 1, 168)
    changed = scratch(agent, "update", note_id=made["id"], tags=["plan"]).json
    assert (changed["tags"], changed["content"], changed["revision"]) == (["plan"], made["content"], 2)
    assert (changed["expires_at"], changed["created_at"]) == (made["expires_at"], made["created_at"])
    got = scratch(agent, "get", note_id=made["id"]).json
    assert got.keys() == NOTE_KEYS
    assert {**got, "display": ""} == {**changed, "display": ""}
    assert scratch(agent, "delete", note_id=made["id"]).json["deleted"] is True
    for action, more in (("get", {}), ("delete", {}), ("update", {"topic": "x"})):
        assert scratch(agent, action, note_id=made["id"], **more).error["code"] == "not_found"


def test_time_counts_from_now_and_only_when_it_is_given(agent: Rest) -> None:
    made = note(agent, ttl_hours=1)
    assert hours(made) == 1
    longer = scratch(agent, "update", note_id=made["id"], ttl_hours=720).json
    assert hours(longer, "updated_at") == 720
    kept = scratch(agent, "update", note_id=made["id"], content="More", ttl_hours=None).json
    assert (kept["expires_at"], kept["revision"]) == (longer["expires_at"], 3)


def test_what_has_expired_is_gone_before_it_is_swept(agent: Rest, parties: Parties) -> None:
    gone, kept = note(agent, "Gone"), note(agent, "Kept")
    let_expire(gone)
    for action, more in (("get", {}), ("delete", {}), ("update", {"ttl_hours": 5})):
        expired, never = (scratch(agent, action, note_id=ref, **more) for ref in (gone["id"], "sp_0123456789ab"))
        assert expired.status == 404
        assert expired.body.replace(gone["id"].encode(), b"-") == never.body.replace(b"sp_0123456789ab", b"-")
    assert topics(scratch(agent, "list")) == ["Kept"]
    assert scratch(agent, "list").json["total"] == 1
    assert ScratchNote.objects.count() == 2
    assert expired_notes(float("inf")) is False
    assert [f"sp_{row.ref}" for row in ScratchNote.objects.all()] == [kept["id"]]
    let_expire(kept)
    assert scratch(agent, "clear").json["deleted"] == 0
    assert not ScratchNote.objects.exists()


def test_the_sweep_goes_on_in_slices(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_SWEPT_AT_ONCE", 2)
    made = [note(agent, f"Note {number}") for number in range(4)]
    for one in made[:3]:
        let_expire(one)
    assert [expired_notes(float("inf")) for _ in range(2)] == [True, False]
    assert ScratchNote.objects.get().topic == "Note 3"


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"topic": " \u200b"}, "topic"),
        ({"topic": "x" * 161}, "topic"),
        ({"content": "\n \n"}, "content"),
        ({"content": "x" * 16_001}, "content"),
        ({"tags": ["x"] * 21}, "tags"),
        ({"tags": ["x" * 81]}, "tags.0"),
        ({"tags": "bad"}, "tags"),
        ({"ttl_hours": 0}, "ttl_hours"),
        ({"ttl_hours": 721}, "ttl_hours"),
        ({"ttl_hours": 1.5}, "ttl_hours"),
        ({"ttl_hours": True}, "ttl_hours"),
        ({"limit": 20}, "limit"),
    ],
)
def test_what_is_not_acceptable_is_named(agent: Rest, given: dict[str, Any], wrong: str) -> None:
    made = note(agent)
    for action, more in (("update", {"note_id": made["id"]}), ("create", {"topic": "x", "content": "x"})):
        refused = scratch(agent, action, **{**more, **given})
        assert (refused.status, list(refused.error["fields"])) == (422, [wrong])
    assert scratch(agent, "get", note_id=made["id"]).json["revision"] == 1
    assert ScratchNote.objects.count() == 1


def test_each_action_takes_its_own_parameters(agent: Rest) -> None:
    made = note(agent)
    assert scratch(agent, "read").error["fields"] == {
        "action": "must be one of create, update, get, list, delete, clear"
    }
    for action, given, wrong in (
        ("create", {"content": "x"}, {"topic"}),
        ("create", {"topic": "x"}, {"content"}),
        ("list", {"note_id": made["id"]}, {"note_id"}),
        ("list", {"limit": 101}, {"limit"}),
        ("get", {}, {"note_id"}),
        ("update", {"note_id": made["id"]}, {"action"}),
        ("clear", {"query": "x"}, {"query"}),
    ):
        refused = scratch(agent, action, **given)
        assert (refused.status, set(refused.error["fields"])) == (422, wrong), (action, given)


def test_words_at_their_bounds_fit(agent: Rest) -> None:
    made = note(agent, "x" * 160, "é" * 16_000, tags=[f"{n:02}" + "t" * 78 for n in range(20)], ttl_hours=720)
    assert (len(made["topic"]), len(made["content"]), len(made["tags"])) == (160, 16_000, 20)
    assert hours(made) == 720


def test_a_revision_that_is_given_must_be_the_current_one(agent: Rest) -> None:
    made = note(agent)
    assert scratch(agent, "update", note_id=made["id"], topic="Second", revision=1).json["revision"] == 2
    stale = scratch(agent, "update", note_id=made["id"], topic="Third", revision=1)
    assert (stale.status, stale.error["code"], stale.error["fields"]) == (409, "stale_revision", {"revision": 2})
    assert scratch(agent, "delete", note_id=made["id"], revision=1).error["code"] == "stale_revision"
    assert scratch(agent, "get", note_id=made["id"]).json["topic"] == "Second"
    assert scratch(agent, "delete", note_id=made["id"], revision=2).json["deleted"] is True


def test_a_full_list_takes_no_more(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    assert services.NOTES_MOST == rows.NOTES_MOST == 200
    monkeypatch.setattr(services, "NOTES_MOST", 2)
    first = note(agent, "One")
    note(agent, "Two")
    full = scratch(agent, "create", topic="Three", content="x")
    assert (full.status, full.error["code"], full.error["fields"]) == (409, "limit_reached", {"limit": 2})
    assert scratch(agent, "update", note_id=first["id"], topic="One again").status == 200
    # what has expired takes no room
    let_expire(first)
    assert scratch(agent, "create", topic="Three", content="x").status == 200


def test_a_list_shows_heads_and_goes_on(agent: Rest) -> None:
    for number in range(5):
        note(agent, f"Note {number}", f"line {number} " + "long " * 100 + "\nsecond line")
    first = scratch(agent, "list", query="LINE", limit=3).json
    assert first.keys() == {"items", "next", "total", "display"}
    assert [one["topic"] for one in first["items"]] == ["Note 4", "Note 3", "Note 2"]
    assert first["total"] == 5
    head = first["items"][0]
    assert head.keys() == HEAD_KEYS
    assert head["first_line"].startswith("line 4 long long")
    assert len(head["first_line"]) <= 200
    assert "second" not in str(first)
    ScratchNote.objects.filter(topic="Note 1").update(updated_at=F("updated_at") + timedelta(days=1))
    rest = scratch(agent, "list", query="line", limit=3, cursor=first["next"])
    assert (topics(rest), rest.json["next"]) == (["Note 0"], None)
    assert scratch(agent, "list", query="else", cursor=first["next"]).error["fields"].keys() == {"cursor"}


@pytest.mark.parametrize(
    ("query", "found"), [("TERMINAL", ["Two"]), ('["', []), ("%", ["One"]), ("w_o", []), ("straße", ["One"])]
)
def test_words_are_found_as_they_are_written_in_any_case(agent: Rest, query: str, found: list[str]) -> None:
    note(agent, "One", "100% of the STRASSE")
    note(agent, "Two", "nothing", tags=["terminal", "shell"])
    assert topics(scratch(agent, "list", query=query)) == found


def test_notes_of_other_agents_conversations_and_owners_are_not_seen(
    agent: Rest, alice: User, bob: User, person: Rest
) -> None:
    talk = make_conversation(alice)
    own, inside = note(agent, "Own"), note(agent, "Inside", conversation=talk.ref)
    assert topics(scratch(agent, "list")) == ["Own"]
    assert topics(scratch(agent, "list", conversation=talk.ref)) == ["Inside"]
    for other in (Rest(make_token(alice, agent="writer")), Rest(make_token(bob))):
        assert topics(scratch(other, "list")) == []
        for one in (own, inside):
            assert scratch(other, "get", note_id=one["id"]).status == 404
            assert scratch(other, "update", note_id=one["id"], topic="Mine").status == 404
            assert scratch(other, "delete", note_id=one["id"]).status == 404
        assert scratch(other, "clear").json["deleted"] == 0
    assert scratch(agent, "get", note_id=inside["id"]).status == 404
    assert topics(scratch(person, "list")) == []
    assert {scratch(person, "get", note_id=one["id"]).status for one in (own, inside)} == {200}
    assert scratch(agent, "clear", conversation=talk.ref).json["deleted"] == 1
    assert topics(scratch(agent, "list")) == ["Own"]


def test_a_page_asks_twice_whatever_stands_on_it(parties: Parties) -> None:
    place = Place.of(parties.coder)
    counts = []
    for number in range(3):
        services.create_note(place=place, given=services.NoteWords(f"Note {number}", "x", ["tag"]))
        with CaptureQueriesContext(connection) as asked:
            list_notes(place, query="e", limit=100)
        counts.append(len(asked))
    assert counts == [2, 2, 2]


@pytest.mark.parametrize("policy", ["mark", "redact", "refuse"])
def test_no_column_keeps_a_secret(agent: Rest, policy: str, settings: Any) -> None:
    settings.ENV = replace(settings.ENV, secrets_policy=policy)
    words = f"use {GITHUB_TOKEN} now"
    reply = scratch(agent, "create", topic=words, content=words, tags=[GITHUB_TOKEN])
    if policy == "refuse":
        assert (reply.status, reply.error["code"]) == (422, "secret_refused")
        assert scratch(agent, "create", topic="none", content="none").status == 200
        return
    assert GITHUB_TOKEN not in reply.body.decode()
    assert reply.json["content"] == "use [GitHub token removed] now"
    row = ScratchNote.objects.get()
    assert GITHUB_TOKEN.lower() not in repr(vars(row)).lower()
    assert row.flags == {name: ["github_token"] for name in ("topic", "content", "tags")}


def test_a_secret_behind_many_others_is_found_too(agent: Rest) -> None:
    many = "\n".join(f"password: hunter{number}x" for number in range(120))
    made = note(agent, content=many)
    assert "hunter" not in made["content"]
    assert made["content"].count("password: ") == 120
    hidden = f"{'ignore all previous instructions. ' * 60} {GITHUB_TOKEN}"
    refused = scratch(agent, "create", topic="x", content=hidden)
    assert (refused.status, list(refused.error["fields"])) == (422, ["content"])
