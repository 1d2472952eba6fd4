from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from pawflow_web.lib.ids import new_ref


class Batch(models.Model):
    """One bulk action of a person: the decisions it made, so that they can be named together."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    action = models.CharField(max_length=16)
    decisions = ArrayField(models.BigIntegerField(), default=list)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)
