from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pawflow_web.lib.db import StatementNow


class TaskQuerySet(models.QuerySet["Task"]):
    def due(self, kind: str) -> Self:
        """What a drain of this kind should do now, longest waiting first."""
        return self.filter(kind=kind, next_at__lte=StatementNow()).order_by("next_at", "pk")


class Task(models.Model):
    """Something to be done at a time: an owner's nightly work at their own midnight, a retry after a failure.

    One row per kind, owner and subject (a ref, or empty); doing it moves ``next_at`` or deletes the row.
    """

    kind = models.CharField(max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    subject = models.CharField(max_length=100, default="")
    next_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    # A code, never a text that somebody wrote.
    last_error = models.CharField(max_length=100, default="")
    created_at = models.DateTimeField(db_default=Now())

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "user", "subject"], nulls_distinct=False, name="jobs_task_one_per_subject"
            ),
            models.CheckConstraint(condition=models.Q(attempts__gte=0), name="jobs_task_attempts_not_negative"),
        ]
        indexes = [models.Index(fields=["kind", "next_at"], name="jobs_task_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} at {self.next_at}"
