"""``manage.py bench graph``: the knowledge graph at a given size, through the product's own doors.

As :mod:`bench.memory`: the command runs :func:`run`, and this module is the process in the scratch environment.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench.apart import print_report, report_of, say
from pawflow_web.env import Env

FEWEST, MOST = 100, 2_000_000
RUNS, SECONDS = 200, 5.0


def run(env: Env, *, triples: int, seed: int, runs: int = RUNS, seconds: float = SECONDS) -> dict[str, Any]:
    """The report of one run, which says on standard error how far it is. Leaves nothing behind.

    Args:
        env: the installation on whose database server the scratch database is made.
        triples: facts of the one owner.
        runs: at most so many timed calls a line and client group, in at most ``seconds``.

    Raises :class:`Unavailable` when the run cannot be completed.
    """
    return report_of(env, "bench.graph", [str(triples), str(seed), str(runs), str(seconds)])


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    parser = argparse.ArgumentParser()
    for name, kind in (("triples", int), ("seed", int), ("runs", int), ("seconds", float)):
        parser.add_argument(name, type=kind)
    given = parser.parse_args(arguments)
    return print_report(lambda: _measured(given))


def _measured(given: argparse.Namespace) -> dict[str, Any]:
    from bench.graph_session import GraphSession  # noqa: PLC0415 - needs the apps

    started = time.monotonic()
    report = GraphSession(n=given.triples, seed=given.seed, runs=given.runs, seconds=given.seconds).report()
    say(f"done in {time.monotonic() - started:.0f} s")
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
