"""Runs that ended a month ago are forgotten."""

from datetime import timedelta

from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.drains import drain

KEPT = timedelta(days=30)
_AT_ONCE = 500


@drain("forget_runs")
def forget_runs(deadline: float) -> bool:  # noqa: ARG001 - one statement, far below any deadline
    old = JobRun.objects.filter(finished_at__lt=StatementNow() - KEPT).values("pk")[:_AT_ONCE]
    deleted, _ = JobRun.objects.filter(pk__in=old).delete()
    return deleted >= _AT_ONCE
