"""The two doors through which beliefs are read.

``visible_to`` is owner and scope: a row behind it does not exist for the principal. ``recallable`` is visible
and fit for a prompt. Nothing reads items past these two except decisions of their owner. Each rule is one
condition, so that a search can ask it as a column of the same statement.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow

if TYPE_CHECKING:
    from review.models import GovernanceItem  # noqa: F401 - named in quotes below

READABLE = ("active", "superseded")


def visible(principal: Principal) -> Q:
    """Owner and scope. A person sees all of theirs; an agent sees global ones and those that name it, its
    conversation, or both."""
    owner = Q(user_id=principal.user_id)
    if principal.is_person:
        return owner
    matrix = Q(scope="global")
    agent, conversation = principal.agent_id, principal.conversation_id
    if agent is not None:
        matrix |= Q(scope="agent", scope_agent_id=agent)
    if conversation is not None:
        matrix |= Q(scope="conversation", scope_conversation_id=conversation)
    if agent is not None and conversation is not None:
        matrix |= Q(scope="private", scope_agent_id=agent, scope_conversation_id=conversation)
    return owner & matrix


def readable_privacy(principal: Principal) -> tuple[str, ...]:
    """Secret words never reach a prompt; sensitive ones only their owner's own."""
    return ("normal", "sensitive") if principal.is_person else ("normal",)


def recallable(principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None) -> Q:
    """What may reach a prompt of this principal.

    Args:
        at: the moment of world time asked for, default now.
        known_at: as it was known here at that moment; permission, privacy, status and expiry are today's.
    """
    moment = StatementNow() if at is None else at
    fit = (
        visible(principal)
        & Q(status__in=READABLE, privacy__in=readable_privacy(principal))
        & (Q(expires_at__isnull=True) | Q(expires_at__gt=StatementNow()))
    )
    if known_at is None:
        return fit & Q(valid__contains=moment)
    from review.models import Believed  # noqa: PLC0415 - models import this module

    then = Believed.objects.filter(item_id=OuterRef("pk"), known__contains=known_at, valid__contains=moment)
    return fit & Q(Exists(then))


class ItemQuerySet(QuerySet["GovernanceItem"]):
    def owned_by(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)

    def visible_to(self, principal: Principal) -> Self:
        """See :func:`visible`."""
        return self.filter(visible(principal))

    def recallable(self, principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None) -> Self:
        """See :func:`recallable`."""
        return self.filter(recallable(principal, at=at, known_at=known_at))

    def for_display(self) -> Self:
        """Everything that showing an item needs, in this one query."""
        from review.kinds import kinds  # noqa: PLC0415 - models import this module
        from review.models import ArchiveRequest  # noqa: PLC0415

        newest = self.model.objects.filter(supersedes_id=OuterRef("pk")).order_by("-id")
        pending = ArchiveRequest.objects.filter(item_id=OuterRef("pk"), state="pending")
        related = [kind.relation for kind in kinds.all()]
        return self.select_related("scope_agent", "scope_conversation__project", *related).annotate(
            contradicts_ref=F("contradicts__ref"),
            supersedes_ref=F("supersedes__ref"),
            superseded_by_ref=Subquery(newest.values("ref")[:1]),
            archive_pending=Exists(pending),
        )

    def locked(self) -> Self:
        """For a change under the owner's clock: the rows in id order, with what a snapshot needs."""
        from review.kinds import kinds  # noqa: PLC0415 - models import this module

        related: list[Any] = [kind.relation for kind in kinds.all()]
        return (
            self.select_related("scope_agent", "scope_conversation", "contradicts", "supersedes", *related)
            .select_for_update(of=("self",))
            .order_by("pk")
        )
