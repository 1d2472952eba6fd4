"""The key in the data directory is the one that the database was written with, or nothing starts."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pawflow_web.env import Env
from pawflow_web.postgres import Server
from tests.startup.product import CHECKOUT, clean_environment, manage, open_folder
from tests.startup.test_refusals import refusal

pytestmark = pytest.mark.processes

OTHER_KEY = "ab" * 32 + "\n"


@pytest.fixture
def external() -> Iterator[str]:
    """A server with an empty database."""
    with open_folder() as folder:
        env = Env.load({"PAWFLOW_DATA_DIR": str(folder / "other")})
        server = Server(env, durable=False)
        try:
            server.start()
            server.run_sql("CREATE DATABASE memory;")
            yield f"postgresql://pawflow:{env.password_file.read_text().strip()}@/memory?host={env.socket_dir}"
        finally:
            server.stop()


def with_another_key(data_dir: Path) -> str:
    """Put another valid key in place. Returns the right one."""
    right = (data_dir / "secret.key").read_text()
    (data_dir / "secret.key").write_text(OTHER_KEY)
    return right


def test_another_key_beside_the_embedded_database(data_dir: Path) -> None:
    assert manage(data_dir, "owner", "create", "alice").returncode == 0
    right = with_another_key(data_dir)
    for command in (("up", "--port", "0"), ("migrate",), ("prepare",), ("token", "list", "alice"), ("verify_journal",)):
        line = refusal(manage(data_dir, *command))
        assert line.startswith(f"{data_dir / 'secret.key'} is not the key that this database was written with.")
        assert OTHER_KEY[:20] not in line
        assert right[:20] not in line
    (data_dir / "secret.key").write_text(right)
    assert manage(data_dir, "token", "list", "alice").returncode == 0


def test_another_key_beside_a_database_elsewhere(data_dir: Path, external: str) -> None:
    assert manage(data_dir, "migrate", DATABASE_URL=external).returncode == 0
    right = with_another_key(data_dir)
    for command in (("up", "--port", "0"), ("worker",), ("owner", "list")):
        assert "is not the key" in refusal(manage(data_dir, *command, DATABASE_URL=external))
    assert "is not the key" in refusal(web(data_dir, external))
    (data_dir / "secret.key").write_text(right)
    assert manage(data_dir, "owner", "list", DATABASE_URL=external).returncode == 0
    assert web(data_dir, external).returncode == 0


def web(data_dir: Path, url: str) -> subprocess.CompletedProcess[str]:
    """What a server of ASGI applications does first."""
    return subprocess.run(
        [sys.executable, "-c", "import pawflow_web.asgi"],
        cwd=CHECKOUT,
        env=clean_environment(data_dir, DATABASE_URL=url, PAWFLOW_PROCESS="web"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_database_from_before_learns_its_key_with_the_migration(data_dir: Path, external: str) -> None:
    assert manage(data_dir, "migrate", "pawflow_web", "zero", DATABASE_URL=external).returncode == 0
    right = with_another_key(data_dir)
    # It holds nothing yet that another key could not read.
    assert manage(data_dir, "migrate", DATABASE_URL=external).returncode == 0
    (data_dir / "secret.key").write_text(right)
    assert "is not the key" in refusal(manage(data_dir, "owner", "list", DATABASE_URL=external))


def test_content_keys_that_are_none(data_dir: Path) -> None:
    line = refusal(manage(data_dir, "owner", "list", PAWFLOW_CONTENT_KEYS="swordfish"))
    assert line.startswith("Key 1 in PAWFLOW_CONTENT_KEYS is no Fernet key")
    assert "swordfish" not in line
