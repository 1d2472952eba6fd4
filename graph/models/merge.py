from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from graph.limits import NAME_MOST, NORMAL_MOST, PREDICATE_MOST
from graph.models.entity import Entity
from pawflow_web.lib.ids import new_ref


class EntityMerge(models.Model):
    """Two entities that a person found to be one. It goes with the one that was kept; until then it can be undone."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    kept = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="merges")
    # what the other one was, and the folded names that came from it; empty once it is undone
    dropped_ref = models.CharField(max_length=12)
    dropped_name = models.CharField(max_length=NAME_MOST, blank=True)
    dropped_type = models.CharField(max_length=PREDICATE_MOST, default="", blank=True)
    names = ArrayField(models.CharField(max_length=NORMAL_MOST))
    by = models.CharField(max_length=150)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["user", "-id"], name="graph_entitymerge_newest")]

    def __str__(self) -> str:
        return f"merge {self.ref}"
