"""The product in processes of its own, as ``manage.py up`` starts it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.scratch import Scratch
from pawflow_web.children import start_child, stop_child
from pawflow_web.env import CHECKOUT

OWNER = "bench"
_STOP_STEPS = ((signal.SIGTERM, 30.0), (signal.SIGKILL, 5.0))


def environment(place: Scratch) -> dict[str, str]:
    """Nothing of the installation beside it; the limit of calls is off, since clients run as fast as they can."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAWFLOW_", "DJANGO_", "PG"))}
    return {
        **kept,
        "DATABASE_URL": place.database_url,
        "PAWFLOW_DATA_DIR": str(place.folder),
        "PAWFLOW_OWNER": OWNER,
        "PAWFLOW_RATE_LIMIT": "0",
        # Turned on for the lines that need it.
        "PAWFLOW_EMBEDDINGS": "none",
        "DJANGO_SETTINGS_MODULE": "pawflow_web.settings",
    }


def prepare(place: Scratch) -> None:
    """Migrate, collect static files, make key and owner: the first start without its processes."""
    subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", "prepare"],
        env={**environment(place), "PAWFLOW_PROCESS": "prepare"},
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        check=True,
    )


@contextlib.contextmanager
def running_product(log: Path) -> Iterator[str]:
    """Web and worker on the database of this process's environment; gives the base URL. ``log`` is what they say."""
    with log.open("wb") as errors:
        process = start_child(
            [sys.executable, CHECKOUT / "manage.py", "up", "--host", "127.0.0.1", "--port", "0"],
            death_signal=signal.SIGTERM,
            environment=dict(os.environ),
            output=subprocess.PIPE,
            errors=errors,
            cwd=CHECKOUT,
        )
        try:
            yield _ready(process, log)
        finally:
            stop_child(process, *_STOP_STEPS)
            if process.stdout is not None:
                process.stdout.close()


def _ready(process: "subprocess.Popen[bytes]", log: Path) -> str:
    for line in process.stdout or ():
        words = line.decode().split()
        if words[:1] == ["Ready"]:
            return words[1]
    raise RuntimeError(f"The server did not start:\n{log.read_text()[-2000:]}")
