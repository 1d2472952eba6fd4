"""What stands above the queue beside it: how many wishes to archive wait, and the line about a job that decides many,
with how far it is, what came of it, and the way back."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _

from pawflow_web.identity.clock import now
from pawflow_web.identity.models import UserClock
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun, RunState
from pawflow_web.jobs.models.run import OPEN
from pawflow_web.jobs.page import span
from pawflow_web.jobs.progress import Progress, progress_of
from pawflow_web.jobs.services import worker_alive
from pawflow_web.lib.db import StatementNow
from pawflow_web.web.ways_back import MINUTES
from review.lifecycle.bulk import WORK
from review.models import ArchiveRequest, Batch
from review.pages.outcomes import told_of_many
from review.pages.queue.many import those_that_wait, under_way
from review.queue.background import SoFar


@dataclass(frozen=True, slots=True)
class ManyRun:
    """``stuck``: nobody is there to do it. ``undo`` is where what it decided is taken back, ``standing`` decisions;
    empty while it goes on and when that was done. ``show`` leads to those that stayed."""

    run: JobRun
    sentence: str
    progress: Progress
    left: str = ""
    stuck: bool = False
    undo: str = ""
    standing: int = 0
    show: str = ""

    @property
    def open(self) -> bool:
        return self.run.state in OPEN

    @property
    def ends(self) -> bool:
        """Whether the person asked for its end and it has not heard of that yet."""
        return self.run.cancel_requested_at is not None


def above_of(principal: Principal) -> tuple[int, ManyRun | None]:
    """The wishes to archive that nobody has answered, and the line; one statement while there is none."""
    requests = ArchiveRequest.objects.pending_of(OuterRef("user_id"))
    number = Coalesce(Subquery(requests.order_by().values("user_id").values_list(Count("pk"))), 0)
    runs = Subquery(_lately(principal).values("pk")[:1])
    number_of, run_id = UserClock.objects.filter(user_id=principal.user_id).values_list(number, runs).get()
    return number_of, None if run_id is None else _line(principal, JobRun.objects.get(pk=run_id))


def line_of(principal: Principal) -> ManyRun | None:
    """The newest such job that goes on, or ended not longer ago than the way back is kept."""
    run = _lately(principal).first()
    return None if run is None else _line(principal, run)


def _lately(principal: Principal) -> QuerySet[JobRun]:
    lately = Q(state__in=OPEN) | Q(finished_at__gt=StatementNow() - timedelta(minutes=MINUTES))
    return JobRun.objects.visible_to(principal).filter(lately, kind=WORK).order_by("-pk")


def _line(principal: Principal, run: JobRun) -> ManyRun:
    progress = progress_of(run, now())
    return _going_on(run, progress) if run.state in OPEN else _ended(principal, run, progress)


def _going_on(run: JobRun, progress: Progress) -> ManyRun:
    sentence = under_way(run.arguments["verb"], run.arguments["number"])
    left = "" if progress.eta_s is None else span(timedelta(seconds=progress.eta_s))
    return ManyRun(run, sentence, progress, left, stuck=run.state == RunState.QUEUED and not worker_alive())


def _ended(principal: Principal, run: JobRun, progress: Progress) -> ManyRun:
    so_far = SoFar.of(run)
    sentence = told_of_many(run.arguments["verb"], so_far.done, so_far.left)
    if run.state == RunState.CANCELLED:
        sentence = _("Cancelled. %(told)s") % {"told": sentence}
    elif run.state != RunState.DONE:
        sentence = _("It broke off: %(why)s %(told)s") % {"why": run.error, "told": sentence}
    batch = Batch.objects.filter(ref=run.arguments["batch"], undone_at=None).first()
    standing = len(batch.decisions) if batch else 0
    undo = reverse("review-batch-undo", args=[run.arguments["batch"]]) if standing else ""
    return ManyRun(
        run, sentence, progress, undo=undo, standing=standing, show=those_that_wait(principal, so_far.stayed)
    )
