"""``manage.py import FORMAT PATH --owner NAME``."""  # noqa: N999 - the name of the command

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memory.importers.formats.registry import AUTO, FORMATS, NAMES
from memory.importers.outcomes import left_out
from memory.importers.report import Report
from memory.importers.run import import_file
from pawflow_web.lib.commands import JsonCommand

_PROGRESS_SECONDS = 0.2


class Command(JsonCommand):
    help = (
        "Propose what a file of another product holds; everything waits in review. "
        "Example: manage.py import mcp-memory memory.json --owner alice --dry-run"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "format", metavar="FORMAT", choices=NAMES, help=f"now: {', '.join(FORMATS)}; {AUTO}: told from the file"
        )
        parser.add_argument("path", type=Path, help="the file to read, or a folder of Markdown notes")
        parser.add_argument("--owner", required=True, help="whose memory it is")
        parser.add_argument("--agent", help="only for this agent; made when it is new")
        parser.add_argument("--dry-run", action="store_true", help="the same numbers, and nothing is written")

    def answer(self, **options: Any) -> dict[str, Any]:
        report = import_file(
            format_name=options["format"],
            path=options["path"],
            owner=options["owner"],
            agent=options["agent"],
            dry_run=options["dry_run"],
            progress=_Progress(self) if self.stderr.isatty() else None,
        )
        return report.value()

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        items = answer["items"]
        would = "would wait" if answer["dry_run"] else "wait"
        lines = [
            f"{items['needs_review']:,} of {items['proposed']:,} beliefs {would} in review; {items['duplicates']:,} "
            f"were there already, {items['tombstoned']:,} are refused, {items['invalid']:,} cannot be stored."
        ]
        if answer["skipped"]:
            lines.append(f"Left out: {', '.join(left_out(answer['skipped']))}.")
        if answer["resumed_at_line"] is not None:
            lines.append(f"Went on at line {answer['resumed_at_line']:,}, where a run before this one was cut off.")
        lines += [
            f"{error.get('file', '')} line {error['line']}: {error['message']}".lstrip()
            for error in answer["errors"][:10]
        ]
        if answer["errors_total"] > 10:
            lines.append(f"... {answer['errors_total']:,} errors in all; --json shows the first 100.")
        return "\n".join(lines)


class _Progress:
    """A line on the terminal that counts along."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._shown_at = 0.0

    def __call__(self, report: Report) -> None:
        done = report.state == "done"
        if not done and time.monotonic() - self._shown_at < _PROGRESS_SECONDS:
            return
        self._shown_at = time.monotonic()
        self._command.stderr.write(f"\r{report.decided.count:,} beliefs", ending="\n" if done else "")
        self._command.stderr.flush()
