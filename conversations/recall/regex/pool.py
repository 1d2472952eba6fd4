"""The processes that match, kept warm between queries: never one for two queries at once."""

import os
import re
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import re2
import structlog

from conversations.recall.regex.worker import COUNT, FRAME, LENGTHS, NO_MEMORY, QUERY

WARM = 2
MOST = 8
# How long after the end of its query a process ends by itself, if nobody is left to kill it.
ORPHAN_S = 1.0

# -I without -E: the address of RE2 is all that it finds in its environment.
_COMMAND = (sys.executable, "-S", "-s", "-P", str(Path(__file__).with_name("worker.py")))
_ENVIRONMENT = {"PYTHONPATH": str(Path(re2.__file__).parents[1])}

log = structlog.get_logger(__name__)


class RegexError(Exception):
    """Why a query by pattern has no answer. ``code``: ``invalid_regex``, ``regex_pattern_too_large``,
    ``regex_timeout`` or ``regex_worker_error``. A search says so in its coverage; it is no failure of the request."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Worker:
    """One process. Whatever goes wrong in it, even half-way, leaves it dead."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            bufsize=0,
        )
        self._pipes = [pipe for pipe in (self._process.stdin, self._process.stdout) if pipe]
        self._requests, self._answers = (pipe.fileno() for pipe in self._pipes)
        os.set_blocking(self._requests, False)
        self.pid = self._process.pid

    def compile(self, pattern: bytes, deadline: float, *, memory_bytes: int) -> None:
        """Begin a query. ``deadline``: of ``time.monotonic()``."""
        seconds = max(0.0, deadline - time.monotonic()) + ORPHAN_S
        answer, reply = self._ask(b"p", QUERY.pack(seconds, memory_bytes) + pattern, deadline)
        if answer == b"e":
            raise RegexError("invalid_regex", _explained(pattern.decode(), reply.decode(errors="replace")))

    def match(self, texts: Sequence[bytes], deadline: float) -> list[bool]:
        lengths = struct.pack(LENGTHS.format(len(texts)), *map(len, texts))
        _, reply = self._ask(b"t", b"".join([COUNT.pack(len(texts)), lengths, *texts]), deadline)
        return [found == 1 for found in reply]

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def disown(self) -> None:
        """In a fork: leave it to the parent."""
        for pipe in self._pipes:
            pipe.close()
        self._process.returncode = 0

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes:
            pipe.close()

    def _ask(self, kind: bytes, payload: bytes, deadline: float) -> tuple[bytes, bytes]:
        try:
            if not self.is_alive():
                # Its descriptors may be somebody else's by now.
                raise EOFError
            self._send(FRAME.pack(kind, len(payload)), deadline)
            self._send(payload, deadline)
            answer, size = FRAME.unpack(self._receive(FRAME.size, deadline))
            return answer, self._receive(size, deadline)
        except (BrokenPipeError, EOFError):
            self.kill()
            raise RegexError("regex_worker_error", self._end()) from None
        except BaseException:
            self.kill()
            raise

    def _send(self, request: bytes, deadline: float) -> None:
        rest = memoryview(request)
        while rest:
            _wait(self._requests, select.POLLOUT, deadline)
            rest = rest[os.write(self._requests, rest) :]

    def _receive(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            _wait(self._answers, select.POLLIN, deadline)
            part = os.read(self._answers, size)
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _end(self) -> str:
        if self._process.returncode == NO_MEMORY:
            return "The process that matches ran out of memory; send a simpler pattern."
        return f"The process that matches ended with the status {self._process.returncode}; ask again."


class _Pool:
    """At most MOST processes at once, of which WARM are kept when nobody asks."""

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(MOST)
        self._changing = threading.Lock()
        self._idle: list[Worker] = []

    def take(self, deadline: float) -> Worker:
        if not self._places.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise RegexError("regex_timeout", f"{MOST} other queries by pattern kept this one waiting; ask again.")
        try:
            return self._kept() or Worker()
        except BaseException as error:
            self._places.release()
            if isinstance(error, OSError):
                raise RegexError("regex_worker_error", f"No process could be started to match: {error}.") from error
            raise

    def give(self, worker: Worker) -> None:
        """Take back, dead or alive. A dead one is replaced now, so that the next query need not wait for a start."""
        try:
            if not worker.is_alive():
                worker.kill()
                worker = Worker()
            self._keep(worker)
        except OSError:
            log.warning("regex_worker_not_replaced")
        finally:
            self._places.release()

    def disown(self) -> None:
        # Without the lock, which a thread may have held that is not there in a fork.
        for worker in self._idle:
            worker.disown()

    def _kept(self) -> Worker | None:
        while True:
            with self._changing:
                if not self._idle:
                    return None
                worker = self._idle.pop()
            if worker.is_alive():
                return worker
            worker.kill()

    def _keep(self, worker: Worker) -> None:
        with self._changing:
            if len(self._idle) < WARM:
                self._idle.append(worker)
                return
        worker.kill()


def _wait(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise RegexError("regex_timeout", "The time for this pattern ran out before all texts were searched.")


def _explained(pattern: str, reason: str) -> str:
    """RE2's words, and what they mean where something is missing that other engines have."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in reason)
    if re.search(r"operator: \(\?<?[=!]", reason):
        return f"RE2 has no look-around, neither ahead nor behind: {shown}"
    if re.search(r"escape sequence: \\[1-9kg]|\(\?P$", reason) and re.search(r"\\[1-9kg]|\(\?P=", pattern):
        return f"RE2 has no references back to a group: {shown}"
    return f"RE2 does not take this pattern: {shown}"


_pool = _Pool()


@contextmanager
def worker_for_a_query(deadline: float) -> Iterator[Worker]:
    """A process that nobody else has meanwhile. ``deadline``: of ``time.monotonic()``.

    Raises :class:`RegexError`: ``regex_timeout`` when all are taken until then, ``regex_worker_error``.
    """
    pool = _pool
    worker = pool.take(deadline)
    try:
        yield worker
    finally:
        pool.give(worker)


def _begin_anew() -> None:
    """In a fork: the processes are those of the parent, and so is whatever goes through their pipes."""
    global _pool
    _pool.disown()
    _pool = _Pool()


os.register_at_fork(after_in_child=_begin_anew)
