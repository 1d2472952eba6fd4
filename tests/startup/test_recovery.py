import os
import signal
from pathlib import Path

import pytest

from tests.startup.conftest import Starter
from tests.startup.product import Product, eventually, processes_of

pytestmark = pytest.mark.processes


def killed(product: Product, pid: int) -> None:
    handle = os.pidfd_open(pid)
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    os.close(handle)


@pytest.mark.parametrize("part", ["web", "worker"])
def test_a_killed_child_is_started_again(part: str, start: Starter) -> None:
    product = start()
    product.wait_ready()
    before = product.groups
    killed(product, before[part])
    eventually(lambda: product.groups.get(part, before[part]) != before[part], f"another {part} process")
    product.becomes_ready()
    other = {"web": "worker", "worker": "web"}[part]
    assert product.groups[other] == before[other]
    assert product.said[-1] == f"The {part} process ended; starting it again."


def test_requests_wait_while_the_web_process_starts_again(start: Starter) -> None:
    product = start()
    product.wait_ready()
    killed(product, product.groups["web"])
    assert product.status("/health") == 200


def test_the_forks_of_a_killed_worker_do_not_live_on(start: Starter) -> None:
    product = start()
    product.wait_ready()
    worker = product.groups["worker"]

    def family() -> set[int]:
        found = set()
        for pid in processes_of(product.data_dir):
            try:
                if os.getpgid(pid) == worker:
                    found.add(pid)
            except ProcessLookupError:
                continue
        return found

    eventually(lambda: len(family()) > 1, "a worker that forked")
    killed(product, worker)
    eventually(lambda: family() == set(), "an end of the whole group")


def test_a_killed_database_is_started_again(start: Starter) -> None:
    product = start()
    product.wait_ready()
    before = product.postmaster
    killed(product, before)
    eventually(lambda: product.postmaster not in {0, before}, "another database server")
    product.becomes_ready()
    assert "The database process ended; starting it again." in product.said


def test_nothing_outlives_a_killed_supervisor_and_the_next_start_works(start: Starter, data_dir: Path) -> None:
    product = start()
    product.wait_ready()
    assert len(processes_of(data_dir)) > 3
    product.process.kill()
    product.wait()
    eventually(lambda: processes_of(data_dir) == set(), "an end of everything that it started")
    assert len(start().wait_ready()) == 1


def test_a_start_right_after_a_kill_takes_over_the_same_port(start: Starter, data_dir: Path) -> None:
    product = start()
    product.wait_ready()
    # A worker that nobody can ask any more: its forks are bound to nobody.
    killed(product, product.process.pid)
    killed(product, product.groups["worker"])
    left = processes_of(data_dir)
    again = start("--port", str(product.port))
    again.wait_ready()
    assert again.port == product.port
    assert not left & processes_of(data_dir)


def test_a_child_that_keeps_dying_ends_the_product_in_order(start: Starter, data_dir: Path) -> None:
    product = start()
    product.wait_ready()
    for _ in range(5):
        before = product.groups["worker"]
        killed(product, before)
        eventually(
            lambda before=before: (  # type: ignore[misc]
                product.process.poll() is not None or product.groups.get("worker", before) != before
            ),
            "a reaction to the end of the worker",
        )
    assert product.wait() == 1
    assert product.said[-1].startswith("Giving up: 5 ends within a minute")
    assert processes_of(data_dir) == set()
