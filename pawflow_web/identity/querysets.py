"""What may be read of agents and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models
from django.db.models import Count, Max, Q

from pawflow_web.lib.db import StatementNow

if TYPE_CHECKING:
    from pawflow_web.identity.models import Agent, ApiToken  # noqa: F401 - the row types below

# The order of the list; index ``identity_apitoken_list`` serves it.
NEWEST_FIRST = ("-created_at", "-id")


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def of_owner(self, user_id: int) -> Self:
        """All of an owner, revoked ones included, each with its agent."""
        return self.filter(user_id=user_id).select_related("agent")

    def open(self) -> Self:
        """Those that open something now."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=StatementNow()), revoked_at=None)


class AgentQuerySet(models.QuerySet["Agent"]):
    def of_owner(self, user_id: int) -> Self:
        """All of an owner, by name."""
        return self.filter(user_id=user_id).order_by("name")

    def with_tokens(self) -> Self:
        """With ``seen_at``, when one of its tokens was last used, and of those that still open something the number,
        ``open_tokens``, and the ``origins`` (None: unknown). ``leaving``: it is being erased."""
        lasting = Q(tokens__expires_at=None) | Q(tokens__expires_at__gt=StatementNow())
        is_open = Q(tokens__isnull=False, tokens__revoked_at=None) & lasting
        return self.annotate(
            seen_at=Max("tokens__last_used_at"),
            open_tokens=Count("tokens", filter=is_open, distinct=True),
            origins=ArrayAgg("tokens__origin", filter=is_open, distinct=True, default=[]),
            leaving=Count("erasures", distinct=True),
        )
