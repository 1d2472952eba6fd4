import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django_q.models import OrmQ

from pawflow_web.env import CHECKOUT
from pawflow_web.jobs.services.waking import WAKE_CHANNEL
from pawflow_web.lib.db import execute


def eventually(holds: Callable[[], object], *, within: float = 120.0) -> None:
    """Wait until something is so; fails loudly when it does not become so."""
    end, pause = time.monotonic() + within, threading.Event()
    while not holds():
        assert time.monotonic() < end, f"not within {within} s"
        pause.wait(0.03)


def announce(kind: str) -> None:
    """What ``wake`` does, for drains that only the worker's process knows."""
    execute("SELECT pg_notify(%s, %s)", [WAKE_CHANNEL, kind])


@dataclass
class Workers:
    """Starts real workers on the test's database, and ends what is left of them."""

    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *, tick: float = 3600, data_dir: Path | None = None) -> subprocess.Popen[bytes]:
        before, failed = self.count("node"), self.count("failing")
        worker = subprocess.Popen(
            [sys.executable, "manage.py", "worker", "--tick", str(tick)],
            cwd=CHECKOUT,
            env=os.environ
            | {
                "DJANGO_SETTINGS_MODULE": "tests.jobs.worker_settings",
                "PAWFLOW_PROCESS": "worker",
                "PAWFLOW_DATA_DIR": str(data_dir or settings.ENV.data_dir),
                "PROBE_DATABASE": connection.settings_dict["NAME"],
                "PROBE_FOLDER": str(self.folder),
            },
        )
        self.started.append(worker)
        # The start ends with its first look at everything; the failing drain is the last of the queue's.
        eventually(lambda: self._listens(len([one for one in self.started if one.poll() is None])))
        eventually(lambda: self.count("failing") > failed and not OrmQ.objects.exists())
        if len(self.started) == 1:
            eventually(lambda: self.count("node") > before)
        return worker

    def notes(self) -> list[str]:
        path = self.folder / "notes"
        return path.read_text().splitlines() if path.exists() else []

    def count(self, beginning: str) -> int:
        return sum(line.startswith(beginning) for line in self.notes())

    def _listens(self, workers: int) -> bool:
        sql = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND query LIKE 'LISTEN \"pawflow_started\"%%'"
        )
        return int(execute(sql)[0][0]) >= workers


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    running = Workers(tmp_path)
    yield running
    (tmp_path / "hold").unlink(missing_ok=True)
    for worker in running.started:
        worker.terminate()
    for worker in running.started:
        worker.wait(20)


def descendants(pid: int) -> list[int]:
    """Every process below this one."""
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return children + [below for child in children for below in descendants(child)]


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
