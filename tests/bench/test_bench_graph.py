"""``manage.py bench graph`` at a small size: that it runs, what it prints, and that nothing is left of it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.conftest import Installation

pytestmark = pytest.mark.processes

PATIENCE_S = 600
WALKS = {"query_graph", "query_graph_hub", "query_graph_dfs", "kg_path"}
WHOLE = {"kg_god_nodes", "kg_communities", "kg_god_nodes_after_write", "kg_communities_after_write"}


def test_a_run_answers_with_every_line_and_leaves_nothing(
    installation: Installation, left_over: Callable[[], tuple[list[str], list[int], list[Path]]]
) -> None:
    arguments = ("--triples", "300", "--runs", "8", "--seconds", "3", "--json")
    started = installation.start("graph", *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, said = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 0, said
    report: dict[str, Any] = json.loads(output)
    assert (report["triples"], report["seed"]) == (300, 1)
    rows = {(row["name"], row["clients"]): row for row in report["results"]}
    expected = {"health", "kg_query", "kg_add", *WALKS, *WHOLE}
    assert rows.keys() == {(name, clients) for name in expected for clients in (1, 8)}
    assert all(0 < row["p50_ms"] <= row["p95_ms"] for row in rows.values())
    assert rows["kg_god_nodes", 1]["queries"] <= 3 < rows["kg_god_nodes_after_write", 1]["queries"]
    assert 3 < rows["query_graph", 1]["queries"] <= 12
    assert left_over() == ([], [], [])


@pytest.mark.parametrize("arguments", [("--triples", "5"), ("--triples", "100000000")])
def test_a_size_without_a_beginning_or_an_end_is_refused(
    arguments: tuple[str, str], installation: Installation
) -> None:
    started = installation.start("graph", *arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, _ = started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 1
    assert json.loads(output)["error"]["fields"].keys() == {"triples"}
