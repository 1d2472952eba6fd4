from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pawflow_web.identity.names import NAME_PATTERN


class Agent(models.Model):
    """A program that speaks for an owner. Its name is unique per owner and appears in every journal line."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agents")
    name = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="identity_agent_name"),
            models.CheckConstraint(
                condition=models.Q(name__regex=rf"^{NAME_PATTERN}$"), name="identity_agent_name_shape"
            ),
        ]

    def __str__(self) -> str:
        return self.name
