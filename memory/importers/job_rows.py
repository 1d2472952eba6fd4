"""The row behind a run, and how one that was cut off is found again."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet

from memory.importers.formats.registry import Format
from memory.importers.material import Material
from memory.importers.report import Decided, Report
from pawflow_web.identity.clock import now
from pawflow_web.identity.models import Agent, User
from pawflow_web.lib.db import advisory_lock
from review.models import ImportJob, ImportState

_LINE_MOST = 2**31 - 1


# In the kept report of a run that stopped by itself, to let other work in between: it was not cut off.
_PAUSED = "paused"
_RESUMED = "resumed_at_line"


class Unfinished:
    """A run under way. Its lock belongs to this connection and ends with it, also when the process is killed.

    ``was_cut_off``: one before it came to an end that nobody wanted. ``resumed_at_line`` is where it went on then.
    """

    def __init__(self, job: ImportJob) -> None:
        self.job = job
        self.was_cut_off = job.decided > 0 and not job.report.get(_PAUSED)
        self.resumed_at_line: int | None = job.report.get(_RESUMED)
        self.is_over = False

    def decided(self) -> Decided:
        return Decided.of(self.job.decided, self.job.line, self.job.report)

    def keep(self, decided: Decided) -> None:
        """Write how far it came. Called inside the transaction that stores what was decided."""
        self._update(decided=decided.count, line=min(decided.line, _LINE_MOST), report=self._kept(decided))

    def pause(self, decided: Decided) -> None:
        """Stop for now; the next run over the same bytes goes on as if it had not stopped."""
        self._update(report={**self._kept(decided), _PAUSED: True})

    def finish(self, report: Report) -> None:
        self.is_over = True
        self._update(state=ImportState.DONE, finished_at=now(), report=report.value())

    def fail(self) -> None:
        """Something stopped it; the next run over the same bytes goes on."""
        self._update(state=ImportState.FAILED)

    def _kept(self, decided: Decided) -> dict[str, Any]:
        return {**decided.value(), _RESUMED: self.resumed_at_line}

    def _update(self, **changes: object) -> None:
        ImportJob.objects.filter(pk=self.job.pk).update(**changes)


@contextmanager
def unfinished_job(form: Format, report: Report, user: User, agent: Agent | None) -> Iterator[Unfinished]:
    """The row of this run, locked: that of a run over the same bytes which was cut off, or a new one.

    A run that somebody else is at is left alone: two at once work side by side, each with a row of its own.
    """
    open_ones = ImportJob.objects.filter(
        user=user, agent=agent, format=form.name, sha256=report.sha256, finished_at=None
    )
    with _locked(open_ones.filter(reader=form.parser_version)) as cut_off:
        if cut_off:
            job = cut_off[0]
            ImportJob.objects.filter(pk=job.pk).update(state=ImportState.RUNNING, source=report.source)
        else:
            job = _new(form, report, user, agent)
        with _lock(job):
            run = Unfinished(job)
            try:
                yield run
            except BaseException:
                with suppress(DatabaseError):
                    run.fail()
                raise
    if not run.is_over:
        return
    # What others left behind is void now, whichever version was at it: everything in the file has been brought.
    with _locked(open_ones) as left:
        ImportJob.objects.filter(pk__in=[other.pk for other in left]).update(
            state=ImportState.FAILED, finished_at=now()
        )


def give_up(material: Material, user: User, agent: str | None) -> None:
    """A person cancelled the run over this material. Importing it again goes on, as after any other cut."""
    rows = ImportJob.objects.filter(user=user, agent__name=agent, sha256=material.sha256, finished_at=None)
    for job in rows.filter(format=material.form.name):
        kept = {name: value for name, value in job.report.items() if name != _PAUSED}
        ImportJob.objects.filter(pk=job.pk).update(state=ImportState.FAILED, report=kept)


@contextmanager
def _locked(jobs: QuerySet[ImportJob]) -> Iterator[list[ImportJob]]:
    """Those that nobody is at, the furthest first, locked."""
    with ExitStack() as locks:
        free = [job.pk for job in jobs if locks.enter_context(_lock(job))]
        # Read under the lock: it may have come further, or to its end, since it was found.
        yield list(jobs.filter(pk__in=free).order_by("-decided", "pk"))


def _lock(job: ImportJob) -> AbstractContextManager[bool]:
    return advisory_lock(f"pawflow import {job.pk}")


def _new(form: Format, report: Report, user: User, agent: Agent | None) -> ImportJob:
    return ImportJob.objects.create(
        user=user,
        agent=agent,
        format=form.name,
        reader=form.parser_version,
        source=report.source,
        sha256=report.sha256,
        started_at=now(),
    )
