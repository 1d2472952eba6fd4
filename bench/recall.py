"""``manage.py bench recall``: recall over sessions at a given size, through the product's own doors.

As :mod:`bench.memory`: the command runs :func:`run`, and this module is the process in the scratch environment.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench.apart import print_report, report_of, say
from pawflow_web.env import Env
from pawflow_web.env_recall import RECALL_SETTINGS

FEWEST, MOST = 2, 10_000
LARGE_FEWEST, LARGE_MOST = 100, 50_000
RUNS, SECONDS = 100, 5.0


def run(
    env: Env, *, sessions: int, large_lines: int, seed: int, runs: int = RUNS, seconds: float = SECONDS
) -> dict[str, Any]:
    """The report of one run, which says on standard error how far it is. Leaves nothing behind.

    Args:
        env: the installation on whose database server the scratch database is made.
        sessions: of 200 lines each, all of one owner.
        large_lines: lines of the session that is much longer.
        runs: at most so many timed calls a line, in at most ``seconds``.

    Raises :class:`Unavailable` when the run cannot be completed, or an answer was wrong.
    """
    given = [str(one) for one in (sessions, large_lines, seed, runs, seconds)]
    return report_of(env, "bench.recall", given, settings=recall_settings())


def recall_settings(**changed: str) -> dict[str, str]:
    """The settings of recall as they are by default, some of them changed, whatever the installation has."""
    defaults = {setting.name: "" for setting in RECALL_SETTINGS}
    return {**defaults, "RECALL_INDEX_TOOL_OUTPUT": "on", **changed}


def table(report: dict[str, Any]) -> str:
    """The report for a person."""
    lines = [f"{'name':20}   p50 ms   p95 ms   budget   web ms  runs complete right    total"]
    for row in report["results"]:
        budget = "" if row["budget_ms"] is None else f"{row['budget_ms']:.0f}"
        complete = {True: "yes", False: "no", None: ""}[row["complete"]]
        total = "" if row["total"] is None else row["total"]
        figures = f"{row['p50_ms']:8.1f} {row['p95_ms']:8.1f} {budget:>8} {row['web_ms']:8.1f} {row['runs']:5}"
        verdict = f"{complete:>8} {'yes' if row['right'] else 'no':>5} {total:>8} {', '.join(row['reasons'])}"
        lines.append(f"{row['name']:20} {figures} {verdict}".rstrip())
    budgets = report["budgets"]
    facts = {**report["build"], **report["sizes"], **report["resident"], **report["machine"]}
    lines += ["", *(f"{name}: {value}" + _beside(budgets, name) for name, value in facts.items())]
    return "\n".join(lines)


def _beside(budgets: dict[str, str], name: str) -> str:
    return f" (budget {budgets[name]})" if name in budgets else ""


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    parser = argparse.ArgumentParser()
    for name, kind in (("sessions", int), ("large_lines", int), ("seed", int), ("runs", int), ("seconds", float)):
        parser.add_argument(name, type=kind)
    given = parser.parse_args(arguments)
    return print_report(lambda: _measured(given))


def _measured(given: argparse.Namespace) -> dict[str, Any]:
    from bench.recall_session import RecallSession  # noqa: PLC0415 - needs the apps

    started = time.monotonic()
    report = RecallSession(**vars(given)).report()
    say(f"done in {time.monotonic() - started:.0f} s")
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
