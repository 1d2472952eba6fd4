from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from graph.limits import PREDICATE_MOST


class Vocabulary(models.Model):
    """Which predicates of an owner hold one value at a time. No row: those that do so by default."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="+")
    functional = ArrayField(models.CharField(max_length=PREDICATE_MOST))

    def __str__(self) -> str:
        return f"vocabulary of {self.user_id}"
