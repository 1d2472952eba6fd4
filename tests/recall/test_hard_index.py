"""The index of entries is deleted, damaged, left behind or not writable: answers stay right or say what they lack."""

import json
import resource
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from conversations.recall import tail
from conversations.recall.index import catch_up, index_of, renew
from conversations.tasks import entries_index
from pawflow_web.identity.models import User
from pawflow_web.lib.search import Busy, CorruptIndexError, Snapshot, Unwritable
from tests.factories import make_owner, make_token
from tests.recall.asking import Answer, called, indexed, places, recall, sent
from tests.recall.pi_lines import talk
from tests.surfaces.conftest import Rest

# An answer without these says that nothing more could have been found.
LACKS = {"index_behind", "index_building"}

MODES: list[dict[str, Any]] = [
    {"query": "heron"},
    {"query": "the heron 3", "queryMatch": "all"},
    {"query": "heron 3", "queryMode": "phrase"},
    {"query": "her[o]n 3$", "queryMode": "regex"},
    {"role": "assistant"},
    {},
]
RIGHT = [5, 1, 1, 1, 5, 10]


def birds(rest: Rest) -> None:
    for number in range(5):
        sent(rest, f"{number}.jsonl", talk(f"the heron {number}", f"a robin {number}", name=f"s{number}"))


def totals(rest: Rest) -> list[int]:
    """What each mode finds, where the answers say that they are complete."""
    answers = [recall(rest, **mode) for mode in MODES]
    assert all(answer["coverage"]["complete"] for answer in answers), [one["coverage"] for one in answers]
    assert all(len(answer["hits"]) == answer["total"] for answer in answers)
    return [answer["total"] for answer in answers]


# --- damage ---------------------------------------------------------------------------------------------------------
def without_meta(folder: Path) -> None:
    (folder / "meta.json").unlink()


def meta_of_another(folder: Path) -> None:
    (folder / "meta.json").write_text("{}")


def meta_of_no_json(folder: Path) -> None:
    (folder / "meta.json").write_bytes(b"\xff\0{")


def without_marker(folder: Path) -> None:
    (folder / "index_epoch").unlink()


def marker_of_another_version(folder: Path) -> None:
    marker = json.loads((folder / "index_epoch").read_text())
    (folder / "index_epoch").write_text(json.dumps(marker | {"version": marker["version"] + 1}))


def marker_of_an_older_epoch(folder: Path) -> None:
    marker = json.loads((folder / "index_epoch").read_text())
    (folder / "index_epoch").write_text(json.dumps(marker | {"epoch": -1}))


def files_of(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name not in {"index_epoch", "meta.json"})


def replaced_by_zeros(folder: Path) -> None:
    for path in list(files_of(folder)):
        path.unlink()
        path.write_bytes(b"\0" * 40)


def overwritten(folder: Path) -> None:
    """Under the maps of whoever has it open."""
    for path in files_of(folder):
        with path.open("r+b") as file:
            file.write(b"\xa5" * path.stat().st_size)


def without_segments(folder: Path) -> None:
    for path in list(files_of(folder)):
        path.unlink()


def a_folder_of_text(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("no folder")


DAMAGE = [
    without_meta,
    meta_of_another,
    meta_of_no_json,
    without_marker,
    marker_of_another_version,
    marker_of_an_older_epoch,
    replaced_by_zeros,
    overwritten,
    without_segments,
    a_folder_of_text,
    shutil.rmtree,
]


@pytest.mark.parametrize("opened_before", [False, True], ids=["unopened", "opened"])
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_answers_stay_right_over_damaged_files_and_the_index_comes_back(
    agent: Rest, alice: User, damage: Callable[[Path], None], opened_before: bool
) -> None:
    birds(agent)
    indexed(alice)
    if opened_before:
        assert totals(agent) == RIGHT
    damage(index_of(alice.pk).folder)
    assert totals(agent) == RIGHT
    sent(agent, "9.jsonl", talk("the wren", name="s9"))
    assert places(recall(agent, query="wren")) == [("s9", 0)]
    assert entries_index(float("inf")) is False
    snapshot = index_of(alice.pk).snapshot()
    assert snapshot is not None
    assert snapshot.documents == 11
    assert places(recall(agent, query="wren")) == [("s9", 0)]
    assert recall(agent, query="heron")["total"] == 5


def test_damage_that_cannot_even_be_noted_costs_no_answer(
    agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    birds(agent)
    indexed(alice)

    def broken(*_: object, **__: object) -> None:
        raise CorruptIndexError("a page of the disk cannot be read")

    monkeypatch.setattr(Snapshot, "best", broken)
    monkeypatch.setattr("pawflow_web.lib.search.reader.Reader.mark_broken", lambda *_: None)
    for mode, right in zip(MODES, RIGHT, strict=True):
        answer = recall(agent, **mode)
        assert (answer["total"], answer["coverage"]["complete"]) == (right, True)
    assert len(called(agent, "conversation_search", query="heron")["items"]) == 5


# --- deleted, moved and rewritten under whoever reads ---------------------------------------------------------------
class Searching(threading.Thread):
    """Asks in a loop until it is told to stop. ``wrong``: answers that were neither right nor said what they lack."""

    def __init__(self, rest: Rest) -> None:
        super().__init__()
        self.rest, self.stop, self.asked = rest, threading.Event(), 0
        self.wrong: list[object] = []

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self._ask()
        finally:
            connections.close_all()

    def _ask(self) -> None:
        for mode, right in zip(MODES, RIGHT, strict=True):
            reply = self.rest.post("/tools/memory_recall", {"scope": "global", **mode})
            self.asked += 1
            answer: Answer = reply.json if reply.status == 200 else {}
            coverage = answer.get("coverage", {})
            lacks = not coverage.get("complete") and LACKS & set(coverage.get("reasons", ()))
            if not (answer.get("total") == right and coverage.get("complete")) and not lacks:
                self.wrong.append((mode, reply.status, reply.body))


@contextmanager
def searching(rest: Rest) -> Iterator[Callable[[], None]]:
    """The callable waits for answers that were asked for after it was called."""
    asking = Searching(rest)
    asking.start()

    def answered() -> None:
        upto = asking.asked + 2 * len(MODES)
        while asking.asked < upto and asking.is_alive():
            asking.join(0.01)

    try:
        yield answered
    finally:
        asking.stop.set()
        asking.join()
    assert asking.wrong == []
    assert asking.asked > 2 * len(MODES)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("few", [False, True], ids=["all is read", "little is read"])
def test_each_answer_is_right_or_says_what_it_lacks_while_the_index_comes_and_goes(
    monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    owner = make_owner("alice")
    agent = Rest(make_token(owner))
    birds(agent)
    if few:
        monkeypatch.setattr(tail, "WITHOUT_INDEX_ENTRIES", 4)
    with searching(agent) as answered:
        for _ in range(2):
            indexed(owner)
            answered()
            shutil.rmtree(index_of(owner.pk).folder, ignore_errors=True)
            answered()
            indexed(owner)
            while renew(owner.pk, float("inf")):
                pass
            answered()
            shutil.rmtree(index_of(owner.pk).folder.parent)
    indexed(owner)
    assert totals(agent) == RIGHT


def test_what_stands_now_where_something_else_was_is_no_hit(
    agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(agent, "a.jsonl", talk("the heron", "a robin", name="a"))
    sent(agent, "b.jsonl", talk("the heron", name="b"))
    indexed(alice)
    monkeypatch.setattr(tail, "TAIL_ENTRIES", 0)
    sent(agent, "a.jsonl", talk("the wren", "a robin", name="a"))
    for mode in (
        {"query": "heron"},
        {"query": "heron", "queryMode": "phrase"},
        {"query": "h.ron", "queryMode": "regex"},
    ):
        answer = recall(agent, **mode)
        assert places(answer) == [("b", 0)]
        assert answer["coverage"]["reasons"] == ["index_behind"]
    assert [one["snippet"] for one in called(agent, "conversation_search", query="heron")["items"]] == ["the heron"]
    indexed(alice)
    assert (recall(agent, query="heron")["total"], recall(agent, query="wren")["total"]) == (1, 1)


# --- a disk that takes no more --------------------------------------------------------------------------------------
@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("begun", [False, True], ids=["first", "later"])
@pytest.mark.parametrize("size", [0, 100, 600])
def test_a_full_disk_costs_no_answer_and_is_caught_up_with(
    agent: Rest, alice: User, monkeypatch: pytest.MonkeyPatch, size: int, begun: bool
) -> None:
    if begun:
        sent(agent, "old.jsonl", talk("the old finch", name="old"))
        indexed(alice)
    before = index_of(alice.pk).watermark
    birds(agent)
    with files_of_at_most(size):
        with pytest.raises(Unwritable):
            catch_up(alice.pk)
        # Nor does it stop the worker.
        assert entries_index(float("inf")) is False
        found = recall(agent, query="heron")
        assert (found["total"], found["coverage"]["complete"]) == (5, True)
        monkeypatch.setattr(tail, "TAIL_ENTRIES", 2)
        monkeypatch.setattr(tail, "WITHOUT_INDEX_ENTRIES", 2)
        cut = recall(agent, query="heron")["coverage"]
        assert (cut["complete"], len(LACKS & set(cut["reasons"]))) == (False, 1)
    assert index_of(alice.pk).watermark in {before, None}
    indexed(alice)
    found = recall(agent, query="heron")
    assert (found["total"], found["coverage"]["complete"]) == (5, True)
    assert recall(agent, query="finch")["total"] == int(begun)


def test_an_index_that_somebody_else_writes_is_left_to_them(agent: Rest, alice: User) -> None:
    from pawflow_web.lib.search.folder import file_lock

    birds(agent)
    with file_lock(index_of(alice.pk).lock_file):
        with pytest.raises(Busy):
            catch_up(alice.pk)
        assert entries_index(float("inf")) is False
        assert recall(agent, query="heron")["total"] == 5
    indexed(alice)
    assert totals(agent) == RIGHT


@pytest.mark.django_db(transaction=True)
def test_many_patterns_at_once_are_answered_each() -> None:
    """They wait for each other's process no longer than their time."""
    owner = make_owner("alice")
    agent = Rest(make_token(owner))
    birds(agent)
    indexed(owner)

    def ask(number: int) -> Answer:
        try:
            return recall(agent, query=f"(h|r)(er|ob).n {number % 5}$", queryMode="regex")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(16)))
    assert [(answer["total"], answer["coverage"]["complete"]) for answer in answers] == [(2, True)] * 16
