import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.startup.product import CHECKOUT, Product, clean_environment, manage, processes_of

pytestmark = pytest.mark.processes


def test_a_command_without_a_running_server_runs_the_database_itself(data_dir: Path) -> None:
    assert manage(data_dir, "migrate").returncode == 0
    shown = manage(data_dir, "showmigrations", "identity")
    assert shown.returncode == 0
    assert "[X] 0001_initial" in shown.stdout
    assert processes_of(data_dir) == set()
    assert (data_dir / "up.lock").read_text() == ""


def test_a_new_installation_can_begin_with_an_owner(data_dir: Path) -> None:
    done = manage(data_dir, "owner", "create", "bob", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["owner"] == "bob"
    assert len((data_dir / "secret.key").read_text()) == 65


def test_commands_one_after_another_wait_for_each_other(data_dir: Path) -> None:
    assert manage(data_dir, "migrate").returncode == 0
    command = [sys.executable, CHECKOUT / "manage.py", "showmigrations", "identity"]
    together = [
        subprocess.Popen(
            command,
            env=clean_environment(data_dir),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(3)
    ]
    for process in together:
        output, _ = process.communicate(timeout=60)
        assert "[X] 0001_initial" in output
        assert process.returncode == 0


@pytest.mark.parametrize("command", [("help",), ("check",), ("version",), ("migrate", "--help"), ("up", "--help")])
def test_commands_that_need_no_database_start_nothing(command: tuple[str, ...], data_dir: Path) -> None:
    done = manage(data_dir, *command)
    assert done.returncode == 0, done.stderr
    assert not data_dir.exists()


def test_a_command_uses_the_running_server_and_its_address(running: Product) -> None:
    before = running.postmaster
    done = manage(running.data_dir, "owner", "create", "carol", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["login_url"].startswith(f"http://127.0.0.1:{running.port}/login/once/")
    assert running.postmaster == before
    assert running.status() == 200


def test_an_unchanged_checkout_collects_its_static_files_once(data_dir: Path) -> None:
    assert manage(data_dir, "prepare").returncode == 0
    assert (data_dir / "static" / "staticfiles.json").exists()
    before = (data_dir / "static").stat().st_mtime_ns, (data_dir / "static.stamp").read_text()
    assert manage(data_dir, "prepare").returncode == 0
    assert before == ((data_dir / "static").stat().st_mtime_ns, (data_dir / "static.stamp").read_text())
    (data_dir / "static.stamp").write_text("another")
    assert manage(data_dir, "prepare").returncode == 0
    assert (data_dir / "static.stamp").read_text() == before[1]


def test_agents_and_owners_are_erased_by_command(running: Product) -> None:
    for command in (
        ("owner", "create", "dora"),
        ("token", "create", "dora", "--agent", "coder", "--abilities", "read"),
    ):
        assert manage(running.data_dir, *command).returncode == 0
    done = manage(running.data_dir, "agent", "erase", "dora", "coder", "--beliefs", "purge", "--json")
    assert json.loads(done.stdout) == {"agent": "coder", "erased": True}
    refused = manage(running.data_dir, "owner", "erase", "dora", "--confirm", "Dora", "--json")
    assert refused.returncode == 1
    assert json.loads(refused.stdout or refused.stderr)["error"]["code"] == "invalid"
    done = manage(running.data_dir, "owner", "erase", "dora", "--confirm", "dora", "--json")
    assert json.loads(done.stdout) == {"owner": "dora", "erased": True}
    assert "dora" not in manage(running.data_dir, "owner", "list").stdout
