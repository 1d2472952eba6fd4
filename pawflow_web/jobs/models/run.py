from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ids import new_ref


class RunState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    # Something else was doing it and cannot say any more how it went.
    UNKNOWN = "unknown"


OPEN = (RunState.QUEUED, RunState.RUNNING)


class JobRunQuerySet(models.QuerySet["JobRun"]):
    def visible_to(self, principal: Principal) -> Self:
        """A person's own. An agent sees those that it began, and no agent begins any. Runs of the installation belong
        to nobody."""
        return self.filter(user_id=principal.user_id) if principal.is_person else self.none()

    def ended(self) -> Self:
        return self.exclude(state__in=OPEN)

    def open(self) -> Self:
        """What is left to do. To a drain, which holds its lock, a running one is an interrupted one."""
        return self.filter(state__in=OPEN).order_by("pk")


class JobRun(models.Model):
    """One piece of long work that somebody waits for: an import, a build, a rebuild."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    kind = models.CharField(max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    current = models.CharField(max_length=200, default="")
    arguments = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    error = models.CharField(max_length=500, default="")
    cancel_requested_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="jobs_jobrun_state_known"),
            models.CheckConstraint(
                condition=Q(state__in=OPEN, finished_at__isnull=True)
                | Q(~Q(state__in=OPEN), finished_at__isnull=False),
                name="jobs_jobrun_finished_has_time",
            ),
            models.CheckConstraint(
                condition=Q(done__gte=0) & (Q(total__isnull=True) | Q(total__gte=F("done"))),
                name="jobs_jobrun_progress_within_total",
            ),
        ]
        indexes = [
            # a person's list, newest first
            models.Index(fields=["user", "-id"], name="jobs_jobrun_user_newest"),
            # a drain looking for its work
            models.Index(fields=["kind", "id"], condition=Q(state__in=OPEN), name="jobs_jobrun_open"),
            # forgetting old ones
            models.Index(fields=["finished_at"], name="jobs_jobrun_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.ref} {self.state}"
