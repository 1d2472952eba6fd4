"""One write after the other, as agents do: the indexes of both nodes follow without growing into pieces."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pawflow_web.env import CHECKOUT
from tests.nodes.asking import recalled
from tests.nodes.conftest import often
from tests.nodes.installation import PARTS, Installation, Node

pytestmark = pytest.mark.processes

AT_ONCE = 50
# The library merges eight segments of a size into one, so that their number grows with the logarithm of what there is.
# A process maps what it has open and, until the next look, what was merged away.
SEGMENTS_MOST, FILES_MOST, MAPS_MOST = 16, 150, 300


def test_an_index_stays_in_few_pieces_however_often_it_is_written(nodes: Installation) -> None:
    many = often(200, 10_000)
    began = time.monotonic()
    most = {"segments": 0, "files": 0, "maps": 0}
    with writer(nodes, many) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        for _ in range(many // AT_ONCE):
            line = process.stdout.readline()
            assert line, "the writer ended"
            word, ref = json.loads(line)
            for node in nodes.nodes:
                found, coverage = recalled(node.live.bearing(nodes.agent), word)
                assert (found, coverage["complete"]) == ([ref], True), word
                now = pieces(nodes, node)
                most = {name: max(number, now[name]) for name, number in most.items()}
            process.stdin.write("\n")
            process.stdin.flush()
    nodes.wait_for_indexes()
    for node in nodes.nodes:
        assert nodes.indexed(node) == nodes.stored()
    figures = {"commits": many, "seconds": round(time.monotonic() - began), "most": most}
    figures["at the end"] = [pieces(nodes, node) for node in nodes.nodes]
    sys.stdout.write(f"{json.dumps(figures)}\n")
    assert most["segments"] <= SEGMENTS_MOST
    assert most["files"] <= FILES_MOST
    assert most["maps"] <= MAPS_MOST


@contextmanager
def writer(nodes: Installation, many: int) -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.nodes.write_many", nodes.agent, str(many), str(AT_ONCE)],
        cwd=CHECKOUT,
        env=nodes.nodes[0].environment("command") | {"DJANGO_SETTINGS_MODULE": "pawflow_web.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


def pieces(nodes: Installation, node: Node) -> dict[str, int]:
    """Of the owner's index on a node: its segments, its files, and the most that one process maps of them, also of
    those that are deleted already."""
    folder = node.index(nodes.user_id).folder
    try:
        segments = len(json.loads((folder / "meta.json").read_bytes())["segments"])
        files = sum(1 for _ in folder.iterdir())
    except FileNotFoundError:  # there is none yet
        segments = files = 0
    maps = [Path(f"/proc/{node.running[part].pid}/maps").read_text().count(f"{folder}/") for part in PARTS]
    return {"segments": segments, "files": files, "maps": max(maps)}
