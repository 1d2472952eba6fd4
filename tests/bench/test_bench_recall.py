"""``manage.py bench recall`` at a small size: that it runs, what it prints, and that nothing is left of it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.clients import FailedCallError
from bench.recall import table
from bench.recall_corpus import LINES, SessionWriter, growing, needle, session_id, write_corpus
from bench.recall_lines import WITH_LITERAL, WITHOUT_LITERAL, Asked, RecallLine, tool_request
from bench.recall_session import checked
from conversations.recall.regex import required
from tests.bench.conftest import Installation

PATIENCE_S = 600
SESSIONS, LARGE_LINES = 3, 300
LeftOver = Callable[[], tuple[list[str], list[int], list[Path]]]
SEARCHES = {"rare", "common", "structural", "phrase", "everyday", "regex_literal", "regex_bare", "browse"}
READS = {"health", "in_oldest", "sessions", "expand_index", "expand_id"}
LARGE_ONES = {"rare_large", "expand_index_large", "rare_after_append"}


@pytest.fixture(scope="module")
def report(installation: Installation) -> dict[str, Any]:
    sizes = ("--sessions", str(SESSIONS), "--large-lines", str(LARGE_LINES))
    started = installation.start(
        *("recall", *sizes, "--runs", "3", "--seconds", "2", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, said = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 0, said
    found: dict[str, Any] = json.loads(output)
    return found


@pytest.mark.processes
def test_a_run_answers_with_every_line(report: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in report["results"]}
    assert rows.keys() == SEARCHES | READS | LARGE_ONES
    assert all(0 < row["p50_ms"] <= row["p95_ms"] and row["right"] for row in rows.values())
    assert all(rows[name]["complete"] for name in SEARCHES | {"rare_after_append"})
    assert rows["regex_bare"]["total"] == SESSIONS
    assert rows["rare_after_append"]["before_p50_ms"] > 0
    assert sum(row["web_ms"] for row in rows.values()) > 0
    assert {name for name, row in rows.items() if row["budget_ms"] is not None} > {"rare", "phrase", "expand_index"}


@pytest.mark.processes
def test_a_run_says_what_it_took_in_and_what_that_needs(report: dict[str, Any]) -> None:
    assert report["build"]["take_in_mb_s"] > 0 < report["build"]["index_mb_s"]
    assert report["sizes"]["index_bytes"] > 0
    assert report["sizes"]["chunks_to_source"] > 0
    for moment in ("idle_mib", "after_mib"):
        assert all(mib > 10 for mib in report["resident"][moment].values())
    told = table(report)
    assert "rare_after_append" in told
    assert "index_mb_s: " in told


@pytest.mark.processes
def test_nothing_is_left_of_a_run(report: dict[str, Any], left_over: LeftOver) -> None:
    assert report["results"]
    assert left_over() == ([], [], [])


@pytest.mark.processes
@pytest.mark.parametrize("arguments", [("--sessions", "1"), ("--sessions", "100000000"), ("--large-lines", "5")])
def test_a_size_without_a_beginning_or_an_end_is_refused(
    arguments: tuple[str, str], installation: Installation
) -> None:
    started = installation.start("recall", *arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, _ = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 1
    assert json.loads(output)["error"]["fields"].keys() == {arguments[0].removeprefix("--")}


def test_the_same_seed_gives_the_same_sessions(tmp_path: Path) -> None:
    first, again, other = (
        [path.read_bytes() for path in write_corpus(tmp_path / name, sessions=3, seed=seed).paths]
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert first == again
    assert first != other


def test_each_session_has_a_word_of_its_own_once(tmp_path: Path) -> None:
    known = write_corpus(tmp_path / "corpus", sessions=40, seed=1)
    texts = [path.read_text() for path in known.paths]
    for number, text in enumerate(texts):
        assert text.count(needle(number)) == 1
        assert sum(needle(number) in one for one in texts) == 1
        assert len(text.splitlines()) == LINES
    assert known.size == sum(len(text) for text in texts)
    assert 450 < known.size / len(texts) / LINES < 750


def test_what_is_known_of_a_corpus_stands_on_its_active_branches(tmp_path: Path) -> None:
    known = write_corpus(tmp_path / "corpus", sessions=60, seed=3)
    lines = {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in known.paths}
    active = {name: _active(one) for name, one in lines.items()}
    assert any(len(active[name]) < len(one) - 1 for name, one in lines.items())
    traced = [line for one in active.values() for line in one if "details" in line["message"]]
    assert known.operations["pi.grep"] == len(traced) > 0
    told = {name: json.dumps(one) for name, one in active.items()}
    assert all(needle(number) in told[session_id(number)] for number in range(60))
    for number in range(60):
        said = [line["message"]["content"] for line in active[session_id(number)] if line["message"]["role"] == "user"]
        assert any(needle(number) in text for text in said) == (number in known.said)
    assert 0 < len(known.said) < 60
    assert known.phrases
    assert all(phrase in told[session] for phrase, session in known.phrases)


def _active(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """From the last line back to the first."""
    named = {line["id"]: line for line in lines[1:]}
    found = [lines[-1]]
    while found[-1]["parentId"] is not None:
        found.append(named[found[-1]["parentId"]])
    return found


def test_a_session_grows_by_a_line_at_its_end() -> None:
    writer = SessionWriter(1, 5)
    writer.fill(LINES)
    before = b"".join(writer.lines)
    first, second = growing(writer, ["alpha", "omega"])
    assert first.startswith(before)
    assert second.startswith(first)
    assert b"alpha" in first[len(before) :]
    assert (b"omega" in first, b"omega" in second) == (False, True)


def test_only_one_of_the_patterns_has_a_literal() -> None:
    assert required(WITH_LITERAL) == ("needle_0000",)
    assert not required(WITHOUT_LITERAL)


ASKED = Asked(tool_request("memory_recall", query="x"), lambda answer: answer["total"] == 1)
RIGHT, WRONG = {"total": 1, "coverage": {"complete": True}}, {"total": 0, "coverage": {"complete": True}}
CUT = {"total": 0, "coverage": {"complete": False}}


def _line(*, bounded: bool) -> RecallLine:
    return RecallLine("rare", lambda: iter([ASKED]), bounded=bounded)


@pytest.mark.parametrize("bounded", [False, True])
def test_a_wrong_answer_ends_the_run(*, bounded: bool) -> None:
    assert checked(_line(bounded=bounded), ASKED, RIGHT)
    with pytest.raises(FailedCallError):
        checked(_line(bounded=bounded), ASKED, WRONG)


def test_an_answer_that_says_it_is_cut_may_miss_only_where_bounds_may_cut_it() -> None:
    assert not checked(_line(bounded=True), ASKED, CUT)
    with pytest.raises(FailedCallError):
        checked(_line(bounded=False), ASKED, CUT)
