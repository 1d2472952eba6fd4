"""Imports that a person starts from the browser or over REST: the file waits, the worker brings it."""

import math
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

import structlog
from django.db import InterfaceError, OperationalError, transaction

from memory.importers import uploads
from memory.importers.job_rows import give_up
from memory.importers.material import Material, material_of_stream, shown_name
from memory.importers.report import Report
from memory.importers.run import bring
from pawflow_web.identity.models import User
from pawflow_web.identity.names import check_name
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.models.run import OPEN
from pawflow_web.jobs.node import node_name
from pawflow_web.jobs.services import cancel_run, fail_run, finish_run, open_run, report_progress, start_run, wake
from pawflow_web.lib.errors import DomainError, InvalidTransition, TooLarge
from pawflow_web.web.errors import failure_of

logger = structlog.get_logger(__name__)

KIND = "import"
DRAIN = "imports"
# Somebody waits for the answer of a dry run; a longer file is looked through by the command.
DRY_RUN_MOST = 16 * 2**20
DRY_RUN_SECONDS_MOST = 30.0
# One import works so long before it is another one's turn.
_TURN_S = 10.0
# It may go on for so long after the end of a slice, when it took much of the slice to come to what is new: a slice that
# begins within the first minute of the queue's two still ends before them.
_OVER_S = 20.0
# Reading that takes longer leaves no time for what is new.
_READING_MOST_S = 40.0
_TOLD_EVERY_S = 0.5
# A file on a machine that does not come back.
_LOST_AFTER_S = 24 * 3600.0
# A file that no row names: its request may still be at it.
_LEFT_AFTER_S = 3600.0

_TOO_LONG = (
    "Reading this file again from its start takes longer than a turn of the worker. What came of it stays; "
    "manage.py import brings the rest of it."
)
_GONE = "The file is not there any more. Import it again; what came of it until now stays."


def start_import(
    chunks: Iterable[bytes], *, user: User, name: str, format_name: str = "auto", agent: str | None = None
) -> JobRun:
    """Keep the file and have the worker import it. Its run ends with the report as its result.

    Raises:
        Invalid: it is of another format, or the agent's name has a bad shape.
        TooLarge: more than :data:`~memory.importers.uploads.UPLOAD_MOST`.
    """
    if agent is not None:
        check_name(agent, field="agent")
    upload = uploads.save(chunks)
    try:
        with upload.path.open("rb") as stream:
            material = material_of_stream(format_name, stream, name, sha256=upload.sha256)
        arguments = {
            "file": upload.token,
            "source": material.name,
            "format": material.form.name,
            "agent": agent,
            "sha256": upload.sha256,
            "size": upload.size,
            "node": node_name(),
        }
        with transaction.atomic():
            run = open_run(KIND, user=user, arguments=arguments)
            wake(DRAIN)
    except BaseException:
        uploads.discard(upload.token)
        raise
    return run


def dry_run(stream: BinaryIO, *, user: User, name: str, format_name: str = "auto", agent: str | None = None) -> Report:
    """What the import would report, at once and without a write.

    Raises:
        Invalid: it is of another format, or the agent's name has a bad shape.
        TooLarge: it has more than :data:`DRY_RUN_MOST` bytes, or takes more than :data:`DRY_RUN_SECONDS_MOST`.
    """
    until = time.monotonic() + DRY_RUN_SECONDS_MOST
    size = stream.seek(0, 2)
    if size > DRY_RUN_MOST:
        raise TooLarge(
            f"A dry run takes at most {DRY_RUN_MOST // 2**20} MiB here; manage.py import --dry-run takes more."
        )
    material = material_of_stream(format_name, stream, shown_name(name))
    report = bring(material, user=user, agent=agent, dry_run=True, keep_going=lambda _: time.monotonic() < until)
    if report.state != "done":
        raise TooLarge(
            f"This file takes longer than the {DRY_RUN_SECONDS_MOST:.0f} seconds that a dry run has here; "
            "manage.py import --dry-run takes the time it needs."
        )
    return report


def discard_files(user_id: int) -> None:
    """Delete what this owner's imports still wait for, as far as it lies on this machine; on others it goes within
    :data:`_LEFT_AFTER_S`."""
    kept = set(uploads.kept())
    for token in JobRun.objects.filter(kind=KIND, user_id=user_id).values_list("arguments__file", flat=True):
        if token in kept:
            uploads.discard(token)


def give_up_for(user_id: int, agent: str) -> None:
    """End this owner's imports that bring what they find as this agent, which is being erased."""
    runs = JobRun.objects.filter(kind=KIND, user_id=user_id, arguments__agent=agent)
    for run in runs.open():
        with suppress(InvalidTransition):  # it has ended by itself
            cancel_run(run)


def work(deadline: float) -> bool:
    """The drain: one turn of each import whose file lies on this machine, the oldest first. One that is alone has all
    of the slice as its turn."""
    _tidy()
    runs = list(JobRun.objects.filter(kind=KIND).open().select_related("user"))
    turn_s = _TURN_S if len(runs) > 1 else math.inf
    left = False
    for run in runs:
        if time.monotonic() > deadline:
            return True
        left = _turn(run, turn_s, deadline) or left
    return left


def _tidy() -> None:
    """Delete the files of runs that have ended, and what a process that died left between its file and its row."""
    # The files first: whatever row names one of them later than that is open, or the file is young.
    files = uploads.kept()
    rows = JobRun.objects.filter(kind=KIND, arguments__file__in=list(files)) if files else JobRun.objects.none()
    states: dict[str, set[str]] = {}
    for token, state in rows.values_list("arguments__file", "state"):
        states.setdefault(token, set()).add(state)
    for token, age in files.items():
        known = states.get(token)
        if known.isdisjoint(OPEN) if known else age > _LEFT_AFTER_S:
            uploads.discard(token)


def _turn(run: JobRun, turn_s: float, deadline: float) -> bool:
    """Go on with one import for a while. Returns whether it has to go on after that."""
    path = uploads.path_of(run.arguments["file"])
    if not path.exists():
        is_ours = run.arguments["node"] == node_name()
        if is_ours or (time.time() - run.created_at.timestamp()) > _LOST_AFTER_S:
            fail_run(run, error=_GONE)
        return False
    if not start_run(run):
        return _over(run)
    try:
        with path.open("rb") as stream:
            arguments = run.arguments
            material = material_of_stream(arguments["format"], stream, arguments["source"], sha256=arguments["sha256"])
            return _bring(run, material, _Watch(run, turn_s, deadline))
    except (OperationalError, InterfaceError):
        # Another try may do better: the row stays as it is.
        raise
    except Exception as error:
        fail_run(run, error=failure_of(error, job=run.ref).message)
        return _over(run)


def _bring(run: JobRun, material: Material, watch: "_Watch") -> bool:
    assert run.user is not None  # noqa: S101 - imports are a person's
    agent = run.arguments["agent"]
    report = bring(material, user=run.user, agent=agent, keep_going=watch.goes_on)
    if report.state == "done":
        finish_run(run, result=report.value())
        return _over(run)
    if watch.too_long:
        give_up(material, run.user, agent)
        fail_run(run, error=_TOO_LONG)
        return _over(run)
    if not watch.cancelled:
        return True
    give_up(material, run.user, agent)
    with suppress(DomainError):
        cancel_run(run, stopped=True)
    return _over(run)


def _over(run: JobRun) -> bool:
    uploads.discard(run.arguments["file"])
    return False


class _Watch:
    """Tells the row how far the import is, and the import when to stop.

    Each turn reads the file from its start, so the turn is measured from the first note that is new, and lasts at least
    as long as it took to come there, so far as the queue leaves time.
    """

    def __init__(self, run: JobRun, turn_s: float, deadline: float) -> None:
        self._run = run
        self._turn_s = turn_s
        self._deadline = deadline
        self._began = time.monotonic()
        # when it is another one's turn; not known before the first new note
        self._until: float | None = None
        self._told_at = 0.0
        self.cancelled = False
        self.too_long = False

    def goes_on(self, report: Report) -> bool:
        now = time.monotonic()
        if now - self._told_at > _TOLD_EVERY_S:
            self._told_at = now
            self._tell(report)
        return not self.cancelled and self._has_time(report, now)

    def _has_time(self, report: Report, now: float) -> bool:
        latest = self._deadline + _OVER_S
        if self._until is None and report.catching_up:
            self.too_long = now - self._began > _READING_MOST_S
            return now < latest and not self.too_long
        if self._until is None:
            usual = min(now + self._turn_s, self._deadline)
            self._until = min(max(usual, now + (now - self._began)), latest)
        return now < self._until

    def _tell(self, report: Report) -> None:
        size = self._run.arguments["size"]
        done = min(max(report.position, self._run.done), size)
        current = f"{report.decided.count:,} beliefs"
        self.cancelled = not report_progress(self._run, done=done, total=size, current=current)
