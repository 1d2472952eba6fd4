from django.conf import settings
from django.db import models


class IdempotentReply(models.Model):
    """The reply that a write with an ``Idempotency-Key`` got, kept for a day so that a retry gets it again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # the token's ref, or "session" for the person's browser
    caller = models.CharField(max_length=16)
    key = models.CharField(max_length=200)
    body_digest = models.CharField(max_length=64)
    status = models.SmallIntegerField(default=0)
    body = models.TextField(default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "caller", "key"], name="identity_idempotentreply_key"),
        ]
        indexes = [models.Index(fields=["at"], name="identity_idempotentreply_age")]
