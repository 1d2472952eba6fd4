"""Runs that ended a month ago are forgotten, and what waits in the queue of a node that is gone."""

from datetime import timedelta

from django_q.models import OrmQ

from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.drains import drain

KEPT = timedelta(days=30)
# A queue carries nothing but "look", so that whoever comes back after a day has lost nothing.
_WAITED = timedelta(days=1)
_AT_ONCE = 500


@drain("forget_runs")
def forget_runs(deadline: float) -> bool:  # noqa: ARG001 - two statements, far below any deadline
    OrmQ.objects.filter(lock__lt=StatementNow() - _WAITED).delete()
    old = JobRun.objects.filter(finished_at__lt=StatementNow() - KEPT).values("pk")[:_AT_ONCE]
    deleted, _ = JobRun.objects.filter(pk__in=old).delete()
    return deleted >= _AT_ONCE
