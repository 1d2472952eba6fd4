"""The embedded PostgreSQL server: initialise, start, recover, stop.

Only the programs of the package are used. The server listens on a socket in a folder that nobody but its own
account (and root) can enter, asks for a password all the same, and never listens on the network. Django is
not needed here, so that the process that watches over the server stays small.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pawflow_web.children import start_child, stop_child, wait_until
from pawflow_web.data_dir import make_data_dir, write_private
from pawflow_web.env import Env, SettingError
from pawflow_web.postgres_account import Account, place_database, server_account, server_programs

MEBIBYTE = 1024 * 1024
# Past this size the log of the server is put aside at the next start.
LOG_BYTES = 10 * MEBIBYTE
# A crash recovery replays at most max_wal_size of log; longer than this something else is wrong.
START_SECONDS = 300.0
_STOP_STEPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": os.defpath}

_CREATE_DATABASE = """
SELECT 'CREATE DATABASE pawflow' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'pawflow')\\gexec
\\connect pawflow
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
"""


class Server:
    """One embedded server over one data directory. The caller holds the lock of that directory.

    ``durable=False`` is for tests only: a crash of the machine may then lose the database.
    """

    def __init__(self, env: Env, *, durable: bool = True, say: Callable[[str], None] | None = None) -> None:
        self.env = env
        self.durable = durable
        self.log_file = env.data_dir / "postgres.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._say = say or (lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201 - a person reads it
        self._account = Account(os.geteuid(), os.getegid())
        self._programs = Path()
        self._located = False

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def locate(self) -> None:
        """Settle which account runs the server, with which programs and where; nothing is started and no
        database made. Raises :class:`SettingError` with one line."""
        if self._located:
            return
        make_data_dir(self.env)
        self._account = server_account(self.env)
        self._programs = server_programs(self._account)
        if place_database(self.env, self._account):
            self._say(f"The database's account cannot reach {self.env.data_dir}; it lies in {self.env.server_home}.")
        self._located = True

    def start(self, pause: Callable[[float], None] = time.sleep) -> None:
        """Bring the server to where it answers, whatever an earlier one left behind. ``pause(seconds)`` is
        called while waiting and may raise. Raises :class:`SettingError` with one line."""
        self.locate()
        self._end_earlier_server(pause)
        self._make_socket_dir()
        if not self.env.cluster_dir.exists():
            if self.env.password_file.exists():
                raise SettingError(
                    f"{self.env.cluster_dir} is gone, and with it everything stored. Put it back, or remove "
                    f"{self.env.data_dir} to start from nothing."
                )
            self._initialise()
        elif not self.env.password_file.exists():
            self._set_new_password()
        self._launch(pause)
        self.run_sql(_CREATE_DATABASE)

    def stop(self) -> None:
        """Stop in order: no new connections, open transactions rolled back, everything written."""
        if self.process is None:
            return
        stop_child(self.process, *_STOP_STEPS)
        self.process = None
        if self.env.socket_dir.parent != self.env.server_home:
            shutil.rmtree(self.env.socket_dir, ignore_errors=True)

    def run_sql(self, script: str, database: str = "postgres") -> str:
        """What ``psql`` prints for the script. Raises :class:`SettingError` with its first complaint."""
        command: list[str | Path] = [self._programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", self.env.socket_dir, "-p", "5432", "-U", "pawflow", "-d", database, "-f", "-"]
        environment = {"PGPASSWORD": self.env.password_file.read_text().strip(), "PGCLIENTENCODING": "UTF8"}
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, input=script, env=environment, capture_output=True, text=True, cwd="/", check=False
        )
        if done.returncode != 0:
            raise SettingError(f"The embedded database refused: {_last_line(done.stderr)}")
        return done.stdout

    def _initialise(self) -> None:
        """Made under another name first: a start that dies half-way leaves nothing that looks whole."""
        draft = self.env.cluster_dir.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        self._account.take(draft)
        password = secrets.token_urlsafe(32)
        password_file = self.env.socket_dir / "password"
        write_private(password_file, password)
        self._account.take(password_file)
        command: list[str | Path] = [
            self._programs / "initdb",
            "-D",
            draft,
            "-U",
            "pawflow",
            "--auth=scram-sha-256",
        ]
        command += [f"--pwfile={password_file}", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"]
        if not self.durable:
            command.append("--no-sync")
        try:
            done = self._run_as_server(command)
        finally:
            password_file.unlink()
        if done.returncode != 0:
            raise SettingError(f"The database could not be initialised: {_last_line(done.stderr)}")
        # In this order: a cluster without a password gets a new one, a password without a cluster is a loss.
        draft.rename(self.env.cluster_dir)
        write_private(self.env.password_file, password + "\n")

    def _set_new_password(self) -> None:
        """The password guards a socket that is ours alone anyway, so a lost one is simply replaced."""
        password = secrets.token_urlsafe(32)
        command: list[str | Path] = [
            self._programs / "postgres",
            "--single",
            "-D",
            self.env.cluster_dir,
            "postgres",
        ]
        done = self._run_as_server(command, f"ALTER ROLE pawflow PASSWORD '{password}'\n")
        if done.returncode != 0:
            raise SettingError(f"The database's password could not be set: {_last_line(done.stderr)}")
        write_private(self.env.password_file, password + "\n")

    def _run_as_server(self, command: list[str | Path], text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            input=text,
            env=_ENVIRONMENT,
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            start_new_session=True,
            **self._account.switch,
        )

    def _make_socket_dir(self) -> None:
        folder = self.env.socket_dir
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            self._account.take(folder)
        status = folder.lstat()
        if not folder.is_dir() or folder.is_symlink() or status.st_uid not in {self._account.uid, os.geteuid()}:
            raise SettingError(f"{folder} must be a directory of the database's account. Remove it.")
        folder.chmod(0o700)
        self._account.take(folder)

    def _launch(self, pause: Callable[[float], None]) -> None:
        deadline = time.monotonic() + START_SECONDS
        again = time.monotonic() + 10.0
        start_of_log = self._open_server()
        while not self._answers():
            pause(0.02)
            if not self.running:
                log = self._log_since(start_of_log)
                # Backends of a killed server take a moment to notice, and hold its memory until then.
                if "shared memory" not in log or time.monotonic() > again:
                    raise SettingError(f"The embedded database did not start: {_last_fatal(log)} ({self.log_file})")
                pause(0.2)
                start_of_log = self._open_server()
            elif time.monotonic() > deadline:
                self.stop()
                raise SettingError(f"The embedded database did not answer in time; see {self.log_file}.")

    def _open_server(self) -> int:
        """Start the server's first process; returns the size of the log before."""
        if self.log_file.exists() and self.log_file.stat().st_size > LOG_BYTES:
            self.log_file.replace(self.log_file.with_name("postgres.log.1"))
        handle = os.open(self.log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "ab") as log:
            size = os.fstat(log.fileno()).st_size
            self.process = start_child(
                self._server_command(),
                death_signal=signal.SIGINT,
                environment=_ENVIRONMENT,
                output=log,
                **self._account.switch,
            )
        return size

    def _server_command(self) -> list[str | Path]:
        settings = {
            "listen_addresses": "",
            "unix_socket_permissions": "0700",
            "shared_buffers": f"{shared_buffers_mebibytes()}MB",
            "maintenance_work_mem": "256MB",
            "jit": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
            # The log names what failed but never repeats it: statements and key values hold people's words.
            "log_min_messages": "warning",
            "log_checkpoints": "off",
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        command: list[str | Path] = [self._programs / "postgres", "-D", self.env.cluster_dir, "-p", "5432"]
        command += ["-k", self.env.socket_dir]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        return command

    def _answers(self) -> bool:
        """The server says in its pid file when it takes connections."""
        try:
            lines = (self.env.cluster_dir / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        process = self.process
        return process is not None and len(lines) > 7 and (lines[0], lines[7].strip()) == (str(process.pid), "ready")

    def _log_since(self, start: int) -> str:
        with self.log_file.open("rb") as log:
            log.seek(start)
            return log.read(MEBIBYTE).decode(errors="replace")

    def _end_earlier_server(self, pause: Callable[[float], None]) -> None:
        """Stop a server that outlived its supervisor. A pid file that names anything else is stale: its
        number went to another program, which PostgreSQL would take for a running server."""
        pid_file = self.env.cluster_dir / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().splitlines()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return
        for number, seconds in _STOP_STEPS:
            if self._is_server(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            if wait_until(lambda: not self._is_server(pid), seconds=seconds, pause=pause):
                pid_file.unlink(missing_ok=True)
                return
        raise SettingError(f"An earlier database server (process {pid}) does not stop.")

    def _is_server(self, pid: int) -> bool:
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return os.fsencode(self.env.cluster_dir) in arguments


def shared_buffers_mebibytes() -> int:
    """A quarter of the memory, at most 512 MB, at least the 32 MB that the server's defaults assume."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return max(32, min(512, memory // MEBIBYTE // 4))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def _last_fatal(log: str) -> str:
    fatal = [line for line in log.splitlines() if "FATAL:" in line or "PANIC:" in line]
    return (fatal[-1].partition("FATAL:")[2].strip() or fatal[-1]) if fatal else _last_line(log)
