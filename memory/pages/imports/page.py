"""What the page of imports shows: the run that was just started, its report, and the imports before it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.importers import background
from memory.importers.outcomes import OUTCOMES, SKIPPED, outcome
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun, RunState
from pawflow_web.jobs.page import STATES
from pawflow_web.jobs.reading import find_run
from pawflow_web.jobs.services import worker_alive
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from review.models import ImportJob, ImportState

ROWS = 20

# An import that failed can be gone on with, unlike another job.
_CUT_OFF = (*STATES[RunState.FAILED][:2], gettext_lazy("Cut off"))
_RECORDS = {
    "read": gettext_lazy("met in the file"),
    "entities": gettext_lazy("entities"),
    "relations": gettext_lazy("relations"),
    "entries": gettext_lazy("entries of lists"),
    "paragraphs": gettext_lazy("paragraphs"),
    "rows": gettext_lazy("rows of tables"),
    "bad": gettext_lazy("could not be read"),
}
_PARTS: Mapping[str, Mapping[str, str | Promise]] = {
    "records": _RECORDS,
    "items": {"proposed": gettext_lazy("brought to the gate"), **OUTCOMES},
    "waiting": {},
    "skipped": SKIPPED,
}
# for what has no words of its own
_OTHER: Mapping[str, str | Promise] = {
    "records": gettext_lazy("of another kind"),
    "items": gettext_lazy("of another kind"),
    # only in reports of a version that did not read them
    "waiting": gettext_lazy("left until the file is imported again"),
    "skipped": gettext_lazy("of a kind that is not read"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; ``key`` as the report calls it."""

    key: str
    words: str | Promise
    number: int


@dataclass(frozen=True, slots=True)
class Told:
    """A report as a person reads it."""

    report: Mapping[str, Any]
    sentence: str
    figures: Sequence[Figure]
    review: str


@dataclass(frozen=True, slots=True)
class Run:
    """A job that brings a file. ``told`` once it is done."""

    job: JobRun
    status: str
    glyph: str
    word: str | Promise
    told: Told | None
    percent: int | None
    open: bool
    worker: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """One line of the list."""

    job: ImportJob
    status: str
    glyph: str
    word: str | Promise
    sentence: str
    review: str


@dataclass(frozen=True, slots=True)
class Imports:
    rows: list[Earlier]
    # the reference behind which the next page begins
    more: str


def told(report: Mapping[str, Any]) -> Told:
    return Told(report, outcome(report), list(_figures(report)), _review(report["source"]))


def _figures(report: Mapping[str, Any]) -> Iterator[Figure]:
    """In the order in which the words stand here: the database keeps none."""
    for part, words in _PARTS.items():
        counts = report[part]
        known = [key for key in words if key in counts]
        for key in [*known, *sorted(counts.keys() - words.keys())]:
            yield Figure(f"{part}.{key}", words.get(key, _OTHER[part]), counts[key])


def run_of(request: HttpRequest, reference: str) -> Run:
    """Raises :class:`NotFound`, as for what belongs to somebody else."""
    job = find_run(person_of(request), reference)
    if job.kind != background.KIND:
        raise NotFound
    status, glyph, word = STATES[job.state]
    is_open = job.state in {RunState.QUEUED, RunState.RUNNING}
    percent = min(100, job.done * 100 // job.total) if job.total else None
    worker = not is_open or worker_alive()
    return Run(job, status, glyph, word, told(job.result) if job.result else None, percent, is_open, worker)


def report_of(request: HttpRequest, reference: str) -> Told:
    """The report of an import that is over. Raises :class:`NotFound`."""
    return told(_own(person_of(request), reference, state=ImportState.DONE).report)


def imports_of(principal: Principal, before: str = "") -> Imports:
    """The newest first; ``before``: those that are older than the one with this reference."""
    rows = ImportJob.objects.filter(user_id=principal.user_id).select_related("agent").order_by("-started_at", "-pk")
    if before:
        last = _own(principal, before)
        rows = rows.filter(started_at__lte=last.started_at).exclude(pk__gte=last.pk, started_at=last.started_at)
    found = list(rows[: ROWS + 1])
    shown = found[:ROWS]
    return Imports([_earlier(job) for job in shown], shown[-1].ref if len(found) > ROWS else "")


def _own(principal: Principal, reference: str, **more: Any) -> ImportJob:
    ref = parse_ref(reference)
    job = ImportJob.objects.filter(user_id=principal.user_id, ref=ref, **more).first() if ref else None
    if job is None:
        raise NotFound
    return job


def _earlier(job: ImportJob) -> Earlier:
    status, glyph, word = _CUT_OFF if job.state == ImportState.FAILED else STATES[job.state]
    sentence = outcome(job.report) if job.state == ImportState.DONE else _so_far(job)
    return Earlier(job, status, glyph, word, sentence, _review(job.source))


def _so_far(job: ImportJob) -> str:
    told = _("%(count)d beliefs were decided.") % {"count": job.decided}
    if job.state == ImportState.FAILED and job.finished_at is None:
        told = f"{told} {_('Import the same file again to go on.')}"
    return told


def _review(source: str) -> str:
    return f"{reverse('review')}?{urlencode({'file': source})}"
