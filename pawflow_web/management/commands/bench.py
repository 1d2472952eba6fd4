"""``manage.py bench memory``."""

import signal
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from bench import memory
from bench.report import table
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import Invalid, Unavailable


class Command(JsonCommand):
    help = "Measure this machine on made-up data, beside the installation. Example: manage.py bench memory --n 10000"

    def add_arguments(self, parser: CommandParser) -> None:
        names = parser.add_subparsers(dest="name", required=True, metavar="memory")
        one = names.add_parser("memory", help="remember, recall and the pages above them")
        one.add_argument("--n", type=int, default=10_000, help="beliefs of the largest owner (10000)")
        one.add_argument("--seed", type=int, default=1, help="the same seed gives the same beliefs (1)")
        one.add_argument("--runs", type=int, default=memory.RUNS, help="timed calls a line (200)")
        one.add_argument("--seconds", type=float, default=memory.SECONDS, help="at most so long a line (5)")
        self.add_json(one)

    def answer(self, **options: Any) -> dict[str, Any]:
        n, seed, runs, seconds = (options[name] for name in ("n", "seed", "runs", "seconds"))
        bounds = (("n", n, memory.FEWEST, memory.MOST), ("seed", seed, 0, 10**6), ("runs", runs, 1, 10_000),
                  ("seconds", seconds, 0.1, 600))  # fmt: skip
        for name, value, least, most in bounds:
            if not least <= value <= most:
                sentence = f"must be {least} to {most}"
                raise Invalid(f"--{name} is {value}; it {sentence}.", fields={name: sentence})
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return memory.run(settings.ENV, n=n, seed=seed, runs=runs, seconds=seconds)
        except KeyboardInterrupt:
            raise Unavailable("Stopped before the end. Nothing is left behind.") from None

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        return table(answer)
