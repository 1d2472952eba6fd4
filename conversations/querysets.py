"""What may be read of conversations and projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from pawflow_web.identity.principal import Principal

if TYPE_CHECKING:
    from conversations.models import Conversation, Project  # noqa: F401 - the row types below


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike."""
        return self.filter(user_id=principal.user_id)

    def recent_first(self) -> Self:
        """The order of the list; index ``conversations_recent`` serves it."""
        return self.order_by("-updated_at", "-id")


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike."""
        return self.filter(user_id=principal.user_id)
