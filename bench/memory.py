"""``manage.py bench memory``: the memory of agents at a given size, through the product's own doors.

The command runs :func:`run`, which makes a scratch database and starts this module in a process whose
environment knows no other. That process loads, indexes, starts the product and measures.
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


def run(
    env: Env, *, n: int, others: int | None = None, seed: int, runs: int = RUNS, seconds: float = SECONDS
) -> dict[str, Any]:
    """The report of one run, which says on standard error how far it is. Leaves nothing behind.

    Args:
        env: the installation on whose database server the scratch database is made.
        n: beliefs of the one large owner.
        others: beliefs of eight further owners together; None: as many again.
        runs: at most so many timed calls a line and client group, in at most ``seconds``.

    Raises :class:`Unavailable` when the run cannot be completed.
    """
    return report_of(
        env, "bench.memory", [str(n), str(n if others is None else others), str(seed), str(runs), str(seconds)]
    )


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    parser = argparse.ArgumentParser()
    for name, kind in (("n", int), ("others", int), ("seed", int), ("runs", int), ("seconds", float)):
        parser.add_argument(name, type=kind)
    given = parser.parse_args(arguments)
    return print_report(lambda: _measured(given))


def _measured(given: argparse.Namespace) -> dict[str, Any]:
    from bench.session import Session  # noqa: PLC0415 - needs the apps

    started = time.monotonic()
    report = Session(n=given.n, others=given.others, seed=given.seed, runs=given.runs, seconds=given.seconds).report()
    say(f"done in {time.monotonic() - started:.0f} s")
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
