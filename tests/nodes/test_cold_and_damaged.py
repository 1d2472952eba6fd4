"""A node whose index is not there, is damaged or cannot be written: it answers, says what it covers, and recovers."""

import contextlib
import ctypes
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live import Live
from tests.nodes.asking import recalled, remember
from tests.nodes.conftest import KILLS, often
from tests.nodes.installation import Installation, Node, installation
from tests.startup.product import eventually

pytestmark = pytest.mark.processes

_DETACH = 2
_libc = ctypes.CDLL(None, use_errno=True)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Installation]:
    with installation(nodes=1) as made:
        made.start()
        yield made


@pytest.fixture
def serving(nodes: Installation) -> Node:
    """A node with an index that is up to date."""
    remember(agent(nodes, nodes.nodes[0]), "The ledger is kept in the vestry")
    nodes.wait_for_indexes()
    return nodes.nodes[0]


def agent(nodes: Installation, node: Node) -> Live:
    return node.live.bearing(nodes.agent)


def is_whole_again(nodes: Installation, node: Node) -> None:
    """The index comes back by itself, at the latest with the next tick, and agrees with the database."""
    nodes.wait_for_index(node)
    assert nodes.indexed(node) == nodes.stored()


def test_a_cold_node_answers_and_catches_up(nodes: Installation, serving: Node) -> None:
    refs = [remember(agent(nodes, serving), f"Heron{number} fishes at the weir") for number in range(20)]
    if KILLS:
        _fill(nodes, serving, often(0, 2100))
    cold = nodes.add_node()
    try:
        cold.start("web")
        cold.wait_for_web()
        assert cold.index(nodes.user_id).watermark is None
        found, coverage = recalled(agent(nodes, cold), "heron7")
        if KILLS:
            assert (found, coverage["complete"], coverage["reasons"]) == ([], False, ["index_unavailable"])
        else:
            assert (found, coverage["complete"]) == ([refs[7]], True)
        newest = remember(agent(nodes, serving), "The bittern booms at dusk")
        assert recalled(agent(nodes, cold), "bittern")[0] == [newest]
        cold.start("worker")
        is_whole_again(nodes, cold)
        found, coverage = recalled(agent(nodes, cold), "heron7")
        assert (found, coverage["complete"]) == ([refs[7]], True)
    finally:
        cold.end()
        nodes.nodes.remove(cold)


def _fill(nodes: Installation, node: Node, most: int) -> None:
    """More rows than a search without an index reads."""
    path = nodes.folder / "many.md"
    path.write_text("".join(f"- Locker {number} holds rope number {number}\n" for number in range(most)))
    done = node.manage("import", "markdown", str(path), "--owner", "alice", "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("whole", [False, True], ids=["an owner's folder", "all folders"])
def test_an_index_deleted_while_it_serves_comes_back(nodes: Installation, serving: Node, whole: bool) -> None:
    folder = serving.search_dir if whole else serving.index(nodes.user_id).folder
    for number in range(often(2, 10)):
        ref = remember(agent(nodes, serving), f"Wagtail{whole:d}x{number} nests in the wall")
        shutil.rmtree(folder, ignore_errors=True)
        found, coverage = recalled(agent(nodes, serving), f"wagtail{whole:d}x{number}")
        assert (found, coverage["complete"]) == ([ref], True)
        is_whole_again(nodes, serving)
    assert serving.running["web"].poll() is None


def _older(folder: Path) -> None:
    marker = json.loads((folder / "index_epoch").read_text())
    (folder / "index_epoch").write_text(json.dumps(marker | {"version": marker["version"] - 1}))


def _without_meta(folder: Path) -> None:
    (folder / "meta.json").unlink()


def _replaced(folder: Path) -> None:
    """As a copy of a broken disk would lie there; what is mapped stays mapped."""
    for path in folder.iterdir():
        if path.name not in {"index_epoch", "meta.json"}:
            path.unlink()
            path.write_bytes(b"\0" * 40)


def _overwritten(folder: Path) -> None:
    """Under the maps of whoever has it open."""
    for path in folder.iterdir():
        if path.suffix in {".idx", ".term", ".store", ".fast", ".pos", ".fieldnorm"}:
            with path.open("r+b") as file:
                file.write(b"\xa5" * path.stat().st_size)


def _meta_of_another(folder: Path) -> None:
    (folder / "meta.json").write_text("{}")


@pytest.mark.parametrize("damage", [_older, _without_meta, _replaced, _overwritten, _meta_of_another])
def test_a_damaged_index_is_built_anew_and_answers_meanwhile(
    nodes: Installation, serving: Node, damage: Callable[[Path], None]
) -> None:
    word = damage.__name__.strip("_").replace("_", "")
    ref = remember(agent(nodes, serving), f"Redshank {word}sign stands at the ford")
    is_whole_again(nodes, serving)
    damage(serving.index(nodes.user_id).folder)
    # Another write makes whoever reads look at the folder again.
    other = remember(agent(nodes, serving), f"Another {word}mark stands there too")
    for asked, wanted in ((f"{word}sign", ref), (f"{word}mark", other)):
        found, coverage = recalled(agent(nodes, serving), asked)
        assert (found, coverage["complete"]) == ([wanted], True)
    is_whole_again(nodes, serving)
    found, coverage = recalled(agent(nodes, serving), f"{word}sign")
    assert (found, coverage["complete"]) == ([ref], True)
    assert serving.running["web"].poll() is None
    assert serving.running["worker"].poll() is None


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of that size in the place of the folder; skips where we may not mount one."""
    folder.mkdir(mode=0o700)
    if _libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={size},mode=700".encode()):
        pytest.skip(f"mounting a file system: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        _libc.umount2(os.fsencode(folder), _DETACH)


def test_a_full_disk_of_the_indexes_stops_nothing_and_recovers(nodes: Installation, serving: Node) -> None:
    node = nodes.add_node()
    try:
        with small_disk(node.search_dir, "2m"):
            node.start()
            nodes.wait()
            is_whole_again(nodes, node)
            filler = node.search_dir / "filler"
            _take_all(filler)
            behind = node.index(nodes.user_id).watermark
            refs = [remember(agent(nodes, node), f"Grebe{number} has a nest of reeds") for number in range(3)]
            for number, ref in enumerate(refs):
                found, coverage = recalled(agent(nodes, node), f"grebe{number}")
                assert (found, coverage["complete"]) == ([ref], True)
            eventually(lambda: "index_not_written" in node.said("worker"), f"a warning: {node.said('worker')}", 30)
            assert node.index(nodes.user_id).watermark in {behind, None}
            if KILLS:
                for number in range(210):
                    remember(agent(nodes, node), f"Crake{number} hides in the sedge")
                found, coverage = recalled(agent(nodes, node), "grebe0")
                assert (found, coverage["complete"], coverage["reasons"]) == ([], False, ["index_behind"])
            assert node.live.get("/health").status == 200
            filler.unlink()
            is_whole_again(nodes, node)
            found, coverage = recalled(agent(nodes, node), "grebe0")
            assert (found, coverage["complete"]) == ([refs[0]], True)
            node.end()
    finally:
        node.end()
        nodes.nodes.remove(node)


def _take_all(filler: Path) -> None:
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(b"\0" * 4096):
            pass
