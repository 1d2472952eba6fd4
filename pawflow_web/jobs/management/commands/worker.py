from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pawflow_web.jobs.node import TICK_S
from pawflow_web.jobs.worker import Worker


class Command(BaseCommand):
    help = "Does the work that is left to do: drains, tasks that are due, search indexes. Stops at SIGTERM."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--tick", type=float, default=TICK_S, metavar="SECONDS", help="how often to look unasked (15)"
        )

    def handle(self, *_args: Any, tick: float, **_options: Any) -> None:
        if not 0.1 <= tick <= 3600:
            raise CommandError(f"--tick is {tick}; it must lie between 0.1 and 3600 seconds.")
        code = Worker(tick_s=tick).run()
        if code:
            raise CommandError("The queue's processes keep dying; see the lines above.", returncode=code)
