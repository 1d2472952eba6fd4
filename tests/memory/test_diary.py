"""Diaries: who writes and reads which, what is kept of the words, and what goes with whom."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import structlog
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from conversations.services import delete_conversation
from memory.diary.reading import find_entry
from memory.diary.services import admit_entry, close_diary, delete_entry
from memory.models import Diary, DiaryEntry
from pawflow_web.identity.models import Agent, User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, NotAllowed, NotFound
from tests.factories import AUTOMATION, GITHUB_TOKEN, make_conversation, make_principal, make_token
from tests.memory.diary import HOSTILE, diary_read, texts, write, write_many
from tests.review.beliefs import Parties
from tests.surfaces.conftest import Rest


@pytest.fixture
def writer(alice: User) -> Rest:
    """Another agent of alice."""
    return Rest(make_token(alice, agent="writer"))


# --- writing --------------------------------------------------------------------------------------------------


def test_the_answer_names_the_entry_and_reading_gives_it_whole(agent: Rest) -> None:
    reply = agent.post(
        "/tools/diary_write",
        {
            "entry": " I will never route\r\nstaging\0 through Dublin again. ",
            "type": "decision",
            "tags": ["Deploy", "deploy "],
        },
    )
    written = reply.json
    assert reply.status == 200
    assert written.keys() == {"id", "type", "flagged", "created_at", "display"}
    assert re.fullmatch(r"di_[0-9a-f]{12}", written["id"])
    assert (written["type"], written["flagged"]) == ("decision", False)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", written["created_at"])
    for named in (written["id"], written["id"][3:], f"#{written['id'][3:]}"):
        answer = diary_read(agent, entry_id=named)
        assert answer["next"] is None
        assert answer["items"] == [
            {
                "id": written["id"],
                "agent": "coder",
                "type": "decision",
                "text": "I will never route\nstaging through Dublin again.",
                "truncated": False,
                "flagged": False,
                "tags": ["deploy"],
                "created_at": written["created_at"],
            }
        ]
    assert DiaryEntry.objects.get().admitted


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "entry"),
        ({"entry": ""}, "entry"),
        ({"entry": " \n\u200b"}, "entry"),
        ({"entry": "x" * 8001}, "entry"),
        ({"entry": "\ud800"}, "entry"),
        ({"entry": "I see.", "type": "bogus"}, "type"),
        ({"entry": "I see.", "tags": ["x" * 81]}, "tags.0"),
        ({"entry": "I see.", "tags": ["x"] * 21}, "tags"),
        ({"entry": "I see.", "tags": [GITHUB_TOKEN]}, "tags"),
        ({"entry": "I see.", "agent": "writer"}, "agent"),
        ({"entry": "I see.", "origin": "user_channel"}, "origin"),
    ],
)
def test_what_is_no_entry_is_refused_by_name(agent: Rest, arguments: dict[str, Any], field: str) -> None:
    refused = agent.post("/tools/diary_write", arguments)
    assert (refused.status, list(refused.error["fields"])) == (422, [field])
    assert not DiaryEntry.objects.exists()
    assert (
        agent.post("/tools/diary_write", {"entry": "x" * 8000, "tags": [f"tag {n}" for n in range(20)]}).status == 200
    )


def test_a_person_has_no_diary_to_write_in(person: Rest, agent: Rest) -> None:
    refused = person.post("/tools/diary_write", {"entry": "I see."})
    assert (refused.status, refused.error["code"], refused.error["fields"]) == (422, "invalid", {})
    assert agent.post("/tools/diary_write", {"entry": "I see."}).status == 200


@pytest.mark.parametrize("party", ["coder", "cron", "unknown"])
def test_only_who_speaks_for_the_owner_gets_into_contexts_at_once(parties: Parties, party: str) -> None:
    entry = write(getattr(parties, party))
    assert (entry.admitted, entry.origin) == ((True, "user_channel") if party == "coder" else (False, "automation"))


def test_an_order_to_agents_is_kept_and_flagged_and_given_to_no_agent(
    parties: Parties, agent: Rest, writer: Rest, person: Rest
) -> None:
    plain = write(parties.coder)
    flagged = agent.post("/tools/diary_write", {"entry": HOSTILE}).json
    tagged = agent.post("/tools/diary_write", {"entry": "I see.", "tags": [HOSTILE[:80]]}).json
    assert (flagged["flagged"], tagged["flagged"]) == (True, True)
    for reader in (agent, writer):
        answer = diary_read(reader, agents=["coder"])
        assert [item["flagged"] for item in answer["items"]] == [True, True, False]
        assert plain.text in texts(answer)
        assert "previous instructions" not in str(answer)
        assert "previous instructions" not in str(diary_read(reader, entry_id=flagged["id"]))
    assert HOSTILE in texts(diary_read(person))

    admit_entry(principal=parties.person, reference=flagged["id"], admitted=True)
    assert HOSTILE in texts(diary_read(agent))


def test_a_secret_is_taken_out_of_an_entry(parties: Parties, agent: Rest, person: Rest, settings: Any) -> None:
    said = f"I deployed with {GITHUB_TOKEN} today."
    for policy in ("mark", "redact"):
        settings.ENV = replace(settings.ENV, secrets_policy=policy)
        written = agent.post("/tools/diary_write", {"entry": said})
        assert (written.status, written.json["flagged"]) == (200, True)
        for rest in (agent, person):
            text = diary_read(rest, entry_id=written.json["id"])["items"][0]["text"]
            assert text.startswith("I deployed with [")
            assert text.endswith("] today.")
            assert GITHUB_TOKEN not in text
    assert not DiaryEntry.objects.filter(admitted=True).exists()
    settings.ENV = replace(settings.ENV, secrets_policy="refuse")
    refused = agent.post("/tools/diary_write", {"entry": said})
    assert (refused.status, refused.error["code"]) == (422, "secret_refused")
    assert agent.post("/tools/diary_write", {"entry": "I deployed today."}).status == 200


def test_an_entry_in_which_too_much_is_found_to_look_through_it_all_is_refused(agent: Rest) -> None:
    many = "\n".join(f"{HOSTILE} {n}" for n in range(60)) + GITHUB_TOKEN
    refused = agent.post("/tools/diary_write", {"entry": many[:8000]})
    assert (refused.status, list(refused.error["fields"])) == (422, ["entry"])


# --- reading --------------------------------------------------------------------------------------------------


def test_lists_are_newest_first_and_go_on_behind_the_last(parties: Parties, agent: Rest) -> None:
    entries = [str(entry) for entry in write_many(parties.coder, 25)][::-1]
    first = diary_read(agent)
    assert [item["id"] for item in first["items"]] == entries[:10]
    write(parties.coder, "I came in between.")
    second = diary_read(agent, cursor=first["next"], limit=10)
    third = diary_read(agent, cursor=second["next"])
    assert [item["id"] for page in (second, third) for item in page["items"]] == entries[10:]
    assert third["next"] is None
    other = agent.post("/tools/diary_read", {"cursor": first["next"], "type": "decision"})
    assert (other.status, list(other.error["fields"])) == (422, ["cursor"])


def test_a_list_holds_the_beginning_and_says_that_there_is_more(parties: Parties, agent: Rest) -> None:
    short, long = write(parties.coder, "a" * 1000), write(parties.coder, "ä" * 1001)
    items = {item["id"]: item for item in diary_read(agent)["items"]}
    assert (items[str(short)]["text"], items[str(short)]["truncated"]) == (short.text, False)
    assert (items[str(long)]["text"], items[str(long)]["truncated"]) == ("ä" * 1000, True)
    whole = diary_read(agent, entry_id=str(long))["items"][0]
    assert (whole["text"], whole["truncated"]) == (long.text, False)


def test_a_list_is_narrowed_by_type_and_time(parties: Parties, agent: Rest) -> None:
    old = write(parties.coder, "I decided early.", sort="decision")
    new = write(parties.coder, "I decided late.", sort="decision")
    noise = write(parties.coder)
    DiaryEntry.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=400))
    assert texts(diary_read(agent, type="decision")) == [new.text, old.text]
    assert texts(diary_read(agent, type="reflection")) == []
    a_year_ago = (timezone.now() - timedelta(days=365)).date().isoformat()
    assert texts(diary_read(agent, before=a_year_ago)) == [old.text]
    assert texts(diary_read(agent, before=timezone.now().timestamp() + 60)) == [noise.text, new.text, old.text]
    for wrong in (
        {"before": "soon"},
        {"before": "2026-01-01T10:00:00"},
        {"type": "bogus"},
        {"limit": 0},
        {"limit": 101},
    ):
        refused = agent.post("/tools/diary_read", wrong)
        assert (refused.status, list(refused.error["fields"])) == (422, list(wrong))


def test_others_are_read_by_name_unless_closed(
    parties: Parties, strangers: Parties, agent: Rest, writer: Rest, person: Rest
) -> None:
    own, theirs = write(parties.coder, "I am the coder."), write(parties.writer, "I am the writer.")
    write(strangers.writer, "I am a stranger.")
    assert texts(diary_read(agent)) == [own.text]
    assert texts(diary_read(agent, agents=["writer"])) == [theirs.text]
    assert texts(diary_read(agent, agents=["writer", "coder"])) == [theirs.text, own.text]
    assert texts(diary_read(agent, agents=["*"])) == [theirs.text, own.text]
    assert texts(diary_read(agent, entry_id=str(theirs))) == [theirs.text]
    assert texts(diary_read(person)) == texts(diary_read(person, agents=["*"])) == [theirs.text, own.text]

    close_diary(principal=parties.person, agent="writer", closed=True)
    closed, unknown = diary_read(agent, agents=["writer"]), diary_read(agent, agents=["nobody"])
    assert closed == unknown
    assert closed["items"] == []
    assert texts(diary_read(agent, agents=["*"])) == [own.text]
    refused = [agent.post("/tools/diary_read", {"entry_id": named}) for named in (str(theirs), "di_0123456789ab", "x")]
    assert {reply.status for reply in refused} == {404}
    assert refused[0].body.replace(str(theirs).encode(), b"-") == refused[1].body.replace(b"di_0123456789ab", b"-")
    assert texts(diary_read(writer)) == texts(diary_read(writer, agents=["writer"])) == [theirs.text]
    assert texts(diary_read(person, agents=["writer"])) == [theirs.text]

    close_diary(principal=parties.person, agent="writer", closed=False)
    assert texts(diary_read(agent, agents=["writer"])) == [theirs.text]


def test_a_list_costs_one_statement_however_long(parties: Parties, agent: Rest) -> None:
    counts = []
    for entries in (1, 40):
        write_many(parties.writer, entries)
        with CaptureQueriesContext(connection) as asked:
            diary_read(agent, agents=["*"], limit=100)
        counts.append(len([query for query in asked if "memory_diaryentry" in query["sql"]]))
    assert counts == [1, 1]


# --- what a person does ---------------------------------------------------------------------------------------


def test_only_the_person_decides_over_a_diary(parties: Parties, strangers: Parties) -> None:
    nightly = make_principal(parties.user, agent="nightly", origin=AUTOMATION)
    entry = write(nightly)
    deeds: list[Callable[[Principal], object]] = [
        lambda who: admit_entry(principal=who, reference=str(entry), admitted=True),
        lambda who: close_diary(principal=who, agent="nightly", closed=True),
        lambda who: delete_entry(principal=who, reference=str(entry)),
    ]
    for deed in deeds:
        with pytest.raises(NotAllowed):
            deed(nightly)
        with pytest.raises(NotFound):
            deed(strangers.person)
    entry.refresh_from_db()
    assert not entry.admitted
    assert not Diary.objects.exists()
    for deed in deeds:
        deed(parties.person)
    assert Diary.objects.get().closed
    assert not DiaryEntry.objects.exists()


def test_what_a_person_does_stands_in_the_log_without_the_words(
    parties: Parties, django_capture_on_commit_callbacks: Any
) -> None:
    entry = write(parties.cron, "I saw a heron.")
    with structlog.testing.capture_logs() as logged, django_capture_on_commit_callbacks(execute=True):
        for admitted in (True, True, False):
            admit_entry(principal=parties.person, reference=str(entry), admitted=admitted)
        close_diary(principal=parties.person, agent="cron", closed=True)
        delete_entry(principal=parties.person, reference=str(entry))
    events = ["diary_entry_let_in", "diary_entry_kept_out", "diary_closed", "diary_entry_deleted"]
    assert [line["event"] for line in logged] == events
    assert {(line["owner"], line["agent"]) for line in logged} == {("alice", "cron")}
    assert "heron" not in str(logged)
    with pytest.raises(NotFound):
        find_entry(parties.person, str(entry))


# --- what goes with whom --------------------------------------------------------------------------------------


def test_a_conversation_that_is_deleted_takes_no_entry_along(parties: Parties, agent: Rest) -> None:
    conversation = make_conversation(parties.user)
    inside = parties.coder.within(conversation.pk, conversation.ref)
    entry = write(inside, "I learned it there.")
    assert entry.conversation_id == conversation.pk
    delete_conversation(principal=parties.person, conversation=conversation)
    entry.refresh_from_db()
    assert entry.conversation_id is None
    assert texts(diary_read(agent)) == ["I learned it there."]


def test_a_diary_goes_with_its_agent(parties: Parties) -> None:
    write(parties.coder)
    write(parties.writer)
    close_diary(principal=parties.person, agent="coder", closed=True)
    coder = Agent.objects.get(name="coder")
    coder.tokens.all().delete()
    coder.delete()
    assert DiaryEntry.objects.get().agent.name == "writer"
    assert not Diary.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"type": "bogus"}, {"origin": "importer"}, {"flags": ["odd"]}, {"tags": ["x"] * 21}], ids=str
)
def test_the_database_itself_refuses_what_is_no_entry(parties: Parties, wrong: dict[str, Any]) -> None:
    entry = write(parties.coder)
    with pytest.raises(IntegrityError), transaction.atomic():
        DiaryEntry.objects.filter(pk=entry.pk).update(**wrong)
    DiaryEntry.objects.filter(pk=entry.pk).update(type="learning", flags=["secret"], tags=["x"] * 20)


def test_automation_of_an_agent_and_its_owner_write_one_diary(alice: User, parties: Parties, agent: Rest) -> None:
    nightly = Rest(make_token(alice, agent="coder", origin=AUTOMATION))
    assert nightly.post("/tools/diary_write", {"entry": "I ran at night."}).status == 200
    narrowed = agent.post("/tools/diary_write", {"entry": "I ran alone."}, **{"X-PawFlow-Origin": "automation"})
    assert narrowed.status == 200
    assert texts(diary_read(agent)) == texts(diary_read(nightly)) == ["I ran alone.", "I ran at night."]
    assert not DiaryEntry.objects.filter(admitted=True).exists()


def test_a_bad_type_is_refused_under_the_tool_too(parties: Parties) -> None:
    with pytest.raises(Invalid, match="no type"):
        write(parties.coder, sort="bogus")
