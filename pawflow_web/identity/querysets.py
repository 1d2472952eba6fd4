"""What may be read of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models

if TYPE_CHECKING:
    from pawflow_web.identity.models import ApiToken  # noqa: F401 - the row type below

# The order of the list; index ``identity_apitoken_list`` serves it.
NEWEST_FIRST = ("-created_at", "-id")


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def of_owner(self, user_id: int) -> Self:
        """All of an owner, revoked ones included, each with its agent."""
        return self.filter(user_id=user_id).select_related("agent")
