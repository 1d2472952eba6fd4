"""The embedded server by itself, in this process."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pawflow_web import postgres_account
from pawflow_web.data_dir import read_key
from pawflow_web.env import Env, SettingError
from pawflow_web.postgres import Server, shared_buffers_mebibytes
from pawflow_web.postgres_account import INSTALL, PACKAGE, Account, server_account
from tests.startup.product import eventually, open_folder, processes_of

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the database to another account")


@pytest.fixture
def env(data_dir: Path) -> Env:
    found = Env.load({"PAWFLOW_DATA_DIR": str(data_dir)})
    read_key(found, create=True)
    return found


@pytest.fixture
def server(env: Env) -> Iterator[Server]:
    found = Server(env, durable=False)
    yield found
    found.stop()


def connect(env: Env, **changed: str) -> psycopg.Connection:
    where = env.database()
    parameters = {
        "dbname": "pawflow",
        "user": "pawflow",
        "password": where["PASSWORD"],
        "host": where["HOST"],
    }
    return psycopg.connect(**(parameters | {"port": where["PORT"]} | changed))  # type: ignore[arg-type]


def ask(env: Env, query: str) -> tuple[object, ...] | None:
    """The first row."""
    with connect(env) as connection:
        return connection.execute(query).fetchone()  # type: ignore[arg-type]


def modes_up_to_the_root(*folders: Path) -> dict[Path, tuple[int, int]]:
    """Mode and owner of every parent."""
    found = {}
    for folder in folders:
        for parent in folder.parents:
            status = parent.stat()
            found[parent] = (status.st_mode, status.st_uid)
    return found


def test_the_server_is_new_enough_and_has_vectors(env: Env, server: Server) -> None:
    server.start()
    with connect(env) as connection:
        assert connection.info.server_version >= 150000
        assert connection.execute("SELECT '[1,2]'::halfvec <-> '[1,3]'").fetchone() == (1.0,)
        assert connection.execute("SHOW jit").fetchone() == ("off",)
        assert connection.execute("SHOW shared_buffers").fetchone() == (f"{shared_buffers_mebibytes()}MB",)


def test_the_server_asks_for_the_password(env: Env, server: Server) -> None:
    server.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(env, password="wrong")
    assert ask(env, "SELECT 1") == (1,)


def test_a_lost_password_is_replaced(env: Env, server: Server) -> None:
    server.start()
    server.stop()
    before = env.password_file.read_text()
    env.password_file.unlink()
    server.start()
    assert env.password_file.read_text() != before
    assert ask(env, "SELECT 1") == (1,)


def test_an_initialisation_that_died_half_way_is_done_again(env: Env, server: Server) -> None:
    half = env.cluster_dir.with_name("postgres.new")
    half.mkdir()
    (half / "PG_VERSION").write_text("16\n")
    server.start()
    assert ask(env, "SELECT 1") == (1,)
    assert not half.exists()


def test_a_server_of_a_killed_supervisor_is_replaced(env: Env, server: Server) -> None:
    server.start()
    assert server.process is not None
    old = server.process.pid
    another = Server(env, durable=False)
    another.start()
    try:
        assert not server.running
        assert another.running
        assert old in {int(line.split("[")[1].split("]")[0]) for line in _log(env) if "fast shutdown" in line}
    finally:
        another.stop()


def test_a_pid_file_that_names_another_program_is_stale(env: Env, server: Server) -> None:
    server.start()
    pid_file = env.cluster_dir / "postmaster.pid"
    kept = pid_file.read_text().splitlines()
    server.stop()
    # This very process: alive, and no server.
    pid_file.write_text("\n".join([str(os.getpid()), *kept[1:]]) + "\n")
    server.start()
    assert server.running


def test_a_killed_server_recovers_what_was_committed(env: Env, data_dir: Path) -> None:
    server = Server(env)
    server.start()
    with connect(env) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
    assert server.process is not None
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.start()
    try:
        assert ask(env, "SELECT value FROM kept") == (7,)
    finally:
        server.stop()
    assert processes_of(data_dir) == set()


def test_the_log_never_repeats_what_people_wrote(env: Env, server: Server) -> None:
    server.start()
    with connect(env) as connection:
        connection.execute("CREATE TABLE words (text text UNIQUE)")
        connection.execute("INSERT INTO words VALUES ('my secret words')")
    with pytest.raises(psycopg.errors.UniqueViolation, match="my secret words"), connect(env) as connection:
        connection.execute("INSERT INTO words VALUES ('my secret words')")
    log = "\n".join(_log(env))
    assert "duplicate key value" in log
    assert "secret words" not in log


def test_a_socket_folder_of_somebody_else_is_refused(folder: Path) -> None:
    deep = Env.load({"PAWFLOW_DATA_DIR": str(folder / ("deep/" * 20))})
    read_key(deep, create=True)
    deep.socket_dir.symlink_to(folder)
    try:
        with pytest.raises(SettingError, match="must be a directory"):
            Server(deep, durable=False).start()
    finally:
        deep.socket_dir.unlink()
    server = Server(deep, durable=False)
    server.start()
    try:
        assert deep.socket_dir.stat().st_mode & 0o777 == 0o700
        assert ask(deep, "SELECT 1") == (1,)
    finally:
        server.stop()
    assert not deep.socket_dir.exists()


def test_a_cluster_that_cannot_start_says_why_in_one_line(env: Env, server: Server) -> None:
    server.start()
    server.stop()
    (env.cluster_dir / "PG_VERSION").write_text("9\n")
    with pytest.raises(SettingError, match="did not start: ") as refusal:
        server.start()
    assert "\n" not in str(refusal.value)
    assert "incompatible with server" in str(refusal.value)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_no_parent_directory_changes(mask: int, folder: Path) -> None:
    (folder / "present").mkdir(mode=0o751)
    env = Env.load({"PAWFLOW_DATA_DIR": str(folder / "present" / "data")})
    package = Path(postgres_account.find_spec(PACKAGE).origin)  # type: ignore[union-attr, arg-type]
    before = modes_up_to_the_root(env.data_dir, package, Path(sys.executable), Path(sys.executable).resolve())
    earlier = os.umask(mask)
    try:
        read_key(env, create=True)
        server = Server(env, durable=False)
        server.start()
        assert modes_up_to_the_root(env.data_dir) | before == before
        server.stop()
    finally:
        os.umask(earlier)
    assert modes_up_to_the_root(env.data_dir, package, Path(sys.executable), Path(sys.executable).resolve()) == before


@as_root
def test_as_root_the_server_runs_under_its_own_account(env: Env, server: Server) -> None:
    server.start()
    assert server.process is not None
    account = server_account(env)
    assert account.uid not in {0, env.data_dir.stat().st_uid}
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines())
    assert set(status["Uid"].split()) == {str(account.uid)}
    assert set(status["Gid"].split()) == {str(account.gid)}
    assert status["Groups"].split() == []
    assert account.can(("-x", env.data_dir), ("-w", env.cluster_dir))
    for closed in (
        ("-r", env.data_dir),
        ("-w", env.data_dir),
        ("-r", env.key_file),
        ("-r", env.password_file),
    ):
        assert not account.can(closed), closed


@as_root
def test_as_root_a_hidden_home_stays_closed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the programs nor the data directory can be reached: both go elsewhere, nothing is opened."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    package = Path(postgres_account.find_spec(PACKAGE).origin).parent  # type: ignore[union-attr, arg-type]
    for name in (PACKAGE, f"{PACKAGE}.libs"):
        shutil.copytree(package.with_name(name), home / "packages" / name, copy_function=os.link, symlinks=True)
    monkeypatch.setattr(postgres_account, "find_spec", lambda _: FoundPackage(home / "packages" / PACKAGE))
    monkeypatch.setattr(postgres_account, "SYSTEM_HOME", folder / "system")
    said: list[str] = []
    env = Env.load({"PAWFLOW_DATA_DIR": str(home / "checkout" / "data")})
    read_key(env, create=True)
    before = modes_up_to_the_root(env.data_dir, home / "packages" / PACKAGE / INSTALL)
    server = Server(env, durable=False, say=said.append)
    server.start()
    try:
        assert env.cluster_dir.is_relative_to(folder / "system")
        assert said == [f"The database's account cannot reach {env.data_dir}; it lies in {env.server_home}."]
        assert ask(env, "SELECT '[1]'::vector") == ("[1]",)
        assert modes_up_to_the_root(env.data_dir, home / "packages" / PACKAGE / INSTALL) == before
    finally:
        server.stop()
    server.start()
    server.stop()
    assert len(said) == 1
    # A data directory made anew does not get a key, nor a database, beside the one it had.
    env.location_file.rename(home / "kept")
    with pytest.raises(SettingError, match="holds the database of an earlier"):
        Server(env, durable=False).locate()
    (home / "kept").rename(env.location_file)
    # The key alone is gone: the database that lies elsewhere counts as much as one that lies here.
    env.key_file.unlink()
    with pytest.raises(SettingError, match=r"secret\.key is missing"):
        read_key(env, create=True)


@as_root
def test_as_root_a_cluster_unpacked_by_root_is_handed_over(env: Env, server: Server) -> None:
    server.start()
    server.stop()
    for path in [env.cluster_dir, *env.cluster_dir.rglob("*")]:
        os.chown(path, 0, 0)
    again = Server(env, durable=False)
    again.start()
    again.stop()
    assert {path.stat().st_uid for path in env.cluster_dir.rglob("*")} == {server_account(env).uid}
    assert server_account(env).uid != 0


@as_root
def test_an_ordinary_user_runs_everything_alone() -> None:
    nobody = Account(65534, 65534)
    python = next((path for path in (sys.executable, "/usr/bin/python3.11") if _usable(nobody, path)), None)
    if python is None:
        pytest.skip("no Python that another account can run")
    with open_folder() as folder:
        os.chown(folder, nobody.uid, nobody.gid)
        program = (
            "import os; from pawflow_web.env import Env; from pawflow_web.data_dir import read_key\n"
            "from pawflow_web.postgres import Server\n"
            "env = Env.load(); read_key(env, create=True)\n"
            "server = Server(env, durable=False); server.start()\n"
            "print(server.run_sql('SELECT 41 + 1'), os.stat(env.data_dir).st_mode & 0o777); server.stop()\n"
        )
        done = subprocess.run(
            [python, "-c", program],
            env={
                "PAWFLOW_DATA_DIR": str(folder / "data"),
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(postgres_account.__file__).parents[1],
            **nobody.switch,
        )
        assert done.stdout.split() == ["42", str(0o700)], done.stderr
        assert {path.stat().st_uid for path in (folder / "data").rglob("*")} == {nobody.uid}


def test_the_server_stops_when_its_parent_is_killed(data_dir: Path) -> None:
    program = (
        "import sys; from pawflow_web.env import Env; from pawflow_web.postgres import Server\n"
        "server = Server(Env.load(), durable=False); server.start()\n"
        "print(server.process.pid, flush=True); sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PAWFLOW_DATA_DIR": str(data_dir)},
        cwd=Path(postgres_account.__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert pid in processes_of(data_dir)
        parent.kill()
    eventually(lambda: processes_of(data_dir) == set(), "an end of the server")


class FoundPackage:
    """What ``find_spec`` returns, as far as it is looked at."""

    def __init__(self, package: Path) -> None:
        self.origin = str(package / "__init__.py")


def _usable(account: Account, python: str) -> bool:
    if not Path(python).exists():
        return False
    try:
        return account.can(("-x", Path(python).resolve()))
    except OSError:
        return False


def _log(env: Env) -> list[str]:
    return (env.data_dir / "postgres.log").read_text().splitlines()
