"""What a context says of a diary: the last entries, and once in a while that it is time to look back."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.context import build_context
from memory.diary.blocks import latest_entries, reflection_due
from memory.diary.reflection import due_of
from memory.diary.services import admit_entry, close_diary
from memory.models import Diary, DiaryEntry
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import UTC, Principal
from pawflow_web.identity.services import principal_of_agent, update_agent
from pawflow_web.lib.blocks import NOTICE, Ask
from tests.factories import AUTOMATION, make_token
from tests.memory.diary import HOSTILE, write, write_many, written_before
from tests.memory.notes import texts
from tests.review.beliefs import Parties
from tests.surfaces.conftest import Rest

pytestmark = pytest.mark.usefixtures("unhurried")

DIARY, DUE = "diary", "reflection_due"


def block(rest: Rest, name: str) -> str:
    """What an agent's context says under that name; empty where it does not."""
    blocks = {one["name"]: one["text"] for one in rest.get("/context").json["blocks"]}
    return str(blocks.get(name, ""))


# --- the last entries -----------------------------------------------------------------------------------------


def test_it_holds_the_last_entries_fenced_and_says_their_sort(parties: Parties, agent: Rest) -> None:
    write(parties.coder, "I saw\n\na heron.")
    write(parties.coder, "I take the bridge.", sort="decision")
    shown = block(agent, DIARY)
    assert shown.startswith("## Your diary (past observations)\n<memory-")
    assert f"\n{NOTICE}\n- decision: I take the bridge.\n- I saw a heron.\n</memory-" in shown


def test_an_entry_is_cut_at_a_hundred_characters_and_ten_are_read(parties: Parties) -> None:
    write_many(parties.coder, 12)
    content = latest_entries(Ask(parties.coder))
    assert content is not None
    assert texts(content) == [f"I noticed thing number {n}." for n in range(11, 1, -1)]
    assert content.foot_always
    write(parties.coder, "a" * 100)
    write(parties.coder, "b" * 101)
    cut = texts(latest_entries(Ask(parties.coder)))[:2]
    assert cut == ["b" * 99 + "…", "a" * 100]


def test_it_never_takes_more_than_600_characters_and_cuts_between_entries(parties: Parties, agent: Rest) -> None:
    for n in range(10):
        write(parties.coder, f"{n} " + "x" * 200)
    shown = block(agent, DIARY)
    lines = [line for line in shown.splitlines() if line.startswith("- ")]
    assert len(shown) <= 600
    assert len(lines) >= 3
    assert all(line.endswith("x…") for line in lines)
    assert "diary_read gives the rest." in shown
    explained = agent.get("/context?explain=1").json["explain"][DIARY]
    assert len(explained["left_out"]) == 10 - len(lines)
    assert all(row["ref"].startswith("di_") and row["reason"] == "budget" for row in explained["left_out"])


def test_it_leaves_out_what_waits_for_a_person_until_they_let_it_in(alice: User, parties: Parties, agent: Rest) -> None:
    plain = write(parties.coder, "I see clearly.")
    nightly = Rest(make_token(alice, agent="coder", origin=AUTOMATION))
    nightly.post("/tools/diary_write", {"entry": "I ran at night."})
    flagged = write(parties.coder, HOSTILE)
    assert plain.text in block(agent, DIARY)
    assert "night" not in block(agent, DIARY)
    assert "Ignore" not in block(agent, DIARY)
    for entry in DiaryEntry.objects.exclude(pk=plain.pk):
        admit_entry(principal=parties.person, reference=str(entry), admitted=True)
    assert "I ran at night." in block(agent, DIARY)
    assert "Ignore" in block(agent, DIARY)
    admit_entry(principal=parties.person, reference=str(flagged), admitted=False)
    assert "Ignore" not in block(agent, DIARY)


def test_it_is_the_agents_own_and_nobody_elses(parties: Parties, agent: Rest, person: Rest) -> None:
    write(parties.writer, "I am the writer.")
    assert block(agent, DIARY) == ""
    assert block(person, DIARY) == ""
    write(parties.coder, "I am the coder.")
    close_diary(principal=parties.person, agent="coder", closed=True)
    assert "I am the coder." in block(agent, DIARY)
    assert "writer" not in block(agent, DIARY)
    assert latest_entries(Ask(parties.person)) is None


def test_a_secure_agent_gets_no_word_of_it(alice: User, parties: Parties, agent: Rest) -> None:
    write_many(parties.coder, 5)
    assert block(agent, DIARY)
    update_agent(user=alice, name="coder", profile="secure")
    assert agent.get("/context").json["blocks"] == []


def test_another_day_shows_what_was_written_by_then(parties: Parties) -> None:
    written_before(write(parties.coder, "I was early."), days=3)
    write(parties.coder, "I was late.")
    then = timezone.now() - timedelta(days=1)
    assert texts(latest_entries(Ask(parties.coder, at=then))) == ["I was early."]
    assert texts(latest_entries(Ask(parties.coder))) == ["I was late.", "I was early."]


@pytest.mark.parametrize("build", [latest_entries, reflection_due])
def test_each_block_costs_one_statement(parties: Parties, build: Any) -> None:
    write_many(parties.coder, 12)
    with CaptureQueriesContext(connection) as asked:
        assert build(Ask(parties.coder)) is not None
    assert len(asked) == 1


# --- a reflection is due --------------------------------------------------------------------------------------


def due(principal: Principal) -> int:
    """How many entries ask for a reflection; 0 while none is due."""
    assert principal.agent_id is not None
    found = due_of(principal.agent_id)
    return found.count if found else 0


def test_it_is_due_after_five_entries(parties: Parties) -> None:
    assert due(parties.coder) == 0
    write_many(parties.coder, 4)
    assert due(parties.coder) == 0
    write(parties.coder)
    assert due(parties.coder) == 5
    assert due(parties.writer) == 0


@pytest.mark.parametrize(
    ("hours", "entries", "expected"), [(5.9, 8, 0), (6.1, 4, 0), (6.1, 5, 5), (100, 7, 7), (-100, 5, 5)]
)
def test_after_a_reflection_it_takes_five_more_and_six_hours(
    parties: Parties, hours: float, entries: int, expected: int
) -> None:
    """A negative number of hours: the clock was put back since."""
    write_many(parties.coder, 10)
    written_before(write(parties.coder, "I see why.", sort="reflection"), hours=hours)
    write_many(parties.coder, entries)
    assert due(parties.coder) == expected


def test_a_long_diary_is_counted_to_a_bound(parties: Parties) -> None:
    write_many(parties.coder, 3)
    rows = DiaryEntry.objects.values().first()
    assert rows is not None
    rows.pop("id")
    DiaryEntry.objects.bulk_create(DiaryEntry(**{**rows, "ref": f"{n:012x}"}) for n in range(300))
    assert due(parties.coder) == 200
    (words,) = texts(reflection_due(Ask(parties.coder)))
    assert "200 entries or more" in words


def test_the_request_says_how_much_there_is_and_asks_for_one(parties: Parties, agent: Rest) -> None:
    write_many(parties.coder, 7)
    today = timezone.now().astimezone(UTC)
    shown = block(agent, DUE)
    assert shown.startswith("## Reflection due\nYour diary has 7 entries since ")
    assert f"since {today.day} {today:%B %Y} and no reflection yet" in shown
    for asked in ("exactly one", "diary_write with type reflection", "Not a summary", "kg_add or a skill"):
        assert asked in shown
    assert "<memory-" not in shown
    written_before(write(parties.coder, "I see why.", sort="reflection"), days=400)
    write_many(parties.coder, 5)
    assert "5 entries since your reflection of " in block(agent, DUE)


def test_reading_marks_nothing_and_the_next_write_does(parties: Parties, agent: Rest, person: Rest) -> None:
    write_many(parties.coder, 5)
    for _ in range(3):
        assert block(agent, DUE)
    agent.post("/tools/diary_read", {})
    person.get("/context?agent=coder")
    assert block(agent, DUE)
    assert not Diary.objects.exists()

    assert agent.post("/tools/remember", {"text": "The canary is green."}).status == 200
    assert Diary.objects.get().asked_at is not None
    assert block(agent, DUE) == ""
    assert block(agent, DIARY)


def test_what_was_never_shown_is_not_taken_for_asked(parties: Parties, agent: Rest, person: Rest) -> None:
    for n in range(6):
        assert agent.post("/tools/diary_write", {"entry": f"I noticed {n}."}).status == 200
    assert not Diary.objects.exists()
    assert person.get("/context?agent=coder").json["blocks"]
    build_context(principal_of_agent(agent_row(parties), UTC))
    agent.post("/tools/remember", {"text": "The canary is green."})
    assert not Diary.objects.exists()
    assert block(agent, DUE)


def test_a_write_that_is_refused_marks_nothing(parties: Parties, agent: Rest) -> None:
    write_many(parties.coder, 5)
    assert block(agent, DUE)
    assert agent.post("/tools/remember", {"text": ""}).status == 422
    assert block(agent, DUE)
    assert agent.post("/tools/remember", {"text": "The canary is green."}, **{"Idempotency-Key": "k1"}).status == 200
    assert block(agent, DUE) == ""


@pytest.mark.parametrize(("hours", "again"), [(5.9, False), (6.1, True), (-1, True)])
def test_while_it_is_due_it_is_asked_again_after_six_hours(
    parties: Parties, agent: Rest, hours: float, again: bool
) -> None:
    """A negative number of hours: the clock was put back since."""
    write_many(parties.coder, 5)
    Diary.objects.create(
        agent_id=parties.coder.agent_id, user=parties.user, asked_at=timezone.now() - timedelta(hours=hours)
    )
    assert bool(block(agent, DUE)) is again


def test_it_is_gone_once_the_reflection_is_written(parties: Parties, agent: Rest) -> None:
    write_many(parties.coder, 5)
    assert block(agent, DUE)
    agent.post("/tools/diary_write", {"entry": "I rush when it is late.", "type": "reflection"})
    Diary.objects.update(asked_at=None)
    assert block(agent, DUE) == ""
    assert "reflection: I rush when it is late." in block(agent, DIARY)


def test_a_mark_that_cannot_be_written_fails_no_write(
    parties: Parties, agent: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(parties.coder, 5)
    assert block(agent, DUE)

    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Diary.objects, "update_or_create", broken)
    assert agent.post("/tools/remember", {"text": "The canary is green."}).status == 200
    assert block(agent, DUE)


def agent_row(parties: Parties) -> Any:
    return parties.user.agents.select_related("user").get(name="coder")
