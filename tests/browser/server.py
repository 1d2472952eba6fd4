"""The product as a browser meets it: Daphne in its own process, on a free port of the loopback."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

APPLICATION = "pawflow_web.asgi:application"
CHECKOUT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60
# As a command, static files are served from the tree; a web process serves what was collected at its start.
_ENVIRONMENT = {"PAWFLOW_PROCESS": "command"}


@contextmanager
def serve(environment: Mapping[str, str], log: Path) -> Iterator[str]:
    """Serve until the block ends; gives the base URL.

    The socket listens before the process exists, so that the first request waits for it instead of failing.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        port = listener.getsockname()[1]
        base = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "daphne", "-v", "0", "--fd", str(listener.fileno()), APPLICATION]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env={**os.environ, **_ENVIRONMENT, "PAWFLOW_PORT": str(port), **environment},
                pass_fds=[listener.fileno()],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
    try:
        _wait(base, process, log)
        yield base
    finally:
        process.terminate()
        process.wait(timeout=15)


def _wait(base: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    try:
        with urllib.request.urlopen(f"{base}/health", timeout=START_SECONDS) as reply:
            assert reply.status == 200
    except OSError as error:
        process.kill()
        raise RuntimeError(f"The server did not start:\n{log.read_text()}") from error
