"""A run in a process whose environment knows no database but the scratch one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.product import environment, prepare
from bench.scratch import scratch
from pawflow_web.children import start_child, stop_child
from pawflow_web.env import CHECKOUT, Env
from pawflow_web.lib.errors import Unavailable

_STOP_STEPS = ((signal.SIGTERM, 45.0), (signal.SIGKILL, 5.0))


def report_of(
    env: Env, module: str, arguments: Sequence[str], *, settings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What ``python -m module`` prints as JSON in a scratch database, which is gone afterwards.

    Args:
        env: the installation on whose database server the scratch database is made.
        settings: further environment variables of that process.

    Raises :class:`Unavailable` when the run cannot be completed; standard error says why.
    """
    with scratch(env) as place:
        prepare(place)
        program = start_child(
            [sys.executable, "-m", module, *arguments],
            death_signal=signal.SIGTERM,
            environment={**environment(place), **(settings or {})},
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


def print_report(make: Callable[[], dict[str, Any]]) -> int:
    """The other end: prints what ``make`` returns, which may use the apps. Returns the exit code."""
    os.umask(0o077)
    # So that what we started ends with us.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    import django  # noqa: PLC0415 - only this process has the settings of the scratch database

    django.setup()
    try:
        sys.stdout.write(json.dumps(make()))
    except Unavailable as error:
        say(error.message)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
