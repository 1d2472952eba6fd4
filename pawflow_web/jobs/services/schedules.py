from datetime import datetime, timedelta

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import Task
from pawflow_web.lib.db import StatementNow

FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=6)


def plan_task(kind: str, *, at: datetime, user: User | None = None, subject: str = "") -> Task:
    """Have it done at ``at``; an earlier plan for the same kind, owner and subject is moved there."""
    task, _ = Task.objects.update_or_create(
        kind=kind, user=user, subject=subject, defaults={"next_at": at, "attempts": 0, "last_error": ""}
    )
    return task


def back_off(task: Task, *, error: str) -> None:
    """Try again after 30 seconds, then twice as long each time, at most six hours. ``error`` is a code."""
    pause = min(FIRST_PAUSE * 2 ** min(task.attempts, 20), LONGEST_PAUSE)
    Task.objects.filter(pk=task.pk).update(
        next_at=StatementNow() + pause, attempts=task.attempts + 1, last_error=error[:100]
    )
    task.refresh_from_db()
