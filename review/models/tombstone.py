from typing import Self

from django.conf import settings
from django.db import models

from pawflow_web.lib.ids import new_ref


class TombstoneQuerySet(models.QuerySet["Tombstone"]):
    def standing_of(self, user_id: int) -> Self:
        """What is refused now: not lifted since."""
        return self.filter(user_id=user_id, lifted_at=None)


class Tombstone(models.Model):
    """ "Refused from now on", without the words: any writer that brings them again is turned away."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # no foreign keys: it outlives a purged item
    item_id = models.BigIntegerField()
    item_ref = models.CharField(max_length=12)
    # shown only; the refusal holds in every scope
    scope = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    by = models.CharField(max_length=64)
    at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)
    hits = models.IntegerField(default=0)

    objects = TombstoneQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "digest"],
                condition=models.Q(lifted_at__isnull=True),
                name="review_tombstone_words",
            ),
        ]
        indexes = [models.Index(fields=["user", "-at"], name="review_tombstone_list")]
