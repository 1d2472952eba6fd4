from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class SignInLink(models.Model):
    """A link that signs its owner in once, within a day. Only a hash of its secret is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class SignInFailure(models.Model):
    """One failed sign-in, counted per name and per address so that guessing gets slower. Kept for an hour."""

    key = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["key", "at"], name="identity_signinfailure_recent")]
