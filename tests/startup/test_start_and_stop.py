import os
import re
import select
import signal
from pathlib import Path

import pytest

from tests.startup.conftest import Starter
from tests.startup.product import processes_of

pytestmark = pytest.mark.processes


def test_the_first_start_prints_a_sign_in_link_and_then_that_it_is_ready(start: Starter, data_dir: Path) -> None:
    product = start(PAWFLOW_OWNER="alice")
    link, ready = product.wait_ready()
    assert re.fullmatch(rf"Sign in once: http://127\.0\.0\.1:{product.port}/login/once/[\w-]{{20,}}", link)
    assert ready == f"Ready http://127.0.0.1:{product.port}"
    assert product.status("/ready") == 200
    assert product.stop() == 0
    assert len(product.printed) == 2
    assert processes_of(data_dir) == set()


def test_a_later_start_prints_only_that_it_is_ready(start: Starter) -> None:
    first = start()
    assert len(first.wait_ready()) == 2
    assert first.stop() == 0
    again = start(PAWFLOW_OWNER="somebody-else")
    assert again.wait_ready() == [f"Ready http://127.0.0.1:{again.port}"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_during_the_start_is_clean(number: signal.Signals, start: Starter, data_dir: Path) -> None:
    product = start()
    # The first thing that a new installation gets, long before it is ready.
    while not (data_dir / "secret.key").exists():
        assert product.process.poll() is None
    assert product.stop(number) == 0
    assert product.printed == []
    assert processes_of(data_dir) == set()
    assert len(start().wait_ready()) == 2


def test_the_database_stops_last_and_in_order(start: Starter, data_dir: Path) -> None:
    product = start()
    product.wait_ready()
    parts = {"web": product.groups["web"], "worker": product.groups["worker"], "database": product.postmaster}
    ends = {name: os.pidfd_open(pid) for name, pid in parts.items()}
    order: list[str] = []
    poll = select.poll()
    for handle in ends.values():
        poll.register(handle)
    product.process.send_signal(signal.SIGTERM)
    while len(order) < len(ends):
        for handle, _ in poll.poll(30_000):
            poll.unregister(handle)
            order.append(next(name for name, found in ends.items() if found == handle))
            os.close(handle)
    assert order == ["web", "worker", "database"]
    assert product.wait() == 0
    log = (data_dir / "postgres.log").read_text()
    assert "database system is shut down" in log
    assert "automatic recovery" not in log


def test_state_is_closed_to_everybody_else(start: Starter, data_dir: Path) -> None:
    start().wait_ready()
    root = os.geteuid() == 0
    assert data_dir.stat().st_mode & 0o777 == (0o711 if root else 0o700)
    modes = {path.name: path.stat().st_mode & 0o777 for path in data_dir.iterdir()}
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    assert {"secret.key", "postgres.password", "postgres.log", "up.lock", "postgres", "run"} <= set(modes)
    owners = {path.name for path in data_dir.iterdir() if path.stat().st_uid != os.geteuid()}
    assert owners == ({"postgres", "run"} if root else set())


def test_the_database_listens_on_no_network_address(start: Starter) -> None:
    product = start()
    product.wait_ready()
    handles = list(Path(f"/proc/{product.postmaster}/fd").iterdir())
    sockets = {str(handle.readlink()) for handle in handles}
    inodes = {text[8:-1] for text in sockets if text.startswith("socket:[")}
    listening = {
        line.split()[9] for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
    }
    unix = {line.split()[6] for line in Path("/proc/net/unix").read_text().splitlines()[1:]}
    assert inodes & unix
    assert not inodes & listening
