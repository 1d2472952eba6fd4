"""A server to measure on: the one of the tests, on which a benchmark makes a database of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

from bench.scratch import PREFIX
from pawflow_web.env import CHECKOUT
from tests.live import database_url


@dataclass(frozen=True)
class Installation:
    """Where ``manage.py bench`` runs."""

    url: str
    data_dir: Path
    temporary: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAWFLOW_")}
        place = {"PAWFLOW_DATA_DIR": str(self.data_dir), "DATABASE_URL": self.url, "TMPDIR": str(self.temporary)}
        return {**kept, **place}

    def start(
        self, *arguments: str, settings: Mapping[str, str] | None = None, **streams: Any
    ) -> subprocess.Popen[str]:
        command = [sys.executable, str(CHECKOUT / "manage.py"), "bench", *arguments]
        return subprocess.Popen(command, env={**self.environment, **(settings or {})}, text=True, **streams)

    def scratch_databases(self) -> list[str]:
        with psycopg.connect(self.url) as connection:
            rows = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{PREFIX}%"])
            return [str(name) for (name,) in rows]

    def processes(self) -> list[int]:
        """Whatever runs with a folder of ours as its data directory."""
        mark = f"PAWFLOW_DATA_DIR={self.temporary}".encode()
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _carries(entry, mark)]


def _carries(entry: Path, mark: bytes) -> bool:
    try:
        return bool((entry / "cmdline").read_bytes()) and mark in (entry / "environ").read_bytes()
    except OSError:
        return False


@pytest.fixture(scope="session")
def installation(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    with django_db_blocker.unblock():
        url = database_url()
    return Installation(url, settings.ENV.data_dir, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def left_over(installation: Installation) -> Callable[[], tuple[list[str], list[int], list[Path]]]:
    """What a run left: databases, processes, files."""
    return lambda: (installation.scratch_databases(), installation.processes(), list(installation.temporary.iterdir()))
