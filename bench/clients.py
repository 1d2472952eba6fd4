"""Clients that keep their connection, and the times of their calls."""

import http.client
import itertools
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 60.0
WARM_UP = 10


class FailedCallError(Exception):
    """A call was not answered with what it asks for, so its time means nothing."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: Any = None

    @property
    def raw(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True)
class Case:
    """One run: what is done before it, what is timed, and the words that its answer must hold."""

    request: Request
    before: Request | None = None
    expected: str = ""


class Client:
    """One connection to the server, for one owner."""

    def __init__(self, base: str, headers: Mapping[str, str]) -> None:
        address = urlsplit(base)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=TIMEOUT_S)
        self._headers = {"Content-Type": "application/json", **headers}

    def send(self, request: Request) -> str:
        """The body of a 200. Raises :class:`FailedCallError` for any other status."""
        self._connection.request(request.method, request.path, request.raw, self._headers)
        reply = self._connection.getresponse()
        body = reply.read().decode()
        if reply.status != 200:
            raise FailedCallError(f"{request.method} {request.path} answered {reply.status}: {body[:300]}")
        return body

    def timed(self, case: Case) -> float:
        """Seconds from sending to the last byte."""
        if case.before is not None:
            self.send(case.before)
        started = time.perf_counter()
        body = self.send(case.request)
        taken = time.perf_counter() - started
        if case.expected not in body:
            raise FailedCallError(f"{case.request.path} did not answer with {case.expected!a}: {body[:300]}")
        return taken

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Speaker:
    """One client with the cases that it may run, in order; two clients of one owner have different ones."""

    client: Client
    cases: Sequence[Case]


def run_together(speakers: Sequence[Speaker], *, runs: int, seconds: float) -> list[float]:
    """Seconds of each run of all clients at once, at most ``runs`` of them and for about so many seconds."""
    shared = _Shared(itertools.count(), runs, time.monotonic() + seconds, [], [])
    threads = [threading.Thread(target=shared.work, args=(speaker,)) for speaker in speakers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if shared.failures:
        raise shared.failures[0]
    return shared.taken


@dataclass(frozen=True, slots=True)
class _Shared:
    number: "itertools.count[int]"
    runs: int
    deadline: float
    taken: list[float]
    failures: list[Exception]

    def work(self, speaker: Speaker) -> None:
        try:
            for case in speaker.cases:
                if next(self.number) >= self.runs or time.monotonic() > self.deadline or self.failures:
                    return
                self.taken.append(speaker.client.timed(case))
        except Exception as error:
            self.failures.append(error)
