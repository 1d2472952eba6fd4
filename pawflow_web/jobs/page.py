"""What the page of jobs shows: what runs, what came of what ran, what is planned, and whether anybody does it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun, RunState, Task, WorkerBeat
from pawflow_web.jobs.progress import Progress, progress_of
from pawflow_web.jobs.reading import runs_page
from pawflow_web.jobs.services.beats import ALIVE_FOR
from pawflow_web.jobs.work import Text, title_of, work

ENDED_ROWS = 20
# Beside the few that run at once many may wait for their turn.
OPEN_MOST = 50
_FACTS_MOST = 8

# The status whose line and colour a state shares, its glyph and its word; on every page that shows jobs.
STATES: Mapping[str, tuple[str, str, str | Promise]] = {
    RunState.QUEUED: ("candidate", "clock", gettext_lazy("Waits for its turn")),
    RunState.RUNNING: ("active", "job", gettext_lazy("Running")),
    RunState.DONE: ("active", "check", gettext_lazy("Done")),
    RunState.FAILED: ("rejected", "warn", gettext_lazy("Failed")),
    RunState.CANCELLED: ("stale", "cross", gettext_lazy("Cancelled")),
    RunState.UNKNOWN: ("needs_review", "ask", gettext_lazy("Nobody can say how it went")),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A run as a line or a card. ``took`` and ``left`` are times in words, ``facts`` what came of it."""

    run: JobRun
    title: Text
    status: str
    glyph: str
    word: Text
    progress: Progress
    took: str
    left: str
    facts: str

    @property
    def ends(self) -> bool:
        """Whether a person asked for its end and it has not heard of that yet."""
        return self.run.cancel_requested_at is not None


@dataclass(frozen=True, slots=True)
class Plan:
    title: Text
    at: datetime


@dataclass(frozen=True, slots=True)
class Worker:
    """``host`` is where it runs."""

    host: str
    seen_at: datetime
    alive: bool


@dataclass(frozen=True, slots=True)
class Live:
    """What waits or runs; ``refs`` names it, so that a later look knows whether something ended meanwhile."""

    rows: list[Row]

    @property
    def refs(self) -> str:
        return "-".join(sorted(row.run.ref for row in self.rows))


@dataclass(frozen=True, slots=True)
class Ended:
    rows: list[Row]
    next: str | None


def live_of(principal: Principal) -> Live:
    runs = JobRun.objects.visible_to(principal).open()[:OPEN_MOST]
    return Live(_rows(runs))


def ended_of(principal: Principal, cursor: str | None = None) -> Ended:
    """Raises :class:`Invalid` for a cursor of another list."""
    page = runs_page(principal, limit=ENDED_ROWS, cursor=cursor, ended=True)
    return Ended(_rows(page.rows), page.next)


def plans_of(principal: Principal) -> list[Plan]:
    """What comes by itself, the next first."""
    tasks = dict(Task.objects.filter(user_id=principal.user_id, subject="").values_list("kind", "next_at"))
    times = (
        (entry.title, entry.next_at(principal.user_id) if entry.next_at else tasks.get(entry.kind))
        for entry in work.all()
    )
    return sorted((Plan(title, at) for title, at in times if at is not None), key=lambda plan: plan.at)


def workers() -> list[Worker]:
    """Those that were seen within a day, the last seen first."""
    alive_since = now() - ALIVE_FOR
    beats = WorkerBeat.objects.order_by("-at")
    return [Worker(beat.node.partition(":")[0], beat.at, beat.at >= alive_since) for beat in beats]


def _rows(runs: Iterable[JobRun]) -> list[Row]:
    moment = now()
    return [_row(run, moment) for run in runs]


def _row(run: JobRun, moment: datetime) -> Row:
    status, glyph, word = STATES[run.state]
    progress = progress_of(run, moment)
    took = ""
    if run.started_at is not None:
        took = span((run.finished_at or moment) - run.started_at)
    left = "" if progress.eta_s is None else span(timedelta(seconds=progress.eta_s))
    return Row(run, title_of(run.kind), status, glyph, word, progress, took, left, _facts(run))


def _facts(run: JobRun) -> str:
    if run.result is None:
        return ""
    known = work.find(run.kind)
    return known.summary(run.result) if known and known.summary else ", ".join(_numbers(run.result)[:_FACTS_MOST])


def _numbers(result: Mapping[str, Any]) -> list[str]:
    """The numbers of a result that nobody described; its texts may be anybody's."""
    found: list[str] = []
    for name, value in result.items():
        if isinstance(value, Mapping):
            found += _numbers(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            found.append(f"{name.replace('_', ' ')} {number_format(value, use_l10n=True, force_grouping=True)}")
    return found


def span(length: timedelta) -> str:
    """``under a second``, ``42 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    seconds = round(max(0.0, length.total_seconds()))
    if seconds < 1:
        return _("under a second")
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if not minutes:
        return _("%(seconds)d s") % {"seconds": seconds}
    if not hours:
        return _("%(minutes)d min %(seconds)d s") % {"minutes": minutes, "seconds": seconds % 60}
    if not days:
        return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes % 60}
    return _("%(days)d d %(hours)d h") % {"days": days, "hours": hours % 24}
