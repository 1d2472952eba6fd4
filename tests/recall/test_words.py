"""Words in every script, in literal mode, as phrases and as patterns; and what an answer says about itself."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from conversations.models import Chunk
from conversations.recall import tail
from conversations.recall.index import index_of
from pawflow_web.identity.models import User
from tests.recall.asking import called, indexed, places, recall, sent
from tests.recall.pi_lines import header, said, source, talk
from tests.surfaces.conftest import Rest

SAMPLES = [
    "The login failed; all logins do. See src/foo.ts and C++ (v1.2.3)",
    "日本語テスト を書く",
    "Привет, мир! Ёлка стоит",
    "مرحبا بالعالم",
    "Ωmega雪 CAFE\u0301 ﬁle ＡＢＣ",
    "हिन्दी में लिखो 😀 party",
    "Straße İstanbul don't",
    "srcXfooYts only",
]


@pytest.fixture(params=["fresh", "indexed"])
def rest(request: pytest.FixtureRequest, agent: Rest, alice: User) -> Rest:
    sent(agent, "s.jsonl", talk(*SAMPLES))
    if request.param == "indexed":
        indexed(alice)
    return agent


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("login", [0]),
        ("LOGINS", [0]),
        ("logi", []),
        ("src/foo.ts", [0]),
        ("日本語テスト", [1]),
        ("日本", []),
        ("привет", [2]),
        ("мир", [2]),
        ("ёлка", [2]),
        ("елка", []),
        ("بالعالم", [3]),
        ("ΩMEGA雪", [4]),
        ("café", [4]),
        ("cafe", []),
        ("file abc", [4]),
        ("हिन्दी", [5]),
        ("😀", []),
        ("party", [5]),
        ("straße", [6]),
        ("strasse", []),
        ("!!!", []),
        ('"', []),
    ],
)
def test_exact_tokens_are_found_and_no_others(rest: Rest, query: str, expected: list[int]) -> None:
    answer = recall(rest, query=query)
    assert [index for _, index in places(answer)] == expected
    assert answer["coverage"]["complete"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Login Failed", [0]),
        ("failed; all", [0]),
        ("failed all", []),
        ("ogin fail", [0]),
        ("foo.ts and", [0]),
        ("日本語テスト を", [1]),
        ("本語", [1]),
        ("привет, мир!", [2]),
        ("file abc", [4]),
        ("😀 party", [5]),
        ("v1.2", [0]),
        ("  only  ", [7]),
    ],
)
def test_a_phrase_is_found_as_it_stands(rest: Rest, query: str, expected: list[int]) -> None:
    answer = recall(rest, query=query, queryMode="phrase")
    assert sorted(index for _, index in places(answer)) == expected
    assert answer["coverage"]["complete"]


@pytest.mark.parametrize("mode", ["phrase", "regex"])
@pytest.mark.parametrize(
    "piece", ["a" * 2298, "本" * 1200, "😀" * 900, "e\u0301" * 700, "hash-" * 450, "word " * 400, f"{'x' * 99}. tail"]
)
def test_a_piece_longer_than_any_pattern_is_found_and_harms_no_index(
    agent: Rest, alice: User, piece: str, mode: str
) -> None:
    piece = piece.strip()
    sent(agent, "s.jsonl", talk(f"before {piece} after", piece[:-2], "rare canary"))
    indexed(alice)
    if mode == "regex":
        piece = piece[:200].replace(".", r"\.")
    answer = recall(agent, query=piece, queryMode=mode)
    assert 0 in [index for _, index in places(answer)]
    assert answer["coverage"]["complete"]
    # A pattern that the library refuses is no fault of the files.
    assert index_of(alice.pk).snapshot() is not None
    assert not (index_of(alice.pk).folder / "broken").exists()
    assert [index for _, index in places(recall(agent, query="canary"))] == [2]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("login(s)? do", [0]),
        (r"v\d\.\d", [0]),
        ("f(o+)", [0, 7]),
        ("^привет", [2]),
        ("ёлка|party", [2, 5]),
        ("語..ト", [1]),
        ("[xy]foo", [7]),
        ("nothing of it", []),
    ],
)
def test_a_pattern_is_found(rest: Rest, query: str, expected: list[int]) -> None:
    answer = recall(rest, query=query, queryMode="regex")
    assert sorted(index for _, index in places(answer)) == expected
    assert answer["coverage"]["complete"]


@pytest.mark.parametrize(
    ("pattern", "code"), [("(?=x)", "invalid_regex"), ("(", "invalid_regex"), ("x" * 1100, "regex_pattern_too_large")]
)
def test_a_pattern_that_cannot_be_used_is_an_error_inside_the_answer(rest: Rest, pattern: str, code: str) -> None:
    answer = recall(rest, query=pattern, queryMode="regex")
    assert (answer["hits"], answer["total"]) == ([], 0)
    coverage = answer["coverage"]
    assert (coverage["complete"], coverage["reasons"], coverage["error"]["code"]) == (False, [code], code)


def with_recall(**changes: Any) -> override_settings:
    return override_settings(ENV=replace(settings.ENV, recall=replace(settings.ENV.recall, **changes)))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"regex_haystack_terms": 3}, "regex_max_haystack_terms"),
        ({"regex_haystack_bytes": 60}, "regex_max_haystack_bytes"),
    ],
)
def test_a_bound_that_cuts_a_pattern_is_said(agent: Rest, limits: dict[str, int], reason: str) -> None:
    sent(agent, "s.jsonl", talk(*[f"rye {n} " + "x" * 30 for n in range(10)]))
    assert recall(agent, query="ry?e", queryMode="regex")["coverage"]["complete"]
    with with_recall(**limits):
        coverage = recall(agent, query="ry?e", queryMode="regex")["coverage"]
    assert (coverage["complete"], coverage["reasons"]) == (False, [reason])


def test_all_words_must_stand_in_one_entry(agent: Rest, alice: User) -> None:
    sent(
        agent, "s.jsonl", talk("Use CEF for Heddlework", "Stage 1 of the browser", "Use CEF Stage 1 browser Heddlework")
    )
    query = '"Use CEF" "Stage 1" browser Heddlework'
    for _ in range(2):
        assert places(recall(agent, query=query, queryMatch="all")) == [("s", 2)]
        assert recall(agent, query=query)["total"] == 3
        indexed(alice)


def test_times_bound_what_has_one(agent: Rest, alice: User) -> None:
    undated = {**said(2, "rye without a time"), "timestamp": None}
    sent(agent, "s.jsonl", source(header(), said(0, "rye first"), said(1, "rye second"), undated))
    for _ in range(2):
        found = recall(agent, query="rye", since="2026-03-01T10:00:01Z")
        assert sorted(index for _, index in places(found)) == [1, 2]
        found = recall(agent, query="rye", until="2026-03-01T10:00:00Z")
        assert sorted(index for _, index in places(found)) == [0, 2]
        indexed(alice)


def test_browsing_goes_through_the_newest_session_first(agent: Rest, alice: User) -> None:
    for name in ("old", "new"):
        sent(agent, f"{name}.jsonl", talk("one", "two", name=name))
    for _ in range(2):
        answer = recall(agent)
        assert places(answer) == [("new", 0), ("new", 1), ("old", 0), ("old", 1)]
        assert answer["total"] == 4
        indexed(alice)


def test_only_the_entries_of_a_range(agent: Rest) -> None:
    sent(agent, "s.jsonl", talk(*[f"rye {n}" for n in range(6)]))
    answer = recall(agent, query="rye", scope="session:s.jsonl", entryRange={"first": 2, "last": 3})
    assert sorted(places(answer)) == [("s", 2), ("s", 3)]
    beyond = recall(agent, query="rye", scope="session:s.jsonl", entryRange={"first": 2, "last": 6})
    assert beyond["error"]["code"] == "index_out_of_bounds"


def test_thoughts_and_tool_output_follow_the_settings(agent: Rest, alice: User) -> None:
    thinking = said(0, "", role="assistant")
    thinking["message"]["content"] = [
        {"type": "thinking", "thinking": "a hidden heron"},
        {"type": "text", "text": "ok"},
    ]
    result = said(1, "", role="toolResult")
    result["message"] |= {"toolName": "read", "toolCallId": "c", "content": [{"type": "text", "text": "a robin"}]}
    sent(agent, "s.jsonl", source(header(), thinking, result))
    indexed(alice)
    assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (0, 1)
    with with_recall(index_thinking=True, index_tool_output=False):
        for _ in range(2):
            assert (recall(agent, query="heron")["total"], recall(agent, query="robin")["total"]) == (1, 0)
            assert recall(agent, tool="read")["total"] == 1
            texts = [entry["text"] for entry in called(agent, "memory_expand", session="s", indices=[0, 1])["entries"]]
            assert "heron" in texts[0]
            assert "robin" not in texts[1]
            indexed(alice)


def test_a_text_that_is_searched_in_part_says_so(agent: Rest, alice: User) -> None:
    sent(agent, "s.jsonl", talk("heron " + "x " * 200 + "robin"))
    with with_recall(max_entry_chars=100):
        for _ in range(2):
            answer = recall(agent, query="heron")
            assert (answer["total"], answer["hits"][0]["truncated"]) == (1, True)
            missed = recall(agent, query="robin")
            assert missed["total"] == 0
            assert missed["coverage"]["reasons"] == ["max_entry_chars"]
            assert not missed["coverage"]["complete"]
            indexed(alice)
        (entry,) = called(agent, "memory_expand", session="s", indices=[0])["entries"]
        assert entry["text"].endswith("robin")
    assert recall(agent, query="robin")["total"] == 1


def test_what_is_newer_than_can_be_read_is_said(agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        sent(agent, f"{number}.jsonl", talk(*[f"rye {n}" for n in range(4)], name=str(number)))
    monkeypatch.setattr(tail, "WITHOUT_INDEX_ENTRIES", 8)
    coverage = recall(agent, query="rye")["coverage"]
    assert (coverage["reasons"], coverage["staleSessions"], coverage["indexedSessions"]) == (["index_building"], 1, 2)
    indexed(alice)
    assert recall(agent, query="rye")["coverage"]["complete"]
    monkeypatch.setattr(tail, "TAIL_ENTRIES", 3)
    sent(agent, "new.jsonl", talk(*["rye"] * 4, name="new"))
    coverage = recall(agent, query="rye")["coverage"]
    assert (coverage["reasons"], coverage["staleSessions"]) == (["index_behind"], 1)


def test_more_results_than_are_ranked_are_said(agent: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    from conversations.recall import finding

    sent(agent, "s.jsonl", talk(*["rye"] * 5))
    monkeypatch.setattr(finding, "RESULTS_MOST", 3)
    answer = recall(agent, query="rye")
    assert (answer["total"], answer["coverage"]["reasons"]) == (3, ["candidate_item_budget"])


def test_older_sessions_answer_as_a_whole_where_few_are_hot(agent: Rest, alice: User) -> None:
    for name in ("old", "mid", "new"):
        sent(agent, f"{name}.jsonl", talk("the heron", "a robin", name=name))
    indexed(alice)
    with with_recall(hot_sessions=1):
        answer = recall(agent, query="heron robin", queryMatch="any")
        assert [hit["kind"] for hit in answer["hits"]] == ["entry", "session", "session", "entry"] or sorted(
            hit["kind"] for hit in answer["hits"]
        ) == ["entry", "entry", "session", "session"]
        cold = next(hit for hit in answer["hits"] if hit["kind"] == "session")
        assert cold["tier"] == "cold"
        assert "entryId" not in cold
        followed = agent.post("/call", cold["follow"]).json
        assert sorted(places(followed)) == [(cold["sessionId"], 0), (cold["sessionId"], 1)]
        reasons = {
            "cold_all_terms_requires_hydration": {"query": "the heron", "queryMatch": "all"},
            "cold_phrase_requires_hydration": {"query": "the heron", "queryMode": "phrase"},
            "cold_structural_filter_requires_hydration": {"query": "heron", "role": "user"},
        }
        for reason, question in reasons.items():
            coverage = recall(agent, **question)["coverage"]
            assert (coverage["complete"], coverage["reasons"]) == (False, [reason])
        assert recall(agent, query="nothing of it", role="user")["coverage"]["complete"]
        tiers = [row["tier"] for row in called(agent, "memory_sessions", scope="global")["sessions"]]
        assert tiers == ["hot", "cold", "cold"]


def test_a_deleted_index_comes_back_and_answers_stay(agent: Rest, alice: User) -> None:
    import shutil

    sent(agent, "s.jsonl", talk("the heron"))
    indexed(alice)
    folder = index_of(alice.pk).folder
    shutil.rmtree(folder)
    assert recall(agent, query="heron")["total"] == 1
    indexed(alice)
    assert folder.exists()
    assert recall(agent, query="heron")["total"] == 1
    modes = {path.stat().st_mode & 0o777 for path in folder.iterdir() if path.is_file()}
    assert (modes, folder.stat().st_mode & 0o777) == ({0o600}, 0o700)


def test_the_files_of_the_index_hold_no_text(agent: Rest, alice: User) -> None:
    sent(agent, "s.jsonl", talk("A heron stands in the reeds"))
    indexed(alice)
    stored = b"".join(path.read_bytes() for path in index_of(alice.pk).folder.iterdir() if path.is_file())
    snapshot = index_of(alice.pk).snapshot()
    assert snapshot is not None
    assert snapshot.frequency("heron") == 1
    assert stored
    assert b"heron stands" not in stored


def test_nothing_of_the_source_is_touched_by_searching(agent: Rest, alice: User) -> None:
    sent(agent, "s.jsonl", talk("the heron"))
    before = list(Chunk.objects.values_list("body", "heads", "seq"))
    indexed(alice)
    recall(agent, query="heron")
    assert list(Chunk.objects.values_list("body", "heads", "seq")) == before


def test_hidden_states_of_a_source_are_named(agent: Rest) -> None:
    broken = talk("rye") + b"{broken\n" + source(said(1, "rye two", parent=None, role="user"))
    sent(agent, "bad.jsonl", broken)
    assert recall(agent, query="rye", branches="all")["coverage"]["reasons"] == ["bad_lines"]
    dangling = source(header("d"), said(7, "oat", parent=5))
    sent(agent, "dangling.jsonl", dangling)
    assert recall(agent, query="oat", scope="session:d")["coverage"]["reasons"] == ["dangling_parent"]
    loop = source(header("l"), {**said(0, "wheat"), "parentId": "e1"}, {**said(1, "wheat"), "parentId": "e0"})
    sent(agent, "loop.jsonl", loop)
    assert recall(agent, query="wheat", scope="session:l")["coverage"]["reasons"] == ["invalid_parent_graph"]
    assert json.dumps(recall(agent, query="rye oat wheat")["coverage"]["reasons"]) == json.dumps(
        ["bad_lines", "dangling_parent", "invalid_parent_graph"]
    )


def test_scopes_keep_to_their_sessions(agent: Rest, alice: User, tmp_path: Any) -> None:
    root = str(tmp_path)
    assert agent.post("/projects", {"name": "Boats", "root": root}).status == 201
    sent(agent, "filed.jsonl", talk("heron one", name="filed"), project="boats")
    sent(agent, "below.jsonl", talk("heron two", name="below", cwd=f"{root}/src"))
    sent(agent, "beside.jsonl", talk("heron three", name="beside", cwd=f"{root}-other"))
    reply = agent.post("/tools/memory_recall?project=boats", {"query": "heron", "scope": "project"}).json
    assert sorted(name for name, _ in places(reply)) == ["below", "filed"]
    newest = agent.post("/tools/memory_recall?project=boats", {"query": "heron"}).json
    assert places(newest) == [("below", 0)]
    assert recall(agent, query="heron")["total"] == 3
