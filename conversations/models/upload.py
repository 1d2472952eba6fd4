from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pawflow_web.lib.ids import new_ref

if TYPE_CHECKING:
    from pawflow_web.identity.principal import Principal


class SessionUploadQuerySet(models.QuerySet["SessionUpload"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's."""
        return self.filter(user_id=principal.user_id)


class SessionUpload(models.Model):
    """A session file that is being sent in pieces, which any node may take."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # bytes that are here
    size = models.BigIntegerField(default=0)
    # it is being taken in: no more comes to it
    sealed = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    objects = SessionUploadQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="conversations_upload_age")]

    def __str__(self) -> str:
        return self.ref


class UploadPiece(models.Model):
    """A piece of an upload, as it came."""

    upload = models.ForeignKey(SessionUpload, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    start = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "start"], name="conversations_upload_piece")]

    def __str__(self) -> str:
        return f"{self.upload_id}@{self.start}"
