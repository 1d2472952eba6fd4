"""One run over sessions inside the scratch environment: write, take in, index, start, measure."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.db import connection

from bench.apart import say
from bench.clients import Client, FailedCallError, Request
from bench.lines import tool_request
from bench.processes import resident_mib, web_seconds
from bench.product import OWNER, running_product
from bench.recall_corpus import LARGE, Known, SessionWriter, write_corpus
from bench.recall_lines import Answer, Asked, Places, RecallLine, answer_of, large_lines, recall_lines
from bench.report import bytes_under, machine, percentile_ms
from conversations.models import SourceOrigin
from conversations.recall.index import catch_up, index_of
from conversations.sessions.watching import take_in
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.services import create_token, ensure_owner

_WARM_UP = 3
# Slow lines are run so often, however long that takes.
_AT_LEAST = 10
_MB = 1_000_000
# The worker has so long to follow what was taken in.
_PATIENCE_S = 600.0
_ANYTHING = tool_request("memory_recall", query="anything", scope="global")
BUDGETS = {
    "index_mb_cpu_s": ">= 10",
    "index_to_source": "<= 0.6",
    "idle_mib": "<= 600 together",
}


class RecallSession:
    """``sessions`` of one owner, and one of ``large_lines`` lines that comes when the others were measured."""

    def __init__(self, *, sessions: int, large_lines: int, seed: int, runs: int, seconds: float) -> None:
        self._sessions, self._large_lines, self._seed = sessions, large_lines, seed
        self._runs, self._seconds = runs, seconds
        self._folder = settings.ENV.data_dir / "bench-sessions"
        self._user, _ = ensure_owner(OWNER)
        self._principal = principal_of_user(self._user)

    def report(self) -> dict[str, Any]:
        where = machine()
        known = self._write()
        build, sizes = self._build(known)
        _, token = create_token(user=self._user, agent="bench", origin="user_channel", abilities=["read", "write"])
        with running_product(settings.ENV.data_dir / "bench.log") as base:
            self._client = Client(base, {"Authorization": f"Bearer {token}"})
            resident = {"idle_mib": resident_mib()}
            build["first_recall_ms"] = round(self._first_recall() * 1000, 1)
            results = [self._measure(line) for line in recall_lines(known, Places(known, self._ask))]
            results += self._measure_large(known, build)
            resident["after_mib"] = resident_mib()
            self._client.close()
        return {
            "sessions": self._sessions,
            "large_lines": self._large_lines,
            "seed": self._seed,
            "machine": {**where, "load_after": machine()["load"]},
            "results": results,
            "build": build,
            "sizes": sizes,
            "resident": resident,
            "budgets": BUDGETS,
        }

    def _write(self) -> Known:
        known = write_corpus(self._folder, sessions=self._sessions, seed=self._seed)
        say(f"wrote {self._sessions} sessions, {known.size / _MB:.1f} MB")
        return known

    def _build(self, known: Known) -> tuple[dict[str, Any], dict[str, Any]]:
        build = self._timed("take_in", known.size, lambda: self._take_in(known))
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE) conversations_session, conversations_chunk, conversations_conversation")
        build |= self._timed("index", known.size, self._index)
        return build, self._sizes(known.size)

    def _timed(self, name: str, size: int, work: Callable[[], None]) -> dict[str, Any]:
        """What work over so many bytes takes by the clock, and of processors in this process, in MB a second."""
        started, worked = time.monotonic(), time.process_time()
        work()
        taken, worked = time.monotonic() - started, time.process_time() - worked
        say(f"{name}: {taken:.1f} s")
        rates = {f"{name}_mb_s": size / _MB / taken, f"{name}_mb_cpu_s": size / _MB / worked}
        return {f"{name}_s": round(taken, 1), **{rate: round(value, 2) for rate, value in rates.items()}}

    def _take_in(self, known: Known) -> None:
        for path in known.paths:
            take_in(self._principal, path, SourceOrigin.IMPORTED)

    def _index(self) -> None:
        while catch_up(self._user.pk):
            pass
        if index_of(self._user.pk).watermark is None:
            raise FailedCallError("The index was not built.")

    def _sizes(self, source: int) -> dict[str, Any]:
        index = bytes_under(index_of(self._user.pk).folder)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size('conversations_chunk')")
            chunks = cursor.fetchone()[0]
        return {
            "source_bytes": source,
            "index_bytes": index,
            "index_to_source": round(index / source, 3),
            "chunk_bytes": chunks,
            "chunks_to_source": round(chunks / source, 3),
        }

    def _ask(self, request: Request) -> Answer:
        return answer_of(self._client.send(request))

    def _first_recall(self) -> float:
        """Seconds of the first question to a web process, which opens the index for it."""
        started = time.perf_counter()
        self._ask(_ANYTHING)
        return time.perf_counter() - started

    def _measure_large(self, known: Known, build: dict[str, Any]) -> list[dict[str, Any]]:
        writer = SessionWriter(self._seed, LARGE)
        writer.fill(self._large_lines)
        path = writer.write(self._folder)
        # The server hangs up on a client that says nothing for so long; the next request connects anew.
        self._client.close()
        started = time.monotonic()
        take_in(self._principal, path, SourceOrigin.IMPORTED)
        build["large_take_in_s"] = round(time.monotonic() - started, 1)
        self._await_index()
        build["large_followed_s"] = round(time.monotonic() - started, 1)
        say(f"took in and indexed a session of {self._large_lines} lines, {writer.size / _MB:.1f} MB")
        return [self._measure(line) for line in large_lines(writer, str(path), Places(known, self._ask))]

    def _await_index(self) -> None:
        """Until an answer rests on everything. Raises :class:`FailedCallError` where it does not come to that."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self._ask(_ANYTHING)["coverage"]["complete"]:
            if time.monotonic() > deadline:
                raise FailedCallError(f"The worker did not index everything within {_PATIENCE_S:.0f} s.")
            time.sleep(0.2)

    def _measure(self, line: RecallLine) -> dict[str, Any]:
        asked = line.asked()
        for _ in range(_WARM_UP):
            self._run(line, next(asked))
        worked = web_seconds()
        done = list(self._runs_of(line, asked))
        worked = web_seconds() - worked
        taken = [run["seconds"] for run in done]
        before = [run["before"] for run in done if run["before"] is not None]
        answer = done[-1]["answer"]
        coverage = answer.get("coverage", {})
        row = {
            "name": line.name,
            "p50_ms": percentile_ms(taken, 50),
            "p95_ms": percentile_ms(taken, 95),
            "budget_ms": line.budget_ms,
            "web_ms": round(worked / len(done) * 1000, 1),
            "runs": len(done),
            "complete": coverage.get("complete"),
            "reasons": coverage.get("reasons", []),
            "right": all(run["right"] for run in done),
            "total": answer.get("total"),
            "before_p50_ms": percentile_ms(before, 50) if before else None,
        }
        say(f"{row['name']}: p50 {row['p50_ms']} p95 {row['p95_ms']} ms, {'right' if row['right'] else 'WRONG'}")
        return row

    def _runs_of(self, line: RecallLine, asked: Iterator[Asked]) -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + self._seconds
        for number, one in enumerate(asked):
            if number == self._runs or (number >= _AT_LEAST and time.monotonic() > deadline):
                return
            yield self._run(line, one)

    def _run(self, line: RecallLine, asked: Asked) -> dict[str, Any]:
        before = None if asked.before is None else self._seconds_of(asked.before)[0]
        seconds, body = self._seconds_of(asked.request)
        answer = answer_of(body) if asked.request.method == "POST" else {}
        return {"seconds": seconds, "before": before, "answer": answer, "right": checked(line, asked, answer)}

    def _seconds_of(self, request: Request) -> tuple[float, str]:
        started = time.perf_counter()
        body = self._client.send(request)
        return time.perf_counter() - started, body


def checked(line: RecallLine, asked: Asked, answer: Answer) -> bool:
    """Whether the answer is right.

    Raises :class:`FailedCallError` for one that is wrong, unless bounds may have ended it and it says so.
    """
    right = asked.right(answer)
    if right or (line.bounded and not answer["coverage"]["complete"]):
        return right
    raise FailedCallError(f"{line.name} was answered wrongly: {asked.request.body}: {str(answer)[:1000]}")
