from datetime import datetime, timedelta

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.clock import now
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


def plan_nightly(kind: str) -> None:
    """See that every owner has a plan for ``kind`` at a midnight of their own; those who have one keep it."""
    planned = Task.objects.filter(kind=kind, subject="", user__isnull=False).values("user_id")
    missing = User.objects.exclude(pk__in=planned).select_related("preferences").order_by("pk")
    rows = [Task(kind=kind, user=user, next_at=_next_midnight(user)) for user in missing]
    if rows:
        Task.objects.bulk_create(rows, ignore_conflicts=True)


def put_off_to_next_night(task: Task) -> None:
    """It is done for this time. However many nights were missed while nothing ran, it was done for all of them."""
    assert task.user is not None  # noqa: S101 - nights are an owner's
    Task.objects.filter(pk=task.pk).update(next_at=_next_midnight(task.user), attempts=0, last_error="")


def _next_midnight(user: User) -> datetime:
    zone = principal_of_user(user).zone
    tomorrow = now().astimezone(zone).date() + timedelta(days=1)
    # Where the clocks skip that midnight this is the moment at which they do.
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=zone)
