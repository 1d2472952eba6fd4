from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from conversations.models.project import Project
from conversations.querysets import ConversationQuerySet
from pawflow_web.lib.ids import new_ref


class Conversation(models.Model):
    """One thread of talk between a person and agents. Scopes of beliefs hang on it."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="conversations")
    # the client's own name for it; '' when it gave none
    external_id = models.CharField(max_length=200, default="", blank=True)
    title = models.CharField(max_length=300, default="", blank=True)
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, null=True, related_name="conversations", db_index=False
    )
    source = models.CharField(max_length=40, default="api")
    encrypted = models.BooleanField(default=False)
    temporary = models.BooleanField(default=False)
    # the title holds what the scanner would not put into a prompt
    flagged = models.BooleanField(default=False)
    # how many were told
    turns = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    objects = ConversationQuerySet.as_manager()

    class Meta:
        constraints = [
            # What makes creating with the same external id idempotent.
            models.UniqueConstraint(
                fields=["user", "external_id"],
                condition=~models.Q(external_id=""),
                name="conversations_conversation_external",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-updated_at", "-id"], name="conversations_recent"),
            models.Index(fields=["project"], name="conversations_by_project"),
        ]

    def __str__(self) -> str:
        return self.title or self.ref
