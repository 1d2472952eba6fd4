"""Following hits and pages: what a pointer promises, and what it says when that does not hold any more."""

import json

import pytest

from pawflow_web.identity.models import User
from tests.recall.asking import called, expanded, indexed, places, recall, sent
from tests.recall.pi_lines import header, said, source, talk
from tests.surfaces.conftest import Rest

ENVELOPE = 30_000


def test_pages_stay_in_their_envelope_and_follow_one_another(agent: Rest, alice: User) -> None:
    sent(agent, "long.jsonl", source(header(), *[said(n, f"rye {n} " + "x" * 1900) for n in range(120)]))
    indexed(alice)
    answer = recall(agent, query="rye", scope="session:long.jsonl", pageSize=50, snippetChars=2000)
    seen: list[int] = []
    while True:
        assert len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False)) <= ENVELOPE
        assert answer["total"] == 120
        assert answer["hits"]
        seen += [hit["index"] for hit in answer["hits"]]
        if answer["next"] is None:
            break
        answer = agent.post("/call", answer["next"]).json
    assert len(seen) == 120
    assert sorted(seen) == list(range(120))


def test_letters_of_every_script_are_counted_as_they_are_sent(agent: Rest) -> None:
    name = "п" * 300
    sent(agent, f"{name}.jsonl", talk(*["рожь " + "слово " * 60 for _ in range(60)], name="😀" * 200))
    reply = agent.post("/tools/memory_recall", {"scope": "global", "query": "рожь", "pageSize": 50})
    assert len(reply.body) <= ENVELOPE
    assert len(reply.json["hits"]) > 9
    following = agent.post("/call", reply.json["next"])
    assert len(following.body) <= ENVELOPE
    assert following.json["hits"]


def test_a_page_of_a_session_that_grew_is_refused(agent: Rest) -> None:
    data = talk("rye one", "rye two", "rye three")
    sent(agent, "s.jsonl", data)
    first = recall(agent, query="rye", scope="session:s.jsonl", pageSize=1)
    pointer = first["hits"][0]["follow"]
    assert agent.post("/call", pointer).json["entries"]
    sent(agent, "s.jsonl", data + source(said(3, "rye four", role="assistant")))
    for reply in (agent.post("/call", first["next"]).json, agent.post("/call", pointer).json):
        assert reply["error"]["code"] == "stale_pointer"
        assert reply["error"]["expectedSourceHash"] != reply["error"]["actualSourceHash"]
        assert not reply.get("hits")
        assert not reply.get("entries")


def test_a_moved_branch_makes_a_pointer_stale(agent: Rest) -> None:
    sent(agent, "s.jsonl", talk("root", "left"))
    pointer = recall(agent, query="root", scope="session:s.jsonl")["hits"][0]["follow"]
    grown = talk("root", "left") + source(said(2, "right", role="assistant", parent=0))
    sent(agent, "s.jsonl", grown)
    args = {**pointer["args"], "expectedSourceHash": None}
    assert called(agent, "memory_expand", **args)["error"]["code"] == "stale_pointer"
    assert places(recall(agent, query="left")) == []
    assert places(recall(agent, query="left", branches="all")) == [("s", 1)]


def test_long_texts_come_whole_in_pieces(agent: Rest) -> None:
    texts = ["before", "long " + "aé😀\n" * 14_000, "after"]
    sent(agent, "s.jsonl", talk(*texts))
    got: dict[int, str] = {}
    pieces = 0
    for entry in expanded(agent, session="s.jsonl", indices=[1], before=1, after=1, maxChars=24_000):
        reach = entry["textRange"]
        assert reach["start"] == len(got.get(entry["index"], ""))
        assert entry["anchor"] == (entry["index"] == 1)
        got[entry["index"]] = got.get(entry["index"], "") + entry["text"]
        assert reach["end"] == len(got[entry["index"]])
        pieces += 1
    assert [got[n] for n in range(3)] == texts
    assert pieces > 4


def test_paths_and_text_fit_together(agent: Rest) -> None:
    files = {f"file_path_{n}_path": f"src/{n}/" + "d" * 1300 for n in range(20)}
    call = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": files}
    line = said(1, "", role="assistant")
    line["message"]["content"] = [{"type": "text", "text": "y" * 23_500}, call]
    sent(agent, "s.jsonl", source(header(), said(0, "go"), line))
    entries = list(expanded(agent, session="s.jsonl", indices=[1], maxChars=24_000))
    assert "".join(entry["text"] for entry in entries).startswith("y" * 23_500)
    assert all(len(json.dumps(entry)) <= ENVELOPE for entry in entries)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"indices": [-1]}, "index_out_of_bounds"),
        ({"indices": [2]}, "index_out_of_bounds"),
        ({"entryRange": {"first": 0, "last": 2}}, "index_out_of_bounds"),
        ({"entryRange": {"first": 1, "last": 0}}, "index_out_of_bounds"),
        ({"indices": [0], "entryOffset": 1}, "index_out_of_bounds"),
        ({"indices": [0], "textOffset": 99}, "text_offset_out_of_bounds"),
        ({"entryIds": ["nobody"]}, "address_not_found"),
        ({"operationAddresses": ["e0/7"]}, "address_not_found"),
    ],
)
def test_what_is_not_there_is_said_by_its_code(agent: Rest, arguments: dict[str, object], code: str) -> None:
    sent(agent, "s.jsonl", talk("one", "two"))
    reply = called(agent, "memory_expand", session="s.jsonl", **arguments)
    assert (reply["error"]["code"], reply["entries"]) == (code, [])
    assert called(agent, "memory_expand", session="s.jsonl", indices=[1])["entries"][0]["text"] == "two"


def test_a_name_of_two_entries_gives_neither(agent: Rest) -> None:
    sent(agent, "s.jsonl", source(header(), said(0, "first canary"), said(0, "second canary", parent=None)))
    reply = called(agent, "memory_expand", session="s.jsonl", branches="all", entryIds=["e0"])
    assert (reply["error"]["code"], reply["error"]["matches"]) == ("ambiguous_address", 2)
    assert "canary" not in json.dumps(reply)
    coverage = recall(agent, query="canary", branches="all")["coverage"]
    assert (coverage["complete"], coverage["incompleteSessions"]) == (False, 1)
    assert coverage["reasons"] == ["duplicate_entry_id"]


def test_sessions_of_one_id_are_told_apart_by_their_paths(agent: Rest) -> None:
    sent(agent, "a/one.jsonl", talk("rye", name="same"))
    sent(agent, "b/two.jsonl", talk("rye too", name="same"))
    reply = recall(agent, query="rye", scope="session:same")
    assert reply["error"]["code"] == "ambiguous_session"
    assert sorted(reply["error"]["candidates"]) == ["a/one.jsonl", "b/two.jsonl"]
    assert called(agent, "memory_expand", session="same", indices=[0])["error"]["code"] == "ambiguous_session"
    assert recall(agent, query="rye", scope="session:a/one.jsonl")["total"] == 1
    assert called(agent, "memory_expand", session="two", indices=[0])["entries"][0]["text"] == "rye too"
    assert recall(agent, query="rye", pageSize=1)["total"] == 2
    assert recall(agent, scope="session:nobody")["error"]["code"] == "session_not_found"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"queryMode": "phrase", "queryMatch": "all", "query": "x"}, "queryMatch"),
        ({"entryRange": {"first": 0, "last": 0}}, "entryRange"),
        ({"expectedSourceHash": "0" * 64}, "expectedSourceHash"),
        ({"scope": "galaxy"}, "scope"),
        ({"scope": "session"}, "scope"),
        ({"scope": "project"}, "scope"),
        ({"query_mode": "phrase", "queryMode": "phrase"}, "query_mode"),
        ({"outcome": "well"}, "outcome"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_cannot_be_asked_is_refused(agent: Rest, arguments: dict[str, object], field: str) -> None:
    sent(agent, "s.jsonl", talk("one"))
    reply = agent.post("/tools/memory_recall", {"scope": "global", **arguments})
    assert reply.status == 422, reply.body
    assert field in reply.error["fields"]


def test_both_spellings_are_taken(agent: Rest) -> None:
    sent(agent, "s.jsonl", talk("one rye", "two rye"))
    assert recall(agent, query="one rye", query_match="all")["total"] == 1
    assert recall(agent, query="one rye", queryMatch="all", page_size="1")["total"] == 1


def test_going_back_without_a_word_moves_the_branch(agent: Rest, alice: User) -> None:
    tree = talk("root", "left heron") + source(said(2, "right robin", role="assistant", parent=0))
    shown = sent(agent, "s.jsonl", tree)
    indexed(alice)
    pointer = recall(agent, query="root", scope="session:s.jsonl")["hits"][0]["follow"]
    moved = agent.patch(f"/sessions/{shown['ref']}", {"leaf": "e1"})
    assert (moved.status, moved.json["leaf"], moved.json["active_entries"]) == (200, "e1", 2)
    for _ in range(2):
        assert places(recall(agent, query="heron robin")) == [("s", 1)]
        indexed(alice)
    stale = agent.post("/call", pointer).json["error"]
    assert stale["code"] == "stale_pointer"
    assert stale["actualLineageFingerprint"] != stale["expectedLineageFingerprint"]
    assert agent.patch(f"/sessions/{shown['ref']}", {"leaf": "nowhere"}).status == 422
    sent(agent, "s.jsonl", tree + source(said(3, "further right", parent=2)))
    assert [index for _, index in places(recall(agent, query="heron robin further"))] == [2, 1]
