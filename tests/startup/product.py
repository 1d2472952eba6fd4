"""The product as a user starts it: ``manage.py up`` in processes of its own, watched from outside."""

import contextlib
import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).resolve().parents[2]
START_SECONDS = 120.0


def eventually(condition: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
    """Look until it is so; fail with ``what`` when it never is."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.02)


def clean_environment(data_dir: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PAWFLOW_", "DJANGO_")) and name != "DATABASE_URL"
    }
    return {**kept, "PAWFLOW_DATA_DIR": str(data_dir), "PAWFLOW_EMBEDDINGS": "none", **more}


def manage(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", *arguments],
        env=clean_environment(data_dir, **environment),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )


def processes_of(data_dir: Path) -> set[int]:
    """Every process that works on that data directory: ours by their environment, the database's by where
    they stand."""
    mark = f"PAWFLOW_DATA_DIR={data_dir}".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if not entry.name.isdigit() or not (entry / "cmdline").read_bytes():
                continue
            stands = (entry / "cwd").readlink()
            if mark in (entry / "environ").read_bytes().split(b"\0") or stands.is_relative_to(data_dir):
                found.add(int(entry.name))
    return found - {os.getpid()}


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A fresh folder that every account may walk through, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="pawflow-", dir="/tmp") as name:
        Path(name).chmod(0o711)
        yield Path(name)


class Product:
    """One ``manage.py up``."""

    def __init__(self, data_dir: Path, *arguments: str, **environment: str) -> None:
        self.data_dir = data_dir
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, CHECKOUT / "manage.py", "up", *(arguments or ("--port", "0"))],
            env=clean_environment(data_dir, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.printed: list[str] = []
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.printed, self._lines)),
            threading.Thread(target=self._read, args=(self.process.stderr, self.said, None)),
        ]
        for reader in self._readers:
            reader.start()

    def wait_ready(self) -> list[str]:
        """What was printed up to and with the line that says it is ready."""
        while not self.printed or not self.printed[-1].startswith("Ready "):
            line = self._lines.get(timeout=START_SECONDS)
            assert line is not None, f"it ended: {self.said[-5:]}"
        return self.printed

    @property
    def port(self) -> int:
        return int(self.printed[-1].rpartition(":")[2])

    @property
    def groups(self) -> dict[str, int]:
        """Process ids of web and worker as the lock file names them; none while it is being written."""
        try:
            found: dict[str, int] = json.loads((self.data_dir / "up.lock").read_text())["groups"]
        except ValueError:
            return {}
        return found

    @property
    def postmaster(self) -> int:
        """The process id that the database server says it has; 0 while it says nothing."""
        try:
            return int((self.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        except (FileNotFoundError, IndexError):
            return 0

    def status(self, path: str = "/ready") -> int:
        """The status of a GET. While web starts, the request waits in the socket that `up` holds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        finally:
            connection.close()

    def becomes_ready(self) -> None:
        def ready() -> bool:
            with contextlib.suppress(OSError, http.client.HTTPException):
                return self.status() == 200
            return False

        eventually(ready, "GET /ready answers 200", 60.0)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """The exit status, once everything it said has been read."""
        status = self.process.wait(60)
        for reader in self._readers:
            reader.join(60)
        return status

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        for pid in processes_of(self.data_dir):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    @staticmethod
    def _read(stream: IO[str], into: list[str], lines: "queue.Queue[str | None] | None") -> None:
        for line in stream:
            into.append(line.rstrip("\n"))
            if lines is not None:
                lines.put(line)
        if lines is not None:
            lines.put(None)
