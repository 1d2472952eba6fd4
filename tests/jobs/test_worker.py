import os
import signal
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from pawflow_web.jobs.listening import Listener
from pawflow_web.jobs.models import JobRun, RunState, WorkerBeat
from pawflow_web.jobs.services import open_run, worker_alive
from pawflow_web.jobs.services.waking import STARTED_CHANNEL
from pawflow_web.lib.db import execute
from tests.jobs.conftest import Workers, alive, announce, descendants, eventually

pytestmark = pytest.mark.processes


def left(kind: str = "probe") -> int:
    return JobRun.objects.filter(kind=kind).open().count()


def locked(kind: str) -> bool:
    """Whether somebody else holds the drain's lock."""
    name = f"pawflow drain {kind}"
    if not execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])[0][0]:
        return True
    execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
    return False


def test_an_announcement_wakes_the_drain_until_nothing_is_left(workers: Workers) -> None:
    workers.start()
    for _ in range(5):
        open_run("probe")
    announce("probe")
    eventually(lambda: left() == 0)
    assert {run.state for run in JobRun.objects.filter(kind="probe")} == {RunState.DONE}
    assert {run.result["pid"] for run in JobRun.objects.filter(kind="probe")}.isdisjoint({os.getpid()})


def test_a_lost_announcement_costs_at_most_a_tick(workers: Workers) -> None:
    rarely = workers.start(tick=3600)
    run = open_run("probe")
    # Nobody said so: another drain that is woken later is done while this run still waits.
    (workers.folder / "hold").touch()
    announce("probe_held")
    eventually(lambda: workers.count("held begin") == 1)
    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    (workers.folder / "hold").unlink()
    rarely.terminate()
    assert rarely.wait(20) == 0

    workers.start(tick=1)
    other = open_run("probe")
    eventually(lambda: left() == 0, within=6)
    other.refresh_from_db()
    assert other.state == RunState.DONE


def test_a_worker_killed_hard_leaves_no_process_and_no_lock(workers: Workers) -> None:
    worker = workers.start()
    (workers.folder / "hold").touch()
    announce("probe_held")
    eventually(lambda: workers.count("held begin") == 1)
    below = descendants(worker.pid)
    assert len(below) >= 5
    assert locked("probe_held")

    worker.kill()
    worker.wait(10)
    eventually(lambda: not any(alive(pid) for pid in below), within=5)
    eventually(lambda: not locked("probe_held"), within=5)
    assert workers.count("held end") == 0


def test_two_workers_never_run_one_drain_at_once(workers: Workers) -> None:
    first = workers.start()
    second = workers.start(data_dir=_copy_of_data_dir(workers.folder))
    assert first.pid != second.pid
    listener = Listener([STARTED_CHANNEL])
    listener.connect()
    (workers.folder / "hold").touch()
    began = 0
    try:
        while began < 6:
            announce("probe_held")
            began += sum(kind == "probe_held" for _, kind in listener.wait(1.0))
        # Six tasks began in both workers' processes; one of them got to run the drain.
        eventually(lambda: workers.count("held begin") >= 1)
        assert workers.count("held begin") == 1
    finally:
        listener.close()
        (workers.folder / "hold").unlink()
    eventually(lambda: workers.count("held end") == workers.count("held begin"))
    assert _never_interleaved([line for line in workers.notes() if line.startswith("held")])


def test_each_node_runs_its_own_node_drains(workers: Workers) -> None:
    workers.start()
    workers.start(data_dir=_copy_of_data_dir(workers.folder))
    before = workers.notes()
    announce("probe_node")
    eventually(lambda: len(set(workers.notes()[len(before) :])) >= 2)


def test_one_machine_has_one_indexer_and_another_takes_over(workers: Workers) -> None:
    first = workers.start(tick=1)
    assert workers.count(f"node {first.pid}") > 0
    (workers.folder / "notes").unlink()
    second = workers.start(tick=1)
    assert workers.count(f"node {second.pid}") == 0
    first.terminate()
    assert first.wait(20) == 0
    eventually(lambda: workers.count(f"node {second.pid}") > 0)


def test_a_failing_drain_stops_nothing_else(workers: Workers) -> None:
    workers.start()
    before = workers.count("failing")
    announce("probe_failing")
    eventually(lambda: workers.count("failing") > before)
    open_run("probe")
    announce("probe")
    eventually(lambda: left() == 0)
    again = workers.count("failing")
    announce("probe_failing")
    eventually(lambda: workers.count("failing") > again)


def test_the_queue_is_started_again_when_its_sentinel_dies(workers: Workers) -> None:
    worker = workers.start()
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    (sentinel,) = (int(pid) for pid in children.read_text().split())
    below = descendants(sentinel)
    assert below
    os.kill(sentinel, signal.SIGKILL)
    eventually(lambda: not any(alive(pid) for pid in below), within=5)
    open_run("probe")
    eventually(lambda: announce("probe") or left() == 0)
    assert worker.poll() is None


def test_sigterm_ends_everything_soon_and_without_complaint(workers: Workers) -> None:
    worker = workers.start()
    assert worker_alive()
    below = descendants(worker.pid)
    asked_at = time.monotonic()
    worker.terminate()
    assert worker.wait(20) == 0
    assert time.monotonic() - asked_at < 5
    assert not any(alive(pid) for pid in below)
    assert not worker_alive()
    assert WorkerBeat.objects.count() == 0


def test_a_lost_database_connection_is_made_again(workers: Workers) -> None:
    worker = workers.start(tick=2)
    ended = execute(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert ended[0][0] >= 2
    open_run("probe")
    eventually(lambda: announce("probe") or left() == 0, within=30)
    assert worker.poll() is None
    assert connection.is_usable()


def _copy_of_data_dir(folder: Path) -> Path:
    """Another node: the same key and database, other folders for what is derived."""
    node = folder / "node"
    node.mkdir()
    for name in ("secret.key", "postgres.password", "run"):
        if (settings.ENV.data_dir / name).exists():
            (node / name).symlink_to(settings.ENV.data_dir / name)
    return node


def _never_interleaved(lines: list[str]) -> bool:
    expected = [line.replace("begin", "end") for line in lines[::2]]
    return bool(lines) and lines[1::2] == expected and all(" begin " in line for line in lines[::2])
