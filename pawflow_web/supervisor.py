"""``up``: everything the product needs, in one foreground process that watches over it.

The supervisor itself loads neither Django nor a database driver. It holds the lock of the data directory
and the listening socket, runs the embedded database, prepares it in a child, then keeps web and worker alive
until it is told to stop: web first, database last.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pawflow_web.children import end_group, start_child, stop_child
from pawflow_web.data_dir import read_key
from pawflow_web.env import CHECKOUT, Env, Process, SettingError
from pawflow_web.instance import Holder, Lock, acquire
from pawflow_web.postgres import Server
from pawflow_web.postgres_account import SYSTEM_USER

LOCK_SECONDS = 10.0
# A child that dies this often within this many seconds is not repaired by starting it once more.
MOST_DEATHS = 5
DEATHS_SECONDS = 60.0
SLOW_START_SECONDS = 60.0

_STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_STOP_STEPS = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))


class Stop(Exception):
    """Somebody asked us to stop."""


class Refused(SettingError):
    """A child has already said on standard error why the start ends here."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", help="address to serve (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to serve (default 8000, 0 for any free one)")


def main(arguments: Sequence[str]) -> int:
    """Run until told to stop. Returns the exit status; what is refused is one line on standard error."""
    parser = argparse.ArgumentParser(prog="manage.py up", description="Start PawFlow Web in the foreground.")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    return run(options.host, options.port)


def run(host: str | None, port: int | None) -> int:
    """Serve on that address. Signals are blocked and waited for, never handled in the middle of something."""
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS | {signal.SIGCHLD})
    given = {"PAWFLOW_HOST": host, "PAWFLOW_PORT": None if port is None else str(port)}
    environment = {**os.environ, **{name: value for name, value in given.items() if value is not None}}
    try:
        env = Env.load(environment)
        with contextlib.closing(Supervisor(env, environment)) as supervisor:
            supervisor.start()
            supervisor.watch()
    except Stop:
        return 0
    except Refused:
        return 1
    except SettingError as error:
        _say(str(error))
        return 1


class Supervisor:
    def __init__(self, env: Env, environment: dict[str, str]) -> None:
        self.env = env
        self._environment = environment
        self._children: dict[Process, subprocess.Popen[bytes]] = {}
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)
        self._server: Server | None = None
        self._lock = self._acquire()
        try:
            self._socket = listen(env.host, env.port)
        except SettingError:
            self._lock.release()
            raise
        self._port = self._socket.getsockname()[1]
        self._lock.tell(address=(env.host, self._port))
        self._environment |= {
            "DJANGO_SETTINGS_MODULE": "pawflow_web.settings",
            "PAWFLOW_DATA_DIR": str(env.data_dir),
            "PAWFLOW_HOST": env.host,
            "PAWFLOW_PORT": str(self._port),
        }

    def start(self) -> None:
        """Database, migrations, static files, first owner, then web and worker."""
        if self.env.embedded:
            self._server = Server(self.env)
            # A key is made only for an installation without a database, so its place comes first.
            self._server.locate()
            read_key(self.env, create=True)
            self._server.start(pause)
        link = self._prepare()
        # Only now: a start that is refused says one line.
        if self.env.embedded and os.geteuid() == 0:
            _say(f"Running as root: the database runs as the user {SYSTEM_USER}. Better start as a user.")
        self._lock.tell(state="running")
        if link:
            _print(f"Sign in once: {link}")
        self._start_child("web")
        self._start_child("worker")

    def watch(self) -> NoReturn:
        """Keep everything alive; say once that it is ready. Leaves only by an exception."""
        probe = ReadyProbe(self._socket.getsockname())
        started = time.monotonic()
        warned = ready = False
        while True:
            pause(5.0 if ready else 0.1)
            self._revive()
            if ready:
                continue
            if probe.passes():
                ready = True
                _print(f"Ready {self.url}")
            elif not warned and time.monotonic() - started > SLOW_START_SECONDS:
                warned = True
                _say(f"Not ready yet: {self.url}/ready says what is away.")

    def close(self) -> None:
        """Stop in order: web, worker, database last."""
        self._lock.tell(state="stopping")
        self._socket.close()
        for kind in list(self._children):
            self._stop_child(kind)
        if self._server is not None:
            self._server.stop()
        self._lock.release()

    @property
    def url(self) -> str:
        """Where a browser on this machine finds us."""
        host = _reachable(self.env.host)
        return f"http://[{host}]:{self._port}" if ":" in host else f"http://{host}:{self._port}"

    def _acquire(self) -> Lock:
        def is_another(holder: Holder) -> bool:
            return holder.role == "up" and holder.state != "stopping"

        found = acquire(self.env, "up", yield_to=is_another, seconds=LOCK_SECONDS, pause=pause)
        if isinstance(found, Holder):
            where = f", port {found.port}" if found.port else ""
            raise SettingError(f"PawFlow Web already runs on {self.env.data_dir} (process {found.pid}{where}).")
        return found

    def _prepare(self) -> str | None:
        """Migrate and so on in a process of its own. Returns the sign-in link of a first start."""
        process = self._start_child("prepare")
        while process.poll() is None:
            pause(1.0)
        if process.returncode != 0 or process.stdout is None:
            raise Refused
        answer = json.loads(process.stdout.read())
        process.stdout.close()
        del self._children["prepare"]
        link = answer["sign_in"]
        return link if isinstance(link, str) else None

    def _start_child(self, kind: Process) -> subprocess.Popen[bytes]:
        process = start_child(
            self._command(kind),
            # The worker forks: it has to be asked, so that it takes its own children along.
            death_signal=signal.SIGTERM,
            environment={**self._environment, "PAWFLOW_PROCESS": kind},
            output=subprocess.PIPE if kind == "prepare" else sys.stderr.fileno(),
            errors=sys.stderr.fileno(),
            cwd=CHECKOUT,
            keep=[self._socket.fileno()] if kind == "web" else [],
        )
        self._children[kind] = process
        self._lock.tell(groups={name: child.pid for name, child in self._children.items()})
        return process

    def _command(self, kind: Process) -> list[str | Path]:
        if kind != "web":
            return [sys.executable, CHECKOUT / "manage.py", kind]
        # Without -v 0 the access log goes to standard output.
        command: list[str | Path] = [sys.executable, "-m", "daphne", "-v", "0", "--no-server-name"]
        command += ["--fd", str(self._socket.fileno()), "--application-close-timeout", "5"]
        return [*command, "pawflow_web.asgi:application"]

    def _stop_child(self, kind: Process) -> None:
        process = self._children.pop(kind)
        stop_child(process, *_STOP_STEPS)
        end_group(process.pid)
        if process.stdout is not None:
            process.stdout.close()

    def _revive(self) -> None:
        if self._server is not None and not self._server.running:
            self._count_death("database")
            self._server.start(pause)
        for kind, process in list(self._children.items()):
            if process.poll() is not None:
                end_group(process.pid)
                self._count_death(kind)
                self._start_child(kind)

    def _count_death(self, kind: str) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        if len(self._deaths) == MOST_DEATHS and now - self._deaths[0] < DEATHS_SECONDS:
            raise SettingError(f"Giving up: {MOST_DEATHS} ends within a minute, the last of the {kind} process.")
        _say(f"The {kind} process ended; starting it again.")


class ReadyProbe:
    """Asks ``/ready`` over one connection at a time without ever blocking: while the web process starts, the
    request waits in the queue of the listening socket."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = (_reachable(address[0]), address[1])
        self._connection: socket.socket | None = None

    def passes(self) -> bool:
        """True once the answer is 200; a look that finds no answer yet is a no."""
        try:
            if self._connection is None:
                self._connection = socket.create_connection(self._address, timeout=1.0)
                # The name is one that every installation answers to.
                self._connection.sendall(b"GET /ready HTTP/1.0\r\nHost: localhost\r\n\r\n")
                self._connection.settimeout(0)
            answer = self._connection.recv(64)
        except BlockingIOError:
            return False
        except OSError:
            answer = b""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return answer.split(b" ")[1:2] == [b"200"]


def pause(seconds: float) -> None:
    """Wait, at most until a child changes. Raises :class:`Stop` when we were told to stop."""
    received = signal.sigtimedwait(_STOP_SIGNALS | {signal.SIGCHLD}, seconds)
    if received is not None and received.si_signo in _STOP_SIGNALS:
        raise Stop


def listen(host: str, port: int) -> socket.socket:
    """The listening socket. Held here, so that requests wait instead of failing while web starts again."""
    shown = f"{host}:{port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SettingError(f"{shown} cannot be served: {error.strerror}.") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise SettingError(f"{shown} cannot be served: {error.strerror}. Choose another with --port.") from None
    return listener


def _reachable(host: str) -> str:
    """The address under which this machine reaches what listens on ``host``."""
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
