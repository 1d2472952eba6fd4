import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from pawflow_web.env import CHECKOUT
from pawflow_web.jobs import node, slices
from pawflow_web.jobs.node import NodeIndexer, node_name
from pawflow_web.jobs.services import beat, stop_beating, wake
from pawflow_web.jobs.slices import run_cluster_drain
from pawflow_web.jobs.worker import Waiting
from pawflow_web.lib.drains import Drain, DrainRegistry, Where, drain, lock_of, registry
from pawflow_web.lib.search import Busy, file_lock
from tests.jobs.conftest import eventually

Register = Callable[[Drain], Drain]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Adds drains to the frozen registry for one test."""

    def add(added: Drain) -> Drain:
        monkeypatch.setitem(registry._entries, added.kind, added)
        return added

    return add


def test_two_drains_of_one_kind_refuse_to_start() -> None:
    drains = DrainRegistry("drain")
    drains.add("embed", Drain("embed", "cluster", lambda _: False))
    with pytest.raises(RuntimeError, match="embed"):
        drains.add("embed", Drain("embed", "node", lambda _: False))


def test_after_the_start_nothing_can_be_registered() -> None:
    with pytest.raises(RuntimeError, match="late"):
        drain("late")(lambda _: False)
    assert registry.find("forget_runs") is not None


@pytest.mark.parametrize("kind", ["", "a b", "é", "x" * 41])
def test_names_that_no_announcement_can_carry_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="no name for a drain"):
        drain(kind)


@pytest.mark.django_db
def test_slices_go_on_until_nothing_is_left_and_once_more(register: Register) -> None:
    answers = iter([True, True, False, True, False, False])
    deadlines: list[float] = []

    def work(deadline: float) -> bool:
        deadlines.append(deadline)
        return next(answers)

    register(Drain("work", "cluster", work))
    assert run_cluster_drain("work") == "done"
    assert next(answers, "all used") == "all used"
    assert 25 < deadlines[0] - time.monotonic() <= slices.SLICE_S


@pytest.mark.django_db
@pytest.mark.parametrize(("where", "done"), [("cluster", "busy"), ("worker", "done")])
def test_what_each_worker_does_for_its_machine_waits_for_no_other(register: Register, where: Where, done: str) -> None:
    """Another node holds its own lock of the kind, and that of the kind itself where there is only one."""
    register(Drain("work", where, lambda _: False))
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as other:
        for name in (lock_of("work"), f"{lock_of('work')} elsewhere:/data/search"):
            other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
        assert run_cluster_drain("work") == done


@pytest.mark.django_db
def test_long_work_gives_others_their_turn(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    register(Drain("work", "cluster", lambda _: True))
    monkeypatch.setattr(slices, "TASK_S", -1.0)
    assert run_cluster_drain("work") == "more"


@pytest.mark.django_db
def test_a_failing_drain_gives_its_lock_back(register: Register) -> None:
    answers: Iterator[object] = iter([ValueError("bad"), False, False])

    def work(_deadline: float) -> bool:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return bool(answer)

    register(Drain("work", "cluster", work))
    assert run_cluster_drain("work") == "failed"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert cursor.fetchone() == (0,)
    assert run_cluster_drain("work") == "done"


def test_one_place_in_the_queue_serves_all_that_is_announced_before_it_begins() -> None:
    waiting = Waiting()
    assert [waiting.add("embed"), waiting.add("embed"), waiting.add("learn")] == [True, False, True]
    waiting.begun("embed")
    assert [waiting.add("embed"), waiting.add("learn")] == [True, False]
    waiting.clear()
    assert waiting.add("learn")


@pytest.fixture
def node_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, data_dir=tmp_path))
    return tmp_path


@pytest.fixture
def looks(register: Register) -> list[float]:
    seen: list[float] = []

    def look(_deadline: float) -> bool:
        seen.append(time.monotonic())
        return False

    register(Drain("look", "node", look))
    return seen


@pytest.mark.django_db(transaction=True)
def test_a_web_process_indexes_where_no_worker_does(node_folder: Path, looks: list[float]) -> None:
    indexer = node.start_indexer_thread(patience_s=0)
    try:
        eventually(lambda: len(looks) == 1)
        eventually(lambda: wake("look") or len(looks) > 1)
        with pytest.raises(Busy), file_lock(settings.ENV.search_dir / "indexer.lock"):
            pass
    finally:
        indexer.stop()
    assert not indexer.is_alive()
    with file_lock(settings.ENV.search_dir / "indexer.lock"):
        pass


@pytest.mark.parametrize(("process", "indexes"), [("web", "True"), ("command", "False")])
def test_the_application_indexes_in_a_web_process_only(process: str, indexes: str) -> None:
    program = "import pawflow_web.asgi, threading; print('indexer' in {t.name for t in threading.enumerate()})"
    environment = os.environ | {"PAWFLOW_PROCESS": process}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == indexes


@pytest.mark.django_db(transaction=True)
def test_a_web_process_rests_while_the_worker_of_its_node_lives(node_folder: Path, looks: list[float]) -> None:
    beat(node_name())
    resting = NodeIndexer(tick_s=0.1, yields_to_worker=True)
    asked: list[bool] = []
    does_it = resting._worker_does_it
    resting._worker_does_it = lambda: asked.append(does_it()) or asked[-1]  # type: ignore[method-assign]
    resting.start()
    try:
        eventually(lambda: asked.count(True) >= 3)
        assert looks == []
        stop_beating(node_name())
        beat("another node")
        eventually(lambda: looks)
    finally:
        resting.stop()


@pytest.mark.django_db(transaction=True)
def test_a_failing_node_drain_is_tried_again(node_folder: Path, register: Register) -> None:
    tries: list[float] = []

    def fail(_deadline: float) -> bool:
        tries.append(time.monotonic())
        raise Busy("somebody else writes")

    register(Drain("look", "node", fail))
    indexer = NodeIndexer(tick_s=0.1)
    indexer.start()
    try:
        eventually(lambda: len(tries) >= 3)
    finally:
        indexer.stop()
