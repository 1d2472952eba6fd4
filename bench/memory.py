"""``manage.py bench memory``: the memory of agents at a given size, through the product's own doors.

The command runs :func:`run`, which makes a scratch database and starts this module in a process whose
environment knows no other. That process loads, indexes, starts the product and measures.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench.product import environment, prepare
from bench.scratch import scratch
from pawflow_web.children import start_child, stop_child
from pawflow_web.env import CHECKOUT, Env
from pawflow_web.lib.errors import Unavailable

FEWEST, MOST = 100, 2_000_000
RUNS, SECONDS = 200, 5.0
_STOP_STEPS = ((signal.SIGTERM, 45.0), (signal.SIGKILL, 5.0))


def run(env: Env, *, n: int, seed: int, runs: int = RUNS, seconds: float = SECONDS) -> dict[str, Any]:
    """The report of one run, which says on standard error how far it is. Leaves nothing behind.

    Args:
        env: the installation on whose database server the scratch database is made.
        n: beliefs of the one large owner; eight further owners have an eighth of it each.
        runs: at most so many timed calls a line and client group, in at most ``seconds``.

    Raises :class:`Unavailable` when the run cannot be completed.
    """
    with scratch(env) as place:
        prepare(place)
        program = start_child(
            [sys.executable, "-m", "bench.memory", str(n), str(seed), str(runs), str(seconds)],
            death_signal=signal.SIGTERM,
            environment=environment(place),
            output=subprocess.PIPE,
            errors=sys.stderr.fileno(),
            cwd=CHECKOUT,
        )
        try:
            output, _ = program.communicate()
        finally:
            stop_child(program, *_STOP_STEPS)
    if program.returncode != 0:
        raise Unavailable("The benchmark broke off; the lines above say why.")
    report: dict[str, Any] = json.loads(output)
    return report


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    parser = argparse.ArgumentParser()
    for name, kind in (("n", int), ("seed", int), ("runs", int), ("seconds", float)):
        parser.add_argument(name, type=kind)
    given = parser.parse_args(arguments)
    # So that what we started ends with us.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    import django  # noqa: PLC0415 - only this process has the settings of the scratch database

    django.setup()
    from bench.session import Session  # noqa: PLC0415 - needs the apps

    started = time.monotonic()
    try:
        report = Session(n=given.n, seed=given.seed, runs=given.runs, seconds=given.seconds).report()
    except KeyboardInterrupt:
        return 130
    say(f"done in {time.monotonic() - started:.0f} s")
    sys.stdout.write(json.dumps(report))
    return 0


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
