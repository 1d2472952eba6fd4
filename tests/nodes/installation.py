"""An installation of several nodes: one PostgreSQL over TCP, and for each node a data directory with a web process
and a worker, started as ``docs/operations.md`` tells. Nobody watches over them but the test."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import psycopg

from pawflow_web.children import end_group, start_child
from pawflow_web.env import CHECKOUT, Env
from pawflow_web.lib.search import All, Index, Term
from pawflow_web.postgres import Server
from review.search.index import SCHEMA
from tests.live import Live
from tests.startup.product import clean_environment, eventually, manage, open_folder

Part = Literal["web", "worker"]
PARTS: tuple[Part, ...] = ("web", "worker")
OWNER = "alice"
# How long a part may take to come up on a machine that is busy with other things.
PATIENCE_S = 90.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Database(Server):
    """Our own server, as somebody else's would be: on a port of the loopback, entered with a password."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Env.load({"PAWFLOW_DATA_DIR": str(folder)}))
        self.port = free_port()
        made = Server(self.env)
        made.start()
        made.stop()
        self.start()

    @property
    def url(self) -> str:
        password = quote(self.env.password_file.read_text().strip(), safe="")
        return f"postgresql://pawflow:{password}@127.0.0.1:{self.port}/pawflow"

    def run_sql(self, script: str, database: str = "postgres") -> str:
        """What ``start`` has to say was said by the server that made the cluster."""
        return ""

    def kill(self) -> None:
        """As the kernel does when memory is short. The processes of its sessions notice by themselves."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def _server_command(self) -> list[str | Path]:
        return [*super()._server_command(), "-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}"]


class Node:
    """One machine, as far as the product can tell: its own data directory, and in it its own indexes."""

    def __init__(self, data_dir: Path, url: str, port: int | None = None) -> None:
        self.data_dir = data_dir
        self.port = port or free_port()
        self.url = url
        self.running: dict[Part, subprocess.Popen[bytes]] = {}

    @property
    def live(self) -> Live:
        return Live(f"http://127.0.0.1:{self.port}")

    @property
    def search_dir(self) -> Path:
        return self.data_dir / "search"

    def prepare(self) -> None:
        done = self.manage("prepare", PAWFLOW_PROCESS="prepare")
        assert done.returncode == 0, done.stderr

    def manage(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return manage(self.data_dir, *arguments, DATABASE_URL=self.url, PAWFLOW_OWNER=OWNER, **environment)

    def start(self, *parts: Part, **limits: Any) -> None:
        for part in parts or PARTS:
            command = [sys.executable, *self._command(part)]
            with (self.data_dir / f"{part}.log").open("ab") as log:
                self.running[part] = start_child(
                    command,
                    death_signal=signal.SIGKILL,
                    environment=self.environment(part),
                    output=log,
                    cwd=CHECKOUT,
                    **limits,
                )

    def environment(self, process: str) -> dict[str, str]:
        return clean_environment(
            self.data_dir, DATABASE_URL=self.url, PAWFLOW_PROCESS=process, PAWFLOW_RATE_LIMIT="0", PYTHONUNBUFFERED="1"
        )

    def _command(self, part: Part) -> list[str]:
        if part == "worker":
            return ["manage.py", "worker"]
        return ["-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", str(self.port), "pawflow_web.asgi:application"]

    def kill(self, part: Part) -> None:
        process = self.running[part]
        process.kill()
        process.wait()

    def answers(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.live.get("/health").status == 200
        return False

    def wait_for_web(self) -> None:
        eventually(self.answers, f"an answer of the web process: {self.said('web')}", PATIENCE_S)

    def said(self, part: Part) -> str:
        return (self.data_dir / f"{part}.log").read_text()[-1500:]

    def index(self, user_id: int) -> Index:
        return Index.open(self.search_dir / str(user_id) / "beliefs", SCHEMA)

    def end(self) -> None:
        for process in self.running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            end_group(process.pid)


class Installation:
    """Database and nodes, prepared; ``person``, ``agent`` and ``automation`` are tokens of one owner."""

    def __init__(self, folder: Path, *, nodes: int = 2) -> None:
        self.folder = folder
        self.database = Database(folder / "database")
        self.nodes: list[Node] = []
        self._added = 0
        try:
            for _ in range(nodes):
                self.add_node()
            made = self._made()
            self.person, self.agent, self.automation = (made[name] for name in ("person", "agent", "automation"))
            self.user_id: int = made["user_id"]
        except BaseException:
            self.end()
            raise

    def add_node(self) -> Node:
        """Another machine: it gets the installation's key, and makes its static files."""
        self._added += 1
        node = Node(self.folder / f"node{self._added}", self.database.url)
        node.data_dir.mkdir(mode=0o700)
        if self.nodes:
            shutil.copy(self.nodes[0].data_dir / "secret.key", node.data_dir)
        self.nodes.append(node)
        node.prepare()
        return node

    def _made(self) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.nodes.make_tokens", OWNER],
            cwd=CHECKOUT,
            env=self.nodes[0].environment("command") | {"DJANGO_SETTINGS_MODULE": "pawflow_web.settings"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        made: dict[str, Any] = json.loads(done.stdout)
        return made

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        self.wait()

    def wait(self) -> None:
        for node in self.nodes:
            node.wait_for_web()
        eventually(lambda: self.workers_alive() == len(self.nodes), "a worker on each node", PATIENCE_S)

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def workers_alive(self) -> int:
        rows = self.sql("SELECT count(*) FROM jobs_workerbeat WHERE at > now() - interval '30 seconds'")
        alive: int = rows[0][0]
        return alive

    def seq(self) -> int:
        seq: int = self.sql("SELECT seq FROM identity_userclock WHERE user_id = %s", self.user_id)[0][0]
        return seq

    def caught_up(self, node: Node) -> bool:
        return node.index(self.user_id).watermark == self.seq()

    def wait_for_indexes(self) -> None:
        for node in self.nodes:
            self.wait_for_index(node)

    def wait_for_index(self, node: Node) -> None:
        """At the latest the next tick brings it up to date."""
        eventually(lambda: self.caught_up(node), f"an index that is up to date: {node.said('worker')}", 60)

    def stored(self) -> dict[str, int]:
        """How many beliefs of each status the database has, without those that no index holds."""
        rows = self.sql(
            "SELECT status, count(*) FROM review_governanceitem WHERE user_id = %s AND privacy <> 'secret' GROUP BY 1",
            self.user_id,
        )
        return dict(rows)

    def indexed(self, node: Node) -> dict[str, int | None]:
        """The same as the node's index has them."""
        index = node.index(self.user_id)
        return {status: index.count(All(Term("doc", "item"), Term("status", status))) for status in self.stored()}

    def journal(self) -> dict[str, Any]:
        """What ``verify_journal`` says of the owner."""
        done = self.nodes[0].manage("verify_journal", "--owner", OWNER, "--json")
        answer: dict[str, Any] = json.loads(done.stdout)["owners"][0]
        return answer

    def end(self) -> None:
        for node in self.nodes:
            node.end()
        self.database.stop()


@contextlib.contextmanager
def installation(*, nodes: int = 2) -> Iterator[Installation]:
    """Prepared and not yet started; ended and gone afterwards."""
    with open_folder() as folder:
        made = Installation(folder, nodes=nodes)
        try:
            yield made
        finally:
            made.end()
