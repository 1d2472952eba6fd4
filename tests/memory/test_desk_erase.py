"""What is left of tasks and notes when the conversation or the agent they belong to is deleted."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.services import delete_conversation
from memory.desk import erasing
from memory.models import ScratchNote, TodoDependency, TodoTask
from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.identity.models import Agent, ApiToken, IdempotentReply
from tests.factories import make_conversation, make_token
from tests.memory.desk import note, scratch, task, todo
from tests.review.beliefs import Parties
from tests.review.canary import CANARY, places_of
from tests.surfaces.conftest import Rest

KEY = {"Idempotency-Key": "k1"}


def test_a_deleted_conversation_takes_them_along(parties: Parties, agent: Rest) -> None:
    talk = make_conversation(parties.user)
    kept = task(agent, "Kept"), note(agent, "Kept")
    first = task(agent, f"The {CANARY}", conversation=talk.ref, metadata={"x": CANARY}, external_id=CANARY)
    task(agent, f"Feed the {CANARY}", conversation=talk.ref, blocked_by=[first["id"]])
    note(Rest(make_token(parties.user, agent="writer")), f"About the {CANARY}", conversation=talk.ref, tags=[CANARY])
    body = {"action": "create", "topic": "x", "content": CANARY}
    agent.post(f"/tools/scratchpad?conversation={talk.ref}", body, **KEY)
    once(parties.coder, "k2", "d" * 64, lambda: Reply(200, json.dumps({"id": kept[0]["id"]})))
    assert places_of(CANARY) == {"memory_todotask", "memory_scratchnote", "kept reply"}

    delete_conversation(principal=parties.person, conversation=talk)

    assert places_of(CANARY) == set()
    assert [f"td_{row.ref}" for row in TodoTask.objects.all()] == [kept[0]["id"]]
    assert [f"sp_{row.ref}" for row in ScratchNote.objects.all()] == [kept[1]["id"]]
    assert not TodoDependency.objects.exists()
    assert IdempotentReply.objects.count() == 1


def test_they_go_in_slices(parties: Parties, agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "_SLICE", 2)
    talk = make_conversation(parties.user)
    for number in range(5):
        task(agent, f"Task {number}", conversation=talk.ref)
    with CaptureQueriesContext(connection) as asked:
        delete_conversation(principal=parties.person, conversation=talk)
    told = [one["sql"].replace('"', "") for one in asked.captured_queries]
    assert len([sql for sql in told if sql.startswith("DELETE FROM memory_todotask WHERE memory_todotask.id IN")]) == 3
    assert not TodoTask.objects.exists()


def test_a_deleted_agent_takes_its_own_along(parties: Parties, agent: Rest, person: Rest) -> None:
    task(agent), note(agent), task(person, "Hers"), note(person, "Hers")
    other = Rest(make_token(parties.user, agent="writer"))
    task(other, "Others"), note(other, "Others")
    ApiToken.objects.filter(agent__name="coder").delete()
    Agent.objects.filter(name="coder").delete()
    assert set(TodoTask.objects.values_list("subject", flat=True)) == {"Hers", "Others"}
    assert set(ScratchNote.objects.values_list("topic", flat=True)) == {"Hers", "Others"}
    assert todo(person, "list").json["total"] == 1
    assert scratch(person, "list").json["total"] == 1
