from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from conversations.querysets import ProjectQuerySet


class Project(models.Model):
    """A label that an owner files conversations under, optionally with the root of its files."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="projects")
    slug = models.CharField(max_length=80)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2000, default="", blank=True)
    # an absolute directory; '' means none
    root = models.CharField(max_length=1000, default="", blank=True)
    archived = models.BooleanField(default=False)
    # name or description holds what the scanner would not put into a prompt
    flagged = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "slug"], name="conversations_project_slug"),
            models.CheckConstraint(
                condition=models.Q(slug__regex=r"^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$"),
                name="conversations_project_slug_shape",
            ),
        ]

    def __str__(self) -> str:
        return self.name
