"""The processes that match: one for each query, warm for the next, and never left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest

from conversations.recall.regex import Limits, RegexError, matching
from conversations.recall.regex.pool import MOST, WARM, Worker, worker_for_a_query
from pawflow_web.children import wait_until
from tests.recall.test_regex import LIMITS, SLOW, SLOW_TEXT, matches

ROOT = Path(__file__).parents[2]


def soon(seconds: float = 20) -> float:
    return time.monotonic() + seconds


def begin(worker: Worker, pattern: str) -> None:
    worker.compile(pattern.encode(), soon(), memory_bytes=LIMITS.memory_bytes)


def next_pid() -> int:
    """Of the process that the next query gets."""
    with worker_for_a_query(soon()) as worker:
        return worker.pid


def stat(pid: int | str) -> list[str]:
    """Its state and its parent, and more; nothing once it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def has_ended(pid: int) -> bool:
    # One whose parent was killed may wait to be reaped by whoever inherits it.
    return stat(pid)[:1] in ([], ["Z"])


def zombies() -> list[str]:
    pids = [path.name for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if stat(pid)[:2] == ["Z", str(os.getpid())]]


# --- one after the other --------------------------------------------------------------------------------------
def test_a_process_serves_one_query_after_the_other() -> None:
    warm = next_pid()
    with worker_for_a_query(soon()) as worker:
        begin(worker, "a")
        assert worker.match([b"A", b"b"], soon()) == [True, False]
        begin(worker, "b")
        assert worker.match([b"A", b"b"], soon()) == [False, True]
        assert worker.pid == warm
    assert next_pid() == warm


def test_a_refused_pattern_costs_no_process() -> None:
    warm = next_pid()
    with pytest.raises(RegexError), matching("(", LIMITS):
        pytest.fail("It was compiled.")
    assert next_pid() == warm


def test_an_exception_between_two_batches_costs_no_process() -> None:
    warm = next_pid()
    with pytest.raises(LookupError), matching("a", LIMITS) as matcher:  # noqa: PT012
        matcher.matches(["a"])
        raise LookupError
    assert next_pid() == warm


def test_a_query_out_of_time_is_killed_reaped_and_replaced() -> None:
    pid = next_pid()
    with pytest.raises(RegexError) as refusal:
        matches(SLOW, SLOW_TEXT, limits=Limits(timeout_ms=150))
    assert refusal.value.code == "regex_timeout"
    assert stat(pid) == []
    assert next_pid() != pid
    assert matches("a", "a") == [True]
    assert zombies() == []


def test_nothing_more_can_be_asked_of_a_query_that_failed() -> None:
    with matching(SLOW, Limits(timeout_ms=150)) as matcher:
        for code in ("regex_timeout", "regex_worker_error"):
            with pytest.raises(RegexError) as refusal:
                matcher.matches([SLOW_TEXT])
            assert refusal.value.code == code
    assert matches("a", "a") == [True]


# --- killed by others -----------------------------------------------------------------------------------------
def test_a_process_that_is_killed_while_it_matches_is_an_error_of_that_query() -> None:
    pid = next_pid()
    killer = threading.Timer(0.1, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(RegexError) as refusal:
        matches(SLOW, SLOW_TEXT)
    killer.join()
    assert refusal.value.code == "regex_worker_error"
    assert "-9" in refusal.value.message
    assert matches("a", "a") == [True]
    assert zombies() == []


def test_a_process_that_is_killed_between_two_batches_is_an_error_of_that_query() -> None:
    pid = next_pid()
    with matching("a", LIMITS) as matcher:
        assert matcher.matches(["a"]) == [True]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(RegexError) as refusal:
            matcher.matches(["a"] * 1000)
    assert refusal.value.code == "regex_worker_error"
    assert matches("a", "a") == [True]
    assert zombies() == []


def test_a_process_that_is_killed_while_nobody_asks_is_no_error() -> None:
    pid = next_pid()
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: has_ended(pid), seconds=5, pause=time.sleep)
    assert matches("a", "a") == [True]
    assert stat(pid) == []


def test_no_process_to_start_is_an_error_of_that_query() -> None:
    with ExitStack() as taken:
        for _ in range(WARM):
            taken.enter_context(worker_for_a_query(soon()))
        taken.enter_context(patch.object(subprocess, "Popen", side_effect=OSError("no more processes")))
        for _ in range(MOST):
            with pytest.raises(RegexError) as refusal:
                matches("a", "a")
            assert refusal.value.code == "regex_worker_error"
            assert "no more processes" in refusal.value.message
    assert matches("a", "a") == [True]


# --- at once --------------------------------------------------------------------------------------------------
def test_queries_at_once_have_a_process_each() -> None:
    both = threading.Barrier(2, timeout=20)
    answers: dict[str, list[list[bool]]] = {"a": [], "b": []}

    def ask(pattern: str) -> None:
        with matching(pattern, LIMITS) as matcher:
            for _ in range(20):
                both.wait()
                answers[pattern].append(matcher.matches(["a" * 50_000, "b" * 50_000] * 10))

    threads = [threading.Thread(target=ask, args=(pattern,)) for pattern in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {"a": [[True, False] * 10] * 20, "b": [[False, True] * 10] * 20}


def test_one_query_too_many_waits_for_its_time_and_no_longer() -> None:
    with ExitStack() as taken:
        pids = {taken.enter_context(worker_for_a_query(soon())).pid for _ in range(MOST)}
        assert len(pids) == MOST
        begun = time.monotonic()
        with pytest.raises(RegexError) as refusal:
            matches("a", "a", limits=Limits(timeout_ms=100))
        assert refusal.value.code == "regex_timeout"
        assert 0.1 <= time.monotonic() - begun < 0.6
    assert matches("a", "a", limits=LIMITS) == [True]
    assert sum(bool(stat(pid)) for pid in pids) == WARM
    assert zombies() == []


def test_a_query_that_waits_gets_the_process_that_another_gives_back() -> None:
    answers: list[list[bool]] = []
    waiting = threading.Thread(target=lambda: answers.append(matches("a", "a")))
    with ExitStack() as taken:
        for _ in range(MOST):
            taken.enter_context(worker_for_a_query(soon()))
        waiting.start()
        waiting.join(0.1)
        assert answers == []
    waiting.join()
    assert answers == [[True]]


# --- the end of the server ------------------------------------------------------------------------------------
SERVER = """
import random, sys
from conversations.recall.regex import Limits, matching, pool
pool.ORPHAN_S = 0.1
text = "".join(random.Random(1).choices("ab", k=2_000_000))
with matching(sys.argv[1], Limits(timeout_ms=1000)) as matcher:
    print(matcher._worker.pid, flush=True)
    matcher.matches([text])
    sys.stdin.read()
"""

FORK = """
import os
from contextlib import ExitStack
from conversations.recall.regex import Limits, matching, pool

def ask():
    with matching("a", Limits(timeout_ms=5000)) as matcher:
        assert matcher.matches(["a", "b"]) == [True, False]
        return matcher._worker.pid

with ExitStack() as taken:
    mine = [taken.enter_context(matching("a", Limits(timeout_ms=20_000))) for _ in range(pool.MOST)]
    child = os.fork()
    if not child:
        os._exit(ask() in [matcher._worker.pid for matcher in mine])
    assert os.waitpid(child, 0) == (child, 0)
    assert mine[0].matches(["a"]) == [True]
kept = ask()
child = os.fork()
if not child:
    os._exit(kept in (ask(), ask()))
assert os.waitpid(child, 0) == (child, 0)
assert ask() == kept
"""


def program(text: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-W", "error", "-c", text, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def server(pattern: str) -> tuple[subprocess.Popen[bytes], int]:
    """A program that matches and then waits for its input to end; its process that matches."""
    process = program(SERVER, pattern)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def ticks(pid: int) -> int:
    """The time that it has computed, in hundredths of a second."""
    return int(stat(pid)[11])


def test_a_server_that_is_killed_leaves_no_idle_process() -> None:
    process, pid = server("a")
    with process:
        assert not has_ended(pid)
        process.kill()
    assert wait_until(lambda: has_ended(pid), seconds=5, pause=time.sleep)


def test_a_server_that_is_killed_leaves_no_busy_process() -> None:
    process, pid = server(SLOW)
    with process:
        assert wait_until(lambda: ticks(pid) >= 10, seconds=5, pause=time.sleep)
        process.kill()
    assert wait_until(lambda: has_ended(pid), seconds=5, pause=time.sleep)


def test_a_server_that_ends_leaves_no_process_and_says_nothing() -> None:
    process, pid = server("a")
    assert not has_ended(pid)
    assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == 0
    assert wait_until(lambda: has_ended(pid), seconds=5, pause=time.sleep)


def test_a_fork_of_the_server_has_processes_of_its_own() -> None:
    process = program(FORK)
    assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == 0
