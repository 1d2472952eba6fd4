from django.conf import settings
from django.db import models

from pawflow_web.identity.models import Agent
from pawflow_web.lib.ids import new_ref


class ImportState(models.TextChoices):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ImportJob(models.Model):
    """One run over one file. What it proposed lives in evidence (file and line); this is its report.

    While ``finished_at`` is null and nobody holds its lock, the run was cut off and the next one over the same bytes
    goes on with it.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, related_name="+")
    format = models.CharField(max_length=32)
    source = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=ImportState, default=ImportState.RUNNING)
    # How far the gate has come, written in the transactions that store what it decided: so many notes of the
    # file, the last of them on this line.
    decided = models.BigIntegerField(default=0)
    line = models.IntegerField(default=0)
    # the version of the reader that counted them; another one may count differently
    reader = models.SmallIntegerField(default=1)
    # what was decided so far, then the report
    report = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=ImportState.values), name="review_importjob_state"),
        ]
        indexes = [
            models.Index(fields=["user", "-started_at"], name="review_importjob_list"),
            # runs over the same bytes that were cut off
            models.Index(
                fields=["user", "sha256"],
                condition=models.Q(finished_at__isnull=True),
                name="review_importjob_unfinished",
            ),
        ]
