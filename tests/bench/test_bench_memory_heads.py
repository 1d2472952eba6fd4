"""``manage.py bench memory-heads``: that it passes, and that it fails when any of what it guards is broken."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from bench.heads_corpus import ABSENT, REFS, SPOILS, HeadSession, Spoil
from bench.heads_session import examine
from bench.memory_heads import held
from pawflow_web.lib.errors import Unavailable
from tests.bench.conftest import Installation
from tests.factories import make_owner, make_person

PATIENCE_S = 600
HOT = 3
Examined = Callable[[Spoil], dict[str, Any]]


@pytest.fixture
def examined(db: None, settings: LazySettings, tmp_path: Path) -> Examined:
    """A run over a few sessions, some of them hot."""
    few = replace(settings.ENV.recall, hot_sessions=HOT)
    settings.ENV = replace(settings.ENV, data_dir=tmp_path, recall=few)
    person = make_person(make_owner())
    return lambda spoil: examine(person, spoil=spoil)


def test_recall_that_keeps_to_what_was_done_has_no_failures(examined: Examined) -> None:
    report = examined(Spoil())
    assert held(report) is report
    assert report["failures"] == {}
    assert (report["hot"], report["cold"]) == (HOT, HOT)
    assert report["results"] == {
        "recall_at_1": 1.0,
        "prose_hits": 0,
        "hot_recall": 1.0,
        "cold_recall": 1.0,
        "combined_found": True,
        "absent_hits": 0,
    }
    assert report["sizes"]["index_bytes"] > 0
    assert 0 < report["structural"]["p50_ms"] <= report["structural"]["p99_ms"]


@pytest.mark.parametrize("condition", sorted(SPOILS))
def test_each_condition_that_is_broken_fails_the_run(condition: str, examined: Examined) -> None:
    with pytest.raises(Unavailable) as refused:
        held(examined(SPOILS[condition]))
    assert condition in refused.value.fields


def test_descriptions_of_tools_that_were_said_are_counted(examined: Examined) -> None:
    assert examined(SPOILS["prose"])["results"]["prose_hits"] > 0


def test_operations_of_traces_that_are_none_are_missed(examined: Examined) -> None:
    results = examined(SPOILS["provenance"])["results"]
    assert (results["hot_recall"], results["cold_recall"], results["combined_found"]) == (0, 0, False)


def test_one_operation_too_few_is_noticed(examined: Examined) -> None:
    def without_last(trace: dict[str, Any]) -> dict[str, Any]:
        return {**trace, "operations": trace["operations"][:-1]}

    report = examined(Spoil(trace=without_last))
    assert report["failures"].keys() == {"provenance"}
    assert 0 < report["results"]["hot_recall"] < 1


def test_a_word_and_a_ref_in_different_operations_are_no_answer(examined: Examined) -> None:
    """An engine that looks at them one by one finds both operations of the word."""

    def without_ref(arguments: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in arguments.items() if name != "ref" or "query" not in arguments}

    report = examined(Spoil(arguments=without_ref))
    assert report["results"]["combined_found"] is False
    assert "provenance" in report["failures"]


def test_an_absent_ref_with_an_incomplete_answer_proves_nothing(examined: Examined) -> None:
    def unsure(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "coverage": {**answer["coverage"], "complete": False}}

    assert examined(Spoil(answer=unsure))["failures"].keys() == {"absent"}


def test_a_session_knows_the_addresses_of_its_operations() -> None:
    session = HeadSession(7, rare=True)
    assert list(session.addresses(REFS[0])) == ["00070003/0", "00070003/4", "00070003/8"]
    assert list(session.addresses(REFS[0], rare=True)) == ["00070003/4"]
    assert list(session.addresses(ABSENT)) == []
    assert ABSENT.encode() not in session.source(Spoil())


@pytest.mark.processes
def test_the_command_answers_and_leaves_nothing(
    installation: Installation, left_over: Callable[[], tuple[list[str], list[int], list[Path]]]
) -> None:
    started = installation.start("memory-heads", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, said = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 0, said
    report = json.loads(output)
    assert (report["hot"], report["cold"], report["failures"]) == (100, 100, {})
    assert left_over() == ([], [], [])


@pytest.mark.processes
def test_the_command_fails_where_a_condition_does_not_hold(installation: Installation) -> None:
    arguments = ("--spoil", "absent", "--json")
    started = installation.start("memory-heads", *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, _ = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 1
    assert json.loads(output)["error"]["fields"].keys() == {"absent"}
