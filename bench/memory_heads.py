"""``manage.py bench memory-heads``: whether recall keeps to what was really done.

Fails where a description from the catalogue of tools is found as if it had been said, an operation that was done is not
found by what it was, a cold candidate does not say that it must be followed, or an operation that nobody did is found.
As :mod:`bench.memory`: the command runs :func:`run`, and this module is the process in the scratch environment.
"""

import sys
from collections.abc import Sequence
from typing import Any

from bench.apart import print_report, report_of, say
from bench.heads_corpus import SPOILS, Spoil
from bench.product import OWNER
from bench.recall import recall_settings
from pawflow_web.env import Env
from pawflow_web.lib.errors import Unavailable

HOT = 100
_WHOLE = "nothing"


def run(env: Env, *, spoil: str | None = None) -> dict[str, Any]:
    """The report of one run. Leaves nothing behind.

    Args:
        env: the installation on whose database server the scratch database is made.
        spoil: one of :data:`SPOILS`: what is broken on purpose.

    Raises :class:`Unavailable` when a condition does not hold, naming each.
    """
    settings = recall_settings(RECALL_HOT_SESSIONS=str(HOT))
    return held(report_of(env, "bench.memory_heads", [spoil or _WHOLE], settings=settings))


def held(report: dict[str, Any]) -> dict[str, Any]:
    """The report, where every condition held. Raises :class:`Unavailable` otherwise, with ``fields`` by condition."""
    failures = report["failures"]
    if failures:
        say(table(report))
        told = "; ".join(f"{name}: {why}" for name, why in failures.items())
        raise Unavailable(f"Recall does not keep to what was done. {told}.", fields=failures)
    return report


def table(report: dict[str, Any]) -> str:
    """The report for a person."""
    parts = ("results", "sizes", "structural", "failures")
    facts = {name: value for part in parts for name, value in report[part].items()}
    lines = [f"{report['hot']} hot and {report['cold']} cold sessions"]
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in facts.items())])


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    return print_report(lambda: _examined(SPOILS.get(arguments[0], Spoil())))


def _examined(spoil: Spoil) -> dict[str, Any]:
    from bench.heads_session import examine  # noqa: PLC0415 - needs the apps, as the next
    from pawflow_web.identity.auth import principal_of_user  # noqa: PLC0415
    from pawflow_web.identity.services import ensure_owner  # noqa: PLC0415

    user, _ = ensure_owner(OWNER)
    return examine(principal_of_user(user), spoil=spoil)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
