"""``manage.py up``. Started from the command line it never gets here: ``pawflow_web.launch`` runs the
supervisor without Django. This is what ``help`` lists and what ``call_command`` finds."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pawflow_web import supervisor


class Command(BaseCommand):
    help = "Start PawFlow Web in the foreground. Example: manage.py up --port 8080"
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        supervisor.add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        sys.exit(supervisor.run(options["host"], options["port"]))
