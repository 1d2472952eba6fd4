"""``manage.py import FORMAT PATH --owner NAME``."""  # noqa: N999 - the name of the command

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from conversations.sessions.importing import Taken, import_sessions
from memory.importers.formats.registry import AUTO, FORMATS, NAMES, SESSION_KINDS, SESSIONS
from memory.importers.outcomes import left_out
from memory.importers.report import Report
from memory.importers.run import import_file
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.errors import Invalid

_PROGRESS_SECONDS = 0.2


class Command(JsonCommand):
    help = (
        "Propose what a file of another product holds; beliefs wait in review, sessions can be searched at once. "
        "Example: manage.py import mcp-memory memory.json --owner alice --dry-run"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "format",
            metavar="FORMAT",
            choices=NAMES,
            help=f"now: {', '.join(FORMATS)}, {AUTO}: told from the file; sessions: what was said, of any product; "
            f"or of one: {', '.join(SESSION_KINDS)}",
        )
        parser.add_argument("path", type=Path, help="the file to read, or a folder of notes or sessions")
        parser.add_argument("--owner", required=True, help="whose memory it is")
        parser.add_argument("--agent", help="only for this agent; made when it is new")
        parser.add_argument("--project", help="sessions only: new ones are filed under it")
        parser.add_argument("--dry-run", action="store_true", help="of beliefs: the same numbers, nothing written")

    def answer(self, **options: Any) -> dict[str, Any]:
        if options["format"] in (SESSIONS, *SESSION_KINDS):
            return self._sessions(**options)
        report = import_file(
            format_name=options["format"],
            path=options["path"],
            owner=options["owner"],
            agent=options["agent"],
            dry_run=options["dry_run"],
            progress=_Progress(self) if self.stderr.isatty() else None,
        )
        return report.value()

    def _sessions(self, **options: Any) -> dict[str, Any]:
        if options["dry_run"] or options["agent"]:
            raise Invalid("Sessions are kept as they are: --dry-run and --agent are for beliefs.")
        kind = "auto" if options["format"] == SESSIONS else options["format"]
        taken = import_sessions(
            owner=options["owner"],
            path=options["path"],
            kind=kind,
            project=options["project"],
            progress=self._taken if self.stderr.isatty() else None,
        )
        return taken.value()

    def _taken(self, taken: Taken) -> None:
        self.stderr.write(f"\r{taken.sessions:,} sessions in {taken.files:,} files", ending="")
        self.stderr.flush()

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        if answer["format"] == SESSIONS:
            return _words_of_sessions(answer)
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


def _words_of_sessions(answer: dict[str, Any]) -> str:
    found = answer["sessions"]
    lines = [
        f"{_counted(found['all'], 'session')} in {_counted(answer['files'], 'file')}: {found['new']:,} new, "
        f"{found['changed']:,} changed; entries: {answer['entries']:,}; lines that could not be read: "
        f"{answer['bad_lines']:,}."
    ]
    if answer["passed_by"]:
        lines.append(f"Passed by: {_counted(answer['passed_by'], 'file')}.")
    lines += [f"{error['file']}: {error['message']}" for error in answer["errors"][:10]]
    return "\n".join(lines)


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


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
