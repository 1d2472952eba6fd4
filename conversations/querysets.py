"""What may be read of conversations and projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

from pawflow_web.identity.principal import Principal

if TYPE_CHECKING:
    from conversations.models import Conversation, Project  # noqa: F401 - the row types below


# The order of the list; index ``conversations_recent`` serves it.
RECENT_FIRST = ("-updated_at", "-id")


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike."""
        return self.filter(user_id=principal.user_id)

    def in_project(self, slug: str | None) -> Self:
        """Those filed under the project of that slug; None keeps all."""
        return self.filter(project__slug=slug) if slug else self


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike."""
        return self.filter(user_id=principal.user_id)
