"""``manage.py bench memory`` at a small size: that it runs, what it prints, and that nothing is left of it."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import meaning
from tests.bench.conftest import Installation

pytestmark = pytest.mark.processes

LeftOver = Callable[[], tuple[list[str], list[int], list[Path]]]
RECALL = {"recall_keyword", "recall_rare", "recall_after_write", "recall_browse"}
NAMES = {"remember", *RECALL, "digest", "context", "context_scoped", "memory_md"}
QUICK = ("--runs", "4", "--seconds", "2")
PATIENCE_S = 600


@pytest.fixture(scope="module")
def report(installation: Installation) -> dict[str, Any]:
    """Of one run with 200 beliefs, and half as many of others. JSON is all that it prints."""
    started = installation.start(
        "memory", "--n", "200", "--others", "100", *QUICK, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, said = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 0, said
    found: dict[str, Any] = json.loads(output)
    return found


def test_a_run_answers_with_every_line_for_every_group_of_clients(report: dict[str, Any]) -> None:
    assert {"n", "seed", "machine", "results", "sizes"} <= report.keys()
    assert (report["n"], report["others"], report["seed"]) == (200, 100, 1)
    measured = {(row["name"], row["owners"], row["clients"]) for row in report["results"]}
    assert {(name, *group) for name in NAMES for group in ((1, 1), (1, 8), (8, 8))} <= measured
    assert report["sizes"]["search_bytes"] > 0
    assert report["machine"]["postgresql"]


def test_search_by_meaning_is_measured_where_a_model_is(report: dict[str, Any]) -> None:
    if not meaning.available():
        pytest.skip("no local model: make embeddings")
    assert {"recall_hybrid", "semantic"} <= {row["name"] for row in report["results"]}
    assert report["sizes"]["vector_bytes"] > 0
    near = report["nearness"]
    assert 0 < near["question_p50_ms"] <= near["question_p95_ms"]
    for part in ("all", "one_in_100"):
        assert 0.95 <= near[part]["recall_at_10"] <= 1
        assert any("review_itemvector_hnsw" in line for line in near[part]["plan"])
    assert near["all"]["readable"] > near["one_in_100"]["readable"] > 0


def test_the_memory_of_each_process_is_told(report: dict[str, Any]) -> None:
    stages = {"idle_mib", "after_mib"} | ({"with_model_mib"} if meaning.available() else set())
    assert report["resident"].keys() == stages
    for held in report["resident"].values():
        assert all(10 < held[part] < 2000 for part in ("web", "worker", "database"))


def test_every_line_counts_its_statements_and_times_its_runs(report: dict[str, Any]) -> None:
    rows = {(row["name"], row["clients"], row["owners"]): row for row in report["results"]}
    assert all(0 < row["p50_ms"] <= row["p95_ms"] and row["runs"] > 0 for row in rows.values())
    assert rows["remember", 1, 1]["runs"] == 4
    assert rows["remember", 8, 8]["runs"] == 8
    # A probe that asks nothing, a read and a write: the counts tell them apart.
    assert rows["health", 1, 1]["queries"] == 0 < rows["recall_keyword", 1, 1]["queries"]
    assert rows["recall_keyword", 1, 1]["queries"] < rows["remember", 1, 1]["queries"] <= 20


def test_nothing_is_left_of_a_run(report: dict[str, Any], left_over: LeftOver) -> None:
    assert report["results"]
    assert left_over() == ([], [], [])


def test_nothing_is_left_of_a_run_that_is_interrupted(installation: Installation, left_over: LeftOver) -> None:
    started = installation.start(
        "memory", "--n", "2000", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert started.stderr is not None
    said = []
    for line in started.stderr:
        said.append(line)
        if line.startswith("remember"):
            break
    databases, processes, files = left_over()
    assert (len(databases), len(files)) == (1, 1), said
    # the program, the supervisor, web and the worker's own
    assert len(processes) >= 4
    started.send_signal(signal.SIGINT)
    output, _ = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 1
    assert json.loads(output)["error"]["code"] == "unavailable"
    assert left_over() == ([], [], [])


@pytest.mark.parametrize(
    "arguments", [("--n", "5"), ("--n", "100000000"), ("--others", "5"), ("--runs", "0"), ("--seconds", "0")]
)
def test_a_run_that_would_have_no_end_or_no_beginning_is_refused(
    arguments: tuple[str, str], installation: Installation
) -> None:
    started = installation.start("memory", *arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, _ = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 1
    assert json.loads(output)["error"]["fields"].keys() == {arguments[0].removeprefix("--")}
