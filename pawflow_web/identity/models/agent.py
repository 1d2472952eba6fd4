from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from pawflow_web.identity.names import NAME_PATTERN
from pawflow_web.identity.querysets import AgentQuerySet


class Profile(models.TextChoices):
    """How much of the memory an agent works with."""

    # everything that it may see
    ASSISTANT = "assistant"
    # the same, and what it writes waits for a person
    DEMO = "demo"
    # stores and searches; no block of its context holds stored words
    SECURE = "secure"


class MemoryRender(models.TextChoices):
    """Which form of the stored beliefs its context opens with."""

    DIGEST = "digest"
    SCOPED = "scoped"


class Agent(models.Model):
    """A program that speaks for an owner. Its name is unique per owner and appears in every journal line."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agents")
    name = models.CharField(max_length=64)
    profile = models.CharField(max_length=16, choices=Profile, default=Profile.ASSISTANT)
    memory_render = models.CharField(max_length=16, choices=MemoryRender, default=MemoryRender.DIGEST)
    # its owner lets it read what is personal
    reads_sensitive = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    objects = AgentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="identity_agent_name"),
            models.CheckConstraint(
                condition=models.Q(name__regex=rf"^{NAME_PATTERN}$"), name="identity_agent_name_shape"
            ),
            models.CheckConstraint(condition=models.Q(profile__in=Profile.values), name="identity_agent_profile"),
            models.CheckConstraint(
                condition=models.Q(memory_render__in=MemoryRender.values), name="identity_agent_memory_render"
            ),
        ]

    def __str__(self) -> str:
        return self.name
