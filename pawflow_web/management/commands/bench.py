"""``manage.py bench`` with ``memory``, ``graph``, ``recall``, ``memory-heads`` or ``retrieval``."""

import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management.base import CommandParser

from bench import graph, memory, memory_heads, recall, retrieval
from bench.heads_corpus import SPOILS
from bench.report import table
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import Invalid, Unavailable

_MODES = (*retrieval.MODES, *retrieval.SAID)


class Command(JsonCommand):
    help = "Measure this version, beside the installation. Example: manage.py bench memory --n 10000"

    def add_arguments(self, parser: CommandParser) -> None:
        names = parser.add_subparsers(dest="name", required=True, metavar="memory|graph|recall|memory-heads|retrieval")
        one = names.add_parser("memory", help="how fast remember, recall and the pages above them are, on made-up data")
        one.add_argument("--n", type=int, default=10_000, help="beliefs of the largest owner (10000)")
        one.add_argument("--others", type=int, help="beliefs of eight further owners together (as many again)")
        one.add_argument("--seed", type=int, default=1, help="the same seed gives the same beliefs (1)")
        one.add_argument("--runs", type=int, default=memory.RUNS, help="timed calls a line (200)")
        one.add_argument("--seconds", type=float, default=memory.SECONDS, help="at most so long a line (5)")
        self.add_json(one)
        one = names.add_parser("graph", help="how fast facts are added and walked along, on made-up data")
        one.add_argument("--triples", type=int, default=10_000, help="facts of the one owner (10000)")
        one.add_argument("--seed", type=int, default=1, help="the same seed gives the same facts (1)")
        one.add_argument("--runs", type=int, default=graph.RUNS, help="timed calls a line (200)")
        one.add_argument("--seconds", type=float, default=graph.SECONDS, help="at most so long a line (5)")
        self.add_json(one)
        self._add_recall(names.add_parser("recall", help="how fast sessions are searched and read, on made-up ones"))
        one = names.add_parser(
            "memory-heads", help="whether recall keeps to what was really done; fails if it does not"
        )
        one.add_argument("--spoil", choices=sorted(SPOILS), help="break this on purpose, to see it fail")
        self.add_json(one)
        one = names.add_parser("retrieval", help="how well the questions of a corpus find their evidence")
        one.add_argument("path", metavar="FILE", help="a corpus; docs/retrieval-corpora.md says what stands in it")
        one.add_argument("--format", choices=retrieval.FORMATS, default="jsonl", help="what the file is (jsonl)")
        one.add_argument("--k", type=int, action="append", help="how many are looked at; repeatable (5 and 10)")
        one.add_argument(
            "--mode", choices=(*retrieval.MODES, *retrieval.SAID), action="append", help="repeatable (the first three)"
        )
        one.add_argument("--part", help="only questions that are marked with this part")
        one.add_argument("--details", metavar="OUT", help="write one JSON line for each question and mode there")
        self.add_json(one)

    def _add_recall(self, one: CommandParser) -> None:
        one.add_argument("--sessions", type=int, default=50, help="sessions of 200 lines (50)")
        one.add_argument("--large-lines", type=int, default=50_000, help="lines of one that is much longer (50000)")
        one.add_argument("--seed", type=int, default=1, help="the same seed gives the same sessions (1)")
        one.add_argument("--runs", type=int, default=recall.RUNS, help="timed calls a line (100)")
        one.add_argument("--seconds", type=float, default=recall.SECONDS, help="at most so long a line (5)")
        self.add_json(one)

    def answer(self, **options: Any) -> dict[str, Any]:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return _RUNS[options["name"]](**options)
        except KeyboardInterrupt:
            raise Unavailable("Stopped before the end. Nothing is left behind.") from None

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        return _TABLES.get(options["name"], table)(answer)


def _memory(**options: Any) -> dict[str, Any]:
    _within("n", options["n"], memory.FEWEST, memory.MOST)
    others = options["others"]
    if others is not None:
        _within("others", others, memory.FEWEST, memory.MOST)
    return memory.run(settings.ENV, n=options["n"], others=others, **_timing(options))


def _graph(**options: Any) -> dict[str, Any]:
    _within("triples", options["triples"], graph.FEWEST, graph.MOST)
    return graph.run(settings.ENV, triples=options["triples"], **_timing(options))


def _recall(**options: Any) -> dict[str, Any]:
    _within("sessions", options["sessions"], recall.FEWEST, recall.MOST)
    _within("large-lines", options["large_lines"], recall.LARGE_FEWEST, recall.LARGE_MOST)
    sizes = {name: options[name] for name in ("sessions", "large_lines")}
    return recall.run(settings.ENV, **sizes, **_timing(options))


def _memory_heads(**options: Any) -> dict[str, Any]:
    return memory_heads.run(settings.ENV, spoil=options["spoil"])


def _timing(options: dict[str, Any]) -> dict[str, Any]:
    """What all that are timed take beside their size."""
    bounds = {"seed": (0, 10**6), "runs": (1, 10_000), "seconds": (0.1, 600)}
    for name, (least, most) in bounds.items():
        _within(name, options[name], least, most)
    return {name: options[name] for name in bounds}


def _retrieval(**options: Any) -> dict[str, Any]:
    ks = sorted(set(options["k"] or retrieval.KS))
    for k in ks:
        _within("k", k, 1, retrieval.K_MOST)
    wanted = options["mode"] or retrieval.MODES
    modes = [mode for mode in _MODES if mode in wanted]
    with _details(options["details"]) as out:
        report = retrieval.run(settings.ENV, retrieval.Asked(options["path"], ks, modes, options["part"]))
        questions = report.pop("questions")
        if out is not None:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in questions)
    return report


_RUNS = {
    "memory": _memory,
    "graph": _graph,
    "recall": _recall,
    "memory-heads": _memory_heads,
    "retrieval": _retrieval,
}
_TABLES = {"recall": recall.table, "memory-heads": memory_heads.table, "retrieval": retrieval.table}


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        sentence = f"must be {least} to {most}"
        raise Invalid(f"--{name} is {value}; it {sentence}.", fields={name: sentence})


@contextlib.contextmanager
def _details(name: str | None) -> Iterator[IO[str] | None]:
    """The file of that name, opened before anything is measured and there only when all was written."""
    if name is None:
        yield None
        return
    path = Path(name).absolute()
    try:
        handle, waiting = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise Invalid(
            f"{ascii(name)[:200]} cannot be written: {error.strerror or 'writing failed'}.",
            fields={"details": "must be a file that can be written"},
        ) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            yield out
        Path(waiting).replace(path)
    except BaseException:
        Path(waiting).unlink(missing_ok=True)
        raise
