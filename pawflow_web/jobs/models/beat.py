from django.db import models
from django.db.models.functions import Now


class WorkerBeat(models.Model):
    """A worker and when it was last seen alive. ``node`` says whose search indexes it keeps up to date."""

    node = models.CharField(max_length=300, unique=True)
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.node
