from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pawflow_web.identity.models.agent import Agent


class AgentBeliefs(models.TextChoices):
    """What becomes of the beliefs that only the agent could read."""

    REVIEW = "review"
    PURGE = "purge"


class Erasure(models.Model):
    """An agent, or where none is named the owner, of which something is left to be erased.

    Made when it begins, so that an interrupted one goes on; gone with the last of what it erases.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, related_name="erasures")
    beliefs = models.CharField(max_length=8, choices=AgentBeliefs, default=AgentBeliefs.PURGE)
    asked_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "agent"], nulls_distinct=False, name="identity_erasure_once"),
            models.CheckConstraint(
                condition=models.Q(beliefs__in=AgentBeliefs.values), name="identity_erasure_beliefs"
            ),
        ]

    def __str__(self) -> str:
        return f"erasure of {self.agent or self.user}"
