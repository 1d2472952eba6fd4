"""Cases that the contract of recall pins, each as small as it can be: without an index, and with one."""

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from conversations.models import Project
from conversations.recall import snippets
from conversations.recall.asked import ENVELOPE
from conversations.recall.index import index_of
from conversations.sessions import watching
from pawflow_web.identity.models import User
from tests.factories import make_project
from tests.recall.asking import Answer, called, expanded, indexed, places, recall, sent
from tests.recall.pi_lines import header, said, source, talk
from tests.sessions import pi
from tests.surfaces.conftest import Rest


@pytest.fixture(params=["fresh", "indexed"])
def ready(request: pytest.FixtureRequest, alice: User) -> Any:
    """Called when everything is sent."""
    return (lambda: indexed(alice)) if request.param == "indexed" else (lambda: None)


@contextmanager
def recall_settings(**changed: Any) -> Iterator[None]:
    env = settings.ENV
    with override_settings(ENV=replace(env, recall=replace(env.recall, **changed))):
        yield


def hits(rest: Rest, query: str, **more: Any) -> int:
    answer = recall(rest, query=query, **more)
    assert answer["coverage"]["complete"]
    return len(answer["hits"])


# --- words ----------------------------------------------------------------------------------------------------------


def test_a_path_is_its_words_and_no_pattern(agent: Rest, ready: Any) -> None:
    sent(agent, "a.jsonl", talk("srcXfooYts only", name="a"))
    sent(agent, "b.jsonl", talk("it is src/foo.ts here", name="b"))
    ready()
    assert places(recall(agent, query="src/foo.ts")) == [("b", 0)]


def test_a_pattern_is_words_for_a_literal_question(agent: Rest, ready: Any) -> None:
    sent(agent, "s.jsonl", talk("the code 42 it is", "the code is long"))
    ready()
    assert hits(agent, "code 4[0-9]") == 2
    assert hits(agent, "code 4[0-9]", queryMode="regex") == 1


def test_quotes_and_signs_separate_and_are_no_syntax(agent: Rest, ready: Any) -> None:
    sent(agent, "a.jsonl", talk("Use CEF for Heddlework: the browser of Stage 1", "Use a browser in Stage 1", name="a"))
    ready()
    assert places(recall(agent, query='"Use CEF" "Stage 1" browser Heddlework', queryMatch="all")) == [("a", 0)]
    assert places(recall(agent, query=" use cef FOR heddlework ", queryMode="phrase")) == [("a", 0)]
    assert hits(agent, '+heddlework -browser (stage) "cef* AND NOT') == 2
    assert hits(agent, "!!! ... \"'") == 0


def test_a_tool_answers_for_calls_and_results(agent: Rest, ready: Any) -> None:
    lines = [
        pi.message("user", "u", content="find TODO"),
        pi.message("assistant", "a", "u", content=[pi.call("c1", "grep", pattern="TODO")]),
        pi.message("toolResult", "r", "a", toolCallId="c1", toolName="grep", content=[pi.words("TODO here")]),
        pi.message("assistant", "b", "r", content=[pi.call("c2", "read", path="TODO")]),
    ]
    sent(agent, "s.jsonl", pi.source(lines))
    ready()
    assert [index for _, index in sorted(places(recall(agent, query="TODO", tool="grep")))] == [1, 2]
    assert hits(agent, "TODO", role="user") == 1
    assert hits(agent, "TODO") == 4


def test_what_was_decided_ranks_before_the_plumbing_that_quotes_it(agent: Rest, ready: Any) -> None:
    quoted = "choose otter queue for the build"
    lines = [
        pi.message("assistant", "a", content=[pi.call("c1", "fabric_exec", code=quoted)]),
        pi.message("toolResult", "r", "a", toolCallId="c1", toolName="fabric_exec", content=[pi.words(quoted)]),
        pi.message("assistant", "b", "r", content=[pi.words(f"We {quoted}, and that is decided for good.")]),
    ]
    sent(agent, "s.jsonl", pi.source(lines))
    ready()
    assert places(recall(agent, query=quoted))[0] == ("s", 2)


def test_the_last_of_many_words_is_found(agent: Rest, ready: Any) -> None:
    sent(agent, "s.jsonl", talk(" ".join(f"unique{n}" for n in range(2000)), "nothing"))
    ready()
    assert places(recall(agent, query="unique1999")) == [("s", 0)]


def test_a_phrase_of_many_words_is_compared_whole(agent: Rest, ready: Any) -> None:
    long = " ".join(f"rye{n}" for n in range(600))
    sent(agent, "s.jsonl", talk(f"so it is: {long}, and more", f"but: {long.replace('rye599', 'wheat')}"))
    ready()
    assert hits(agent, long[2:4090], queryMode="phrase") == 1
    assert hits(agent, long[2:3000], queryMode="phrase") == 2


def test_a_question_of_many_words_looks_at_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    words_of = snippets.exact_words

    def counted(text: str) -> list[str]:
        looked.append(len(text))
        return words_of(text)

    def search(pattern: str, text: str, *flags: int) -> re.Match[str] | None:
        looked.append(len(text))
        return re.search(pattern, text, *flags)

    monkeypatch.setattr(snippets, "exact_words", counted)
    monkeypatch.setattr(snippets, "re", SimpleNamespace(**{**vars(re), "search": search}))
    text = "é lorem " * 1000 + "zebra " + "ipsum " * 1000
    shown, cut = snippets.snippet(text, ["zebra", *[f"absent{n}" for n in range(400)]], chars=80)
    assert ("zebra" in shown, cut) == (True, True)
    assert looked == [len(text)] * 2


def test_a_text_is_cut_between_characters(agent: Rest, ready: Any) -> None:
    sent(agent, "s.jsonl", talk("a😀b", "c"))
    ready()
    with recall_settings(max_entry_chars=2):
        ready()
        answer = recall(agent, query="a")
        assert [(hit["snippet"], hit["truncated"]) for hit in answer["hits"]] == [("a😀", True)]
        assert answer["coverage"]["reasons"] == ["max_entry_chars"]
        assert recall(agent, query="b")["total"] == 0
        assert called(agent, "memory_expand", session="s.jsonl", indices=[0])["entries"][0]["text"] == "a😀b"


# --- order and pages ------------------------------------------------------------------------------------------------


def test_equal_scores_follow_the_newer_session_and_stay_so(agent: Rest, ready: Any) -> None:
    for name in ("old", "middle", "new"):
        sent(agent, f"{name}.jsonl", talk("the same heron", name=name))
    ready()
    first = recall(agent, query="heron")
    assert places(first) == [("new", 0), ("middle", 0), ("old", 0)]
    assert recall(agent, query="heron") == first
    assert [places(recall(agent, query="heron", pageSize=1, offset=n)) for n in range(3)] == [
        [place] for place in places(first)
    ]


def test_browsing_is_not_cut_by_what_a_list_shows(agent: Rest, ready: Any) -> None:
    for number in range(20):
        sent(agent, f"{number}.jsonl", talk("one", name=f"s{number}"))
    ready()
    answer = recall(agent, pageSize=50)
    assert (answer["total"], len(answer["hits"]), answer["next"]) == (20, 20, None)
    single = recall(agent, scope="session:3.jsonl")
    assert (single["total"], places(single)) == (1, [("s3", 0)])
    assert set(single) == {"total", "hits", "next", "coverage", "error"}


@pytest.mark.parametrize("branches", ["active", "all"])
def test_two_sessions_of_one_id_are_two_pages(agent: Rest, ready: Any, branches: str) -> None:
    for path in ("a/s.jsonl", "b/s.jsonl"):
        sent(agent, path, talk("the heron", name="twin"))
    ready()
    answer = recall(agent, query="heron", pageSize=1, branches=branches)
    assert (answer["total"], answer["coverage"]["eligibleSessions"]) == (2, 2)
    later = agent.post("/call", answer["next"]).json
    sessions = [one["hits"][0]["follow"]["args"]["session"] for one in (answer, later)]
    assert sessions == ["b/s.jsonl", "a/s.jsonl"]
    assert later["next"] is None


def test_lists_have_a_limit_and_the_current_session_is_the_newest(agent: Rest, alice: User) -> None:
    project = make_project(alice, "Aviary")
    Project.objects.filter(pk=project.pk).update(root="/home/ada/aviary")
    for name in ("a", "b", "c"):
        sent(agent, f"{name}.jsonl", talk(f"the heron {name}", name=name, cwd="/home/ada/aviary/deep"))
    sent(agent, "other.jsonl", talk("the heron elsewhere", name="other", cwd="/home/ada/aviary-2"))
    listed = called(agent, "memory_sessions", scope="global", limit=2)
    assert [row["id"] for row in listed["sessions"]] == ["other", "c"]
    rest = called(agent, "memory_sessions", scope="global", limit=2, cursor=listed["next"])
    assert ([row["id"] for row in rest["sessions"]], rest["next"]) == (["b", "a"], None)
    named = {"X-PawFlow-Project": project.slug}
    asked = {"query": "heron", "scope": "session"}
    assert [hit["sessionId"] for hit in agent.post("/tools/memory_recall", asked, **named).json["hits"]] == ["c"]
    assert agent.post("/tools/memory_recall", {**asked, "scope": "cwd"}, **named).json["total"] == 3


# --- older sessions as a whole --------------------------------------------------------------------------------------


def tiers(rest: Rest) -> dict[str, str]:
    return {row["id"]: row["tier"] for row in called(rest, "memory_sessions", scope="global")["sessions"]}


def test_a_newer_session_makes_the_oldest_cold_and_following_does_not_warm_it(agent: Rest, ready: Any) -> None:
    sent(agent, "1.jsonl", talk("the heron", "no bird", "a heron", name="s1"))
    sent(agent, "2.jsonl", talk("the heron too", name="s2"))
    ready()
    with recall_settings(hot_sessions=2):
        assert tiers(agent) == {"s1": "hot", "s2": "hot"}
        sent(agent, "3.jsonl", talk("the robin", name="s3"))
        ready()
        assert tiers(agent) == {"s1": "cold", "s2": "hot", "s3": "hot"}
        stream = paged(agent, query="heron", pageSize=1)
        assert {(hit["kind"], hit["sessionId"]) for hit in stream} == {("entry", "s2"), ("session", "s1")}
        assert stream[0]["score"] >= stream[1]["score"]
        (cold,) = [hit for hit in recall(agent, query="heron")["hits"] if hit["kind"] == "session"]
        arguments = cold["follow"]["args"]
        assert len(arguments["expectedSourceHash"]) == len(arguments["expectedLineageFingerprint"]) == 64
        assert not {"entryRange", "entryIds", "indices", "offset"} & set(arguments)
        followed = agent.post("/call", cold["follow"]).json
        assert sorted(hit["index"] for hit in followed["hits"]) == [0, 2]
        assert tiers(agent)["s1"] == "cold"
        sent(agent, "1.jsonl", talk("the heron", "no bird", "a heron", "more", name="s1"))
        assert agent.post("/call", cold["follow"]).json["error"]["code"] == "stale_pointer"


def paged(rest: Rest, **asked: Any) -> list[Answer]:
    """The hits of all pages, of which each says the same total."""
    answer = recall(rest, **asked)
    found, total = list(answer["hits"]), answer["total"]
    while answer["next"] is not None:
        answer = rest.post("/call", answer["next"]).json
        assert answer["total"] == total
        found += answer["hits"]
    assert len(found) == total
    return found


def test_an_operation_of_a_cold_session_is_counted_and_reached(agent: Rest, ready: Any) -> None:
    traced = pi.trace(pi.operation(0, "agents.run", provider="agents", action="run"))
    sent(agent, "1.jsonl", pi.source([pi.message("user", "e1", content="run it"), pi.executed(traced)]))
    sent(agent, "2.jsonl", talk("the robin", name="s2"))
    ready()
    with recall_settings(hot_sessions=1):
        (cold,) = recall(agent, ref="agents.run")["hits"]
        assert (cold["kind"], cold["matchedStructuralEntries"]) == ("session", 1)
        (hit,) = agent.post("/call", cold["follow"]).json["hits"]
        assert (hit["operationAddress"], hit["ref"]) == ("e2/0", "agents.run")
        nothing = recall(agent, ref="pi.grep")
        assert (nothing["hits"], nothing["coverage"]["complete"]) == ([], True)


def test_a_rare_word_of_the_oldest_of_many_sessions_is_found_in_every_way(agent: Rest, alice: User) -> None:
    for number in range(60):
        text = f"common rarelexeme_{number:03} Ωmega雪" if number == 0 else f"common words {number}"
        sent(agent, f"{number}.jsonl", talk(text, name=f"s{number}"))
    indexed(alice)
    for hot in (None, 5):
        with recall_settings(hot_sessions=hot):
            for scope_of_words in ("common rarelexeme_000", "ΩMEGA雪"):
                answer = recall(agent, query=scope_of_words)
                assert (answer["hits"][0]["sessionId"], answer["coverage"]["complete"]) == ("s0", True)
                assert answer["coverage"]["indexedSessions"] == answer["coverage"]["eligibleSessions"] == 60
            answer = recall(agent, query="rarelexeme_[0-9]{3}", queryMode="regex")
            assert ([hit["sessionId"] for hit in answer["hits"]], answer["coverage"]["complete"]) == (["s0"], True)
    folder = index_of(alice.pk).folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


# --- names of entries -----------------------------------------------------------------------------------------------


def expand(rest: Rest, **arguments: Any) -> Answer:
    return called(rest, "memory_expand", **{"session": "s.jsonl", **arguments})


def test_sessions_of_one_name_are_listed_as_far_as_an_answer_has_room(agent: Rest) -> None:
    for number in range(25):
        sent(agent, f"{'é' * 1500}{number}/s.jsonl", talk("one", name="twin"))
    for answer in (recall(agent, scope="session:twin"), expand(agent, session="twin")):
        assert answer["error"]["code"] == "ambiguous_session"
        assert len(json.dumps(answer)) < ENVELOPE
        assert all(called(agent, "memory_expand", session=path)["entryCount"] for path in answer["error"]["candidates"])
        assert answer["error"]["candidates"]


def test_two_operations_of_one_address_give_neither(agent: Rest, ready: Any) -> None:
    traced = pi.executed(pi.trace(pi.operation(0, "pi.read")), "same", None)
    sent(agent, "s.jsonl", pi.source([traced, {**traced}]))
    ready()
    reasons = recall(agent, branches="all")["coverage"]["reasons"]
    assert {"duplicate_entry_id", "duplicate_operation_address"} <= set(reasons)
    answer = expand(agent, operationAddresses=["same/0"], branches="all")
    assert (answer["error"]["code"], answer["error"]["matches"], answer["entries"]) == ("ambiguous_address", 2, [])


def test_facts_of_a_branch_that_was_left_are_found_and_opened_by_their_addresses(agent: Rest, ready: Any) -> None:
    facts = pi.envelope(
        pi.operation_fact(), pi.run_fact(description="measure"), pi.fact("user", "x1", "user", text="ibis")
    )
    lines = [
        pi.message("user", "u", content="go"),
        pi.left(facts, "b", "u"),
        pi.line("compaction", "k", "b", summary="Earlier work on the weir"),
        pi.left(facts, "b2", "k"),
    ]
    sent(agent, "s.jsonl", pi.source(lines))
    ready()
    assert hits(agent, "ibis") == hits(agent, "weir") == 1
    answer = expand(agent, operationAddresses=["x3/0", "x2/call:f9"], entryIds=["x1/user"])
    assert [entry["carrierEntryId"] for entry in answer["entries"]] == ["b"] * 3
    assert "Fabric run Prototype — measure → succeeded" in [entry["text"] for entry in answer["entries"]]


def test_an_id_beside_the_branch_is_there_for_all_branches_alone(agent: Rest, ready: Any) -> None:
    lines = [said(0, "root"), said(1, "left behind", parent=0), said(2, "goes on", parent=0)]
    sent(agent, "s.jsonl", source(header(), *lines))
    ready()
    assert expand(agent, entryIds=["e1"])["error"]["code"] == "address_not_found"
    assert expand(agent, entryIds=["e1"], branches="all")["entries"][0]["text"] == "left behind"


def test_filters_of_operations_find_exactly_theirs(agent: Rest, ready: Any) -> None:
    operations = [
        pi.operation(0, "pi.read"),
        pi.operation(1, "pi.edit", provider="pi", action="edit", outcome="failed", failureStage="invoke"),
        pi.operation(2, "pi.edit", provider="pi", action="edit"),
        pi.operation(3, "pi.bash", args={"command": "pnpm test"}, outcome="timed_out"),
    ]
    prose = pi.message("user", "e1", content="run pnpm with pi.edit")
    sent(agent, "s.jsonl", pi.source([prose, pi.executed(pi.trace(*operations))]))
    ready()
    for asked, addresses in (
        ({"tool": "bash", "query": "pnpm"}, ["e2/3"]),
        ({"ref": "pi.edit"}, ["e2/1", "e2/2"]),
        ({"provider": "pi", "action": "edit", "outcome": "failed"}, ["e2/1"]),
        ({"outcome": "timed_out"}, ["e2/3"]),
    ):
        assert [hit["operationAddress"] for hit in recall(agent, **asked)["hits"]] == addresses


# --- reading on -----------------------------------------------------------------------------------------------------


def test_a_long_entry_with_its_neighbours_comes_whole(agent: Rest) -> None:
    long = "".join(f"{n:05} 😀 " for n in range(6000))
    texts = ["before", "just before", long, "just after", "after", "far"]
    sent(agent, "s.jsonl", talk(*texts))
    pieces = list(expanded(agent, session="s.jsonl", indices=[2], before=2, after=2))
    assert all(len(json.dumps(piece, ensure_ascii=False).encode()) < 30_000 for piece in pieces)
    assert sum(piece["anchor"] for piece in pieces) >= 2
    whole = {n: "".join(piece["text"] for piece in pieces if piece["index"] == n) for n in range(6)}
    assert [whole[n] for n in range(6)] == [*texts[:5], ""]


def test_reading_on_in_a_session_that_grew_is_refused(agent: Rest) -> None:
    sent(agent, "s.jsonl", talk("one", "two"))
    answer = expand(agent, indices=[0, 1], maxEntries=1)
    assert agent.post("/call", answer["next"]).json["entries"][0]["text"] == "two"
    sent(agent, "s.jsonl", talk("one", "two", "three"))
    refused = agent.post("/call", answer["next"]).json
    assert (refused["error"]["code"], refused["entries"]) == ("stale_pointer", [])


def test_a_file_rewritten_within_its_size_and_time_is_noticed(agent: Rest, alice: User, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(talk("the heron"))
    stamp = path.stat()
    with override_settings(ENV=replace(settings.ENV, sessions_dirs=(tmp_path,), owner=alice.username)):
        watching.look(float("inf"))
        assert recall(agent, query="heron")["total"] == 1
        with path.open("r+b") as file:
            file.write(talk("the robin"))
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert path.stat().st_size == stamp.st_size
        watching.look(float("inf"))
    assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)
