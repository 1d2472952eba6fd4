from typing import Self

from django.conf import settings
from django.db import models

from pawflow_web.lib.ids import new_ref
from review.limits import COMMENT_MOST
from review.models.choices import ArchiveState
from review.models.item import GovernanceItem


class ArchiveRequestQuerySet(models.QuerySet["ArchiveRequest"]):
    def pending(self) -> Self:
        """What waits for a person's answer."""
        return self.filter(state=ArchiveState.PENDING)

    def pending_of(self, user_id: int | models.OuterRef) -> Self:
        return self.pending().filter(user_id=user_id)


class ArchiveRequest(models.Model):
    """A wish to forget a belief from somebody who may not decide it; a person answers."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    item = models.ForeignKey(GovernanceItem, on_delete=models.PROTECT, related_name="archive_requests")
    principal = models.CharField(max_length=300)
    reason = models.CharField(max_length=COMMENT_MOST, default="", blank=True)
    state = models.CharField(max_length=8, choices=ArchiveState, default=ArchiveState.PENDING)
    at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    objects = ArchiveRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item"], condition=models.Q(state="pending"), name="review_archiverequest_pending"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ArchiveState.values), name="review_archiverequest_state"
            ),
        ]
