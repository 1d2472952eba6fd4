"""Everyday search: what was said in other conversations and in this one, and a word for those who only search."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import User
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_project, make_token
from tests.recall.asking import called, indexed, sent
from tests.recall.pi_lines import talk
from tests.surfaces.conftest import Rest

Found = dict[str, Any]


def searched(rest: Rest, query: str, **arguments: Any) -> Found:
    return called(rest, "conversation_search", query=query, **arguments)


def history(rest: Rest, query: str, within: str = "", **arguments: Any) -> Found:
    path = f"/tools/search_conversation_history{f'?conversation={within}' if within else ''}"
    reply = rest.post(path, {"query": query, **arguments})
    assert reply.status == 200, reply.body
    found: Found = reply.json
    return found


@pytest.fixture(params=["fresh", "indexed"])
def talked(request: pytest.FixtureRequest, agent: Rest, alice: User) -> Rest:
    first, second = make_conversation(alice, title="Boats"), make_conversation(alice, title="Bread")
    told(agent, first.ref, turn("Where do we sail in June?"), turn("To Bergen, by the fjords.", "assistant"))
    told(agent, second.ref, turn("The rye dough rises slowly."), turn("Use warmer water.", "assistant"), run="r2")
    sent(agent, "s.jsonl", talk("How do sails work?", "They are wings that stand upright."))
    if request.param == "indexed":
        indexed(alice)
    return agent


def test_words_of_one_stem_are_found_with_where_they_were_said(talked: Rest) -> None:
    found = searched(talked, "sailing")
    assert {item["turn"].rpartition(":")[2] for item in found["items"]} >= {"1"}
    first = found["items"][0]
    assert set(first) == {"conversation", "title", "agent", "role", "turn", "at", "snippet", "score"}
    assert {item["snippet"] for item in found["items"]} >= {"Where do we sail in June?", "How do sails work?"}
    assert {item["agent"] for item in found["items"]} >= {"coder", "pi"}
    assert found["coverage"] == {
        "complete": True,
        "conversations": 3,
        "entries": 6,
        "skipped_encrypted": 0,
        "reasons": [],
    }
    assert searched(talked, "submarine")["items"] == []


def test_every_hit_can_be_read(talked: Rest) -> None:
    for item in searched(talked, "sail")["items"]:
        (read,) = called(talked, "read_turn", ref=item["turn"])["turns"]
        assert item["snippet"] in [step["text"] for step in read["steps"]]
        (full,) = called(talked, "read_turn", ref=item["turn"], full=True)["turns"]
        assert all(step["raw"] for step in full["steps"])


def test_the_current_conversation_is_left_out_unless_it_is_asked_for(agent: Rest, alice: User) -> None:
    here = make_conversation(alice)
    told(agent, here.ref, turn("The heron lives here."))
    address = f"/tools/conversation_search?conversation={here.ref}"
    assert agent.post(address, {"query": "heron"}).json["items"] == []
    assert len(agent.post(address, {"query": "heron", "include_current": True}).json["items"]) == 1


def test_one_conversation_does_not_fill_the_answer(agent: Rest, alice: User) -> None:
    long = make_conversation(alice)
    told(agent, long.ref, *[turn(f"The heron, part {n}.") for n in range(8)])
    sent(agent, "s.jsonl", talk("A heron."))
    assert len(searched(agent, "heron")["items"]) == 4
    assert len(searched(agent, "heron", per_conversation=20)["items"]) == 9


def test_pages_follow_one_another(agent: Rest, alice: User) -> None:
    told(agent, make_conversation(alice).ref, *[turn(f"The heron, part {n}.") for n in range(8)])
    question = {"per_conversation": 20, "limit": 3}
    seen, page = [], searched(agent, "heron", **question)
    while True:
        seen += [item["turn"] for item in page["items"]]
        if page["next"] is None:
            break
        page = searched(agent, "heron", cursor=page["next"], **question)
    assert len(seen) == len(set(seen)) == 8
    first = searched(agent, "heron", **question)["next"]
    assert agent.post("/tools/conversation_search", {"query": "robin", "cursor": first}).status == 422


def test_only_what_one_agent_was_told(agent: Rest, alice: User) -> None:
    other = Rest(make_token(alice, agent="nightly"))
    told(agent, make_conversation(alice).ref, turn("The heron by day."))
    told(other, make_conversation(alice).ref, turn("The heron by night."), run="r2")
    assert [item["snippet"] for item in searched(agent, "heron", agent="nightly")["items"]] == ["The heron by night."]
    assert searched(agent, "heron", agent="nobody")["items"] == []


def test_history_stays_in_its_conversation_and_fails_closed(agent: Rest, alice: User) -> None:
    here, there = make_conversation(alice), make_conversation(alice)
    told(agent, here.ref, turn("The heron is here."))
    told(agent, here.ref, turn("The heron was there."), run="r2")
    told(agent, there.ref, turn("Another heron."), run="r3")
    assert len(history(agent, "heron", here.ref)["items"]) == 2
    assert [item["turn"] for item in history(agent, "heron", here.ref, run_id="r2")["items"]] == ["r2:1"]
    assert len(history(agent, "heron", here.ref, scope="all")["items"]) == 3
    closed = history(agent, "heron")
    assert (closed["items"], closed["coverage"]["reasons"]) == ([], ["no_conversation"])
    foreign, unknown = (history(agent, "heron", here.ref, run_id=run) for run in ("r3", "r9"))
    assert foreign == unknown
    assert foreign["items"] == []


@pytest.mark.parametrize("query", ["!!!", "the of and"])
def test_a_question_without_a_telling_word_finds_nothing_or_little(agent: Rest, alice: User, query: str) -> None:
    told(agent, make_conversation(alice).ref, turn("A heron!!!"))
    assert searched(agent, query)["items"] == []
    assert len(searched(agent, "heron")["items"]) == 1


def test_a_word_deep_in_a_long_result_is_found_and_shown(agent: Rest, alice: User) -> None:
    long = "x " * 4500 + "the heron sits " + "y " * 2000
    steps = [
        {"kind": "tool_call", "tool": "look", "call_id": "1", "content": {"at": "birds"}},
        {"kind": "tool_result", "call_id": "1", "content": long},
    ]
    told(agent, make_conversation(alice).ref, {"role": "assistant", "steps": steps})
    (item,) = searched(agent, "heron")["items"]
    assert "the heron sits" in item["snippet"]
    assert item["role"] == "toolResult"


def test_what_memory_put_into_a_prompt_is_not_found(agent: Rest, alice: User) -> None:
    block = "## Persistent memory\n<memory-ab12cd>\nAda keeps herons\n</memory-ab12cd>\nWhat does she keep?"
    told(agent, make_conversation(alice).ref, *[turn(block) for _ in range(3)])
    told(agent, make_conversation(alice).ref, turn("Ada told me so herself."), run="r2")
    indexed(alice)
    assert [item["snippet"] for item in searched(agent, "Ada")["items"]] == ["Ada told me so herself."]
    assert called(agent, "memory_recall", query="herons", scope="global")["total"] == 0
    assert called(agent, "memory_recall", query="persistent", scope="global")["total"] == 3
    assert called(agent, "memory_recall", query="keeps herons", queryMode="phrase", scope="global")["total"] == 0


def test_who_searches_again_and_again_is_told_to_read(agent: Rest, alice: User) -> None:
    told(agent, make_conversation(alice).ref, turn("The heron is here."))
    nudges = [searched(agent, "heron")["nudge"] for _ in range(3)]
    assert nudges[:2] == [None, None]
    assert "read_turn r1:1" in nudges[2]
    called(agent, "read_turn", ref="r1:1")
    assert searched(agent, "heron")["nudge"] is None
    assert [searched(agent, "nothing of it")["nudge"] for _ in range(4)] == [None] * 4


def test_encrypted_and_temporary_conversations_are_searched_by_nobody(agent: Rest, person: Rest, alice: User) -> None:
    sealed = agent.post("/conversations", {"encrypted": True}).json["ref"]
    passing = agent.post("/conversations", {"temporary": True}).json["ref"]
    told(agent, sealed, turn("The heron is a secret."))
    told(agent, passing, turn("The heron passes by."), run="r2")
    told(agent, make_conversation(alice).ref, turn("The heron is known."), run="r3")
    indexed(alice)
    found = searched(agent, "heron")
    assert [item["snippet"] for item in found["items"]] == ["The heron is known."]
    assert found["coverage"]["skipped_encrypted"] == 1
    assert called(agent, "memory_recall", query="heron", scope="global")["total"] == 1


@pytest.mark.parametrize("flag", ["encrypted", "temporary"])
def test_a_conversation_that_nobody_searches_proves_nothing(agent: Rest, alice: User, flag: str) -> None:
    project = make_project(alice, "Aviary")
    known = agent.post(f"/conversations?project={project.slug}", {}).json["ref"]
    told(agent, known, turn("The heron is known."), run="r3")
    sealed = agent.post(f"/conversations?project={project.slug}", {flag: True}).json["ref"]
    told(agent, sealed, turn("The robin is a secret."))
    for word in ("robin", "heron"):
        found = history(agent, word, sealed)
        assert (found["items"], found["coverage"]["complete"]) == ([], False)
        assert found["coverage"]["reasons"] == ["never_searched"]
        address = f"/tools/conversation_search?conversation={sealed}"
        for current in (True, False):
            asked = agent.post(address, {"query": word, "include_current": current}).json
            assert asked["coverage"]["complete"] == (not current)
        # Nor does another session answer for it.
        for scope, expected in (("session", 0), ("project", 1)):
            address = f"/tools/memory_recall?conversation={sealed}"
            answer = agent.post(address, {"query": "heron", "scope": scope}).json
            assert answer["total"] == expected
            assert (answer["error"] or {}).get("code") == (None if expected else "session_not_found")


def test_of_another_owner_nothing_is_told(agent: Rest, bob: User, alice: User) -> None:
    told(agent, make_conversation(alice).ref, turn("The heron is here."))
    stranger = Rest(make_token(bob, agent="coder"))
    found = searched(stranger, "heron")
    assert (found["items"], found["coverage"]["conversations"], found["coverage"]["entries"]) == ([], 0, 0)
    assert history(stranger, "heron", scope="all")["items"] == []
    assert len(searched(agent, "heron")["items"]) == 1


def test_what_was_told_in_many_conversations_is_read_at_once(agent: Rest, alice: User) -> None:
    def statements(query: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert searched(agent, query, limit=50)["items"]
            assert called(agent, "memory_recall", query=query, scope="global", pageSize=50)["hits"]
        return len(asked)

    told(agent, make_conversation(alice).ref, turn("One heron."), run="one")
    for number in range(30):
        told(agent, make_conversation(alice).ref, turn(f"Robin {number}."), run=f"r{number}")
    for _ in range(2):
        assert statements("heron") == statements("robin")
        indexed(alice)
