"""One run inside the scratch environment: load, index, start, measure."""

import sys
import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import Client as InProcess
from django.test.utils import CaptureQueriesContext

from bench import meaning
from bench.clients import WARM_UP, Case, Client, FailedCallError, Request, Speaker, run_together
from bench.lines import Line, lines, lines_by_meaning
from bench.loading import Owner, load_owner, refresh_statistics
from bench.nearness import nearness
from bench.processes import resident_mib
from bench.product import OWNER, running_product
from bench.report import bytes_under, machine, percentile_ms
from review.search.index import catch_up, index_of

SMALL_OWNERS = CLIENTS = 8


class Session:
    """``n`` beliefs of one owner, and ``others`` of eight further owners together."""

    def __init__(self, *, n: int, others: int = 0, seed: int, runs: int, seconds: float) -> None:
        self._n = n
        self._others = others
        self._seed = seed
        self._runs = runs
        self._seconds = seconds
        self._large: list[Owner] = []
        self._small: list[Owner] = []

    def report(self) -> dict[str, Any]:
        where = machine()
        build = self._build()
        log = settings.ENV.data_dir / "bench.log"
        with running_product(log) as base:
            resident = {"idle_mib": resident_mib()}
            results = [row for line in lines() for row in self._measure(line, base)]
            resident["after_mib"] = resident_mib()
        sizes = {"search_bytes": bytes_under(index_of(self._large[0].user.pk).folder), "vector_bytes": 0}
        near: dict[str, Any] = {}
        if meaning.available():
            with meaning.local_model():
                sizes["vector_bytes"] = meaning.load_vectors([*self._large, *self._small], self._seed)
                _say("loaded their vectors")
                with running_product(log) as base:
                    results += [row for line in lines_by_meaning() for row in self._measure(line, base)]
                    resident["with_model_mib"] = resident_mib()
                near = nearness(self._large[0])
        return {
            "n": self._n,
            "others": self._others,
            "seed": self._seed,
            "machine": {**where, "load_after": machine()["load"]},
            "results": results,
            "sizes": sizes,
            "build": build,
            "resident": resident,
            "nearness": near,
        }

    def _build(self) -> dict[str, Any]:
        """Load everything, then let the product's own catch-up build the indexes."""
        started = time.monotonic()
        self._large = [load_owner(OWNER, self._n, self._seed)]
        _say(f"loaded {self._n} beliefs of one owner in {time.monotonic() - started:.1f} s")
        self._small = [
            load_owner(f"{OWNER}-{number}", max(1, self._others // SMALL_OWNERS), self._seed * 1000 + number)
            for number in range(1, SMALL_OWNERS + 1)
        ]
        refresh_statistics()
        load_s = time.monotonic() - started
        large_s = _index(self._large)
        _say(f"indexed them in {large_s:.1f} s")
        _index(self._small)
        _say("indexed the other owners")
        return {"load_s": round(load_s, 1), "index_s": round(large_s, 1)}

    def _groups(self) -> Sequence[tuple[list[Owner], int]]:
        """Whose clients run each line, and how many there are."""
        return ((self._large, 1), (self._large, CLIENTS), (self._small, CLIENTS))

    def _measure(self, line: Line, base: str) -> list[dict[str, Any]]:
        rows = []
        for owners, clients in self._groups():
            queries = self._count_queries(line, owners[0])
            runs = self._runs if clients == 1 else self._runs * 2
            taken = self._timed(line, base, owners, clients, runs)
            row = {
                "name": line.name,
                "owners": len(owners),
                "clients": clients,
                "p50_ms": percentile_ms(taken, 50),
                "p95_ms": percentile_ms(taken, 95),
                "runs": len(taken),
                "queries": queries,
            }
            _say(f"{row['name']} {row['owners']}/{row['clients']}: p50 {row['p50_ms']} p95 {row['p95_ms']} ms")
            rows.append(row)
        return rows

    def _timed(self, line: Line, base: str, owners: Sequence[Owner], clients: int, runs: int) -> list[float]:
        each = runs // clients + WARM_UP
        speakers = []
        for number in range(clients):
            owner = owners[number % len(owners)]
            speakers.append(Speaker(Client(base, _headers(owner, line)), line.cases(owner, each * 2)))
        try:
            cold = [Speaker(one.client, one.cases[:WARM_UP]) for one in speakers]
            run_together(cold, runs=WARM_UP * clients, seconds=self._seconds)
            warm = [Speaker(one.client, one.cases[WARM_UP:]) for one in speakers]
            return run_together(warm, runs=runs, seconds=self._seconds)
        finally:
            for one in speakers:
                one.client.close()

    def _count_queries(self, line: Line, owner: Owner) -> int:
        """Statements of one call, asked of the same code in this process; the second call, when all is warm."""
        counts = [_statements(line, owner, case) for case in line.cases(owner, 2)]
        return counts[-1]


def _statements(line: Line, owner: Owner, case: Case) -> int:
    browser = InProcess(SERVER_NAME="127.0.0.1", headers=_headers(owner, line))
    if case.before is not None:
        _send(browser, case.before)
    with CaptureQueriesContext(connection) as captured:
        _send(browser, case.request)
    return len(captured)


def _send(browser: InProcess, request: Request) -> None:
    body = request.raw or b""
    reply = browser.generic(request.method, request.path, body, content_type="application/json")
    if reply.status_code != 200:
        raise FailedCallError(f"{request.method} {request.path} answered {reply.status_code}: {reply.content[:300]!r}")


def _headers(owner: Owner, line: Line) -> dict[str, str]:
    if line.speaks == "agent":
        return {"Authorization": f"Bearer {owner.token}"}
    return {"Cookie": f"{settings.SESSION_COOKIE_NAME}={owner.session}"}


def _index(owners: Sequence[Owner]) -> float:
    started = time.monotonic()
    for owner in owners:
        while catch_up(owner.user.pk):
            pass
    return time.monotonic() - started


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
