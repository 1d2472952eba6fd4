"""The two doors through which beliefs are read.

``visible_to`` is owner and scope: a row behind it does not exist for the principal. ``recallable`` is visible
and fit for a prompt. Nothing reads items past these two except decisions of their owner. Each rule is one
condition, so that a search can ask it as a column of the same statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self

from django.apps import apps
from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow
from review.kinds import kinds
from review.models.choices import GRAVE, READABLE, Reason, Scope, Status

if TYPE_CHECKING:
    from review.models import ArchiveRequest, Believed, Evidence, GovernanceItem

Named = Literal["agent", "conversation"]
# From the first instant of an act to its last one, a microsecond an entry, with much room.
LONGEST_ACT = timedelta(seconds=1)


# Narrow before wide, and whom a row of that scope names. Order, SQL and index all follow from this table.
SCOPES: dict[str, tuple[Named, ...]] = {
    Scope.PRIVATE: ("agent", "conversation"),
    Scope.CONVERSATION: ("conversation",),
    Scope.AGENT: ("agent",),
    Scope.GLOBAL: (),
}


def scopes_of(principal: Principal) -> dict[str, dict[Named, int]]:
    """In which scopes there can be anything for this principal, narrow ones first, and the ids that a row there
    must name. A person reads what names anybody; an agent what names itself, its conversation, or both."""
    if principal.is_person:
        return {scope: {} for scope in SCOPES}
    known = {"agent": principal.agent_id, "conversation": principal.conversation_id}
    own = {name: pk for name, pk in known.items() if pk is not None}
    return {
        scope: {name: own[name] for name in names}
        for scope, names in SCOPES.items()
        if all(name in own for name in names)
    }


_CONTESTED = Q(contradicts__isnull=False) & ~Q(reason__in=GRAVE)
_FIRST_REASON = Case(
    When(_CONTESTED, then=Value(Reason.CONTRADICTS_ACTIVE)), default=F("reason"), output_field=CharField()
)


def first_reason(reason: str, *, contradicts: bool) -> str:
    """What a person has to look at first: the stored reason, or that it contradicts something."""
    return Reason.CONTRADICTS_ACTIVE if contradicts and reason not in GRAVE else reason


def has_first_reason(reasons: Sequence[str]) -> Q:
    """:func:`first_reason` as a condition."""
    others = ~_CONTESTED & Q(reason__in=reasons)
    return others | _CONTESTED if Reason.CONTRADICTS_ACTIVE in reasons else others


def visible(principal: Principal) -> Q:
    """Owner and scope."""
    owner = Q(user_id=principal.user_id)
    if principal.is_person:
        return owner
    matrix = Q()
    for scope, named in scopes_of(principal).items():
        matrix |= Q(scope=scope, **{f"scope_{name}_id": pk for name, pk in named.items()})
    return owner & matrix


def filed_under(user_id: int, slug: str) -> Q:
    """What belongs to the project of that slug: its conversation's, which is the one that alone reads it, else the
    one in which it was first said."""
    evidence: type[Evidence] = apps.get_model("review", "Evidence")
    first = evidence.objects.filter(item_id=OuterRef("item_id")).order_by("pk").values("pk")[:1]
    said = evidence.objects.filter(
        item_id=OuterRef("pk"), user_id=user_id, conversation__project__slug=slug, pk=Subquery(first)
    )
    return Q(scope_conversation__project__slug=slug) | Q(scope_conversation=None) & Q(Exists(said))


def readable_privacy(principal: Principal) -> tuple[str, ...]:
    """Secret words never reach a prompt; sensitive ones only where the owner allowed that agent."""
    return ("normal", "sensitive") if principal.is_person or principal.reads_sensitive else ("normal",)


def recallable(principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None) -> Q:
    """What may reach a prompt of this principal.

    Args:
        at: the moment of world time asked for, default now.
        known_at: as it was known here at that moment; permission, privacy, status and expiry are today's.
    """
    moment = StatementNow() if at is None else at
    return _fit(principal) & (Q(valid__contains=moment) if known_at is None else was_readable(at=at, known_at=known_at))


def _fit(principal: Principal) -> Q:
    """Permission, privacy, status and expiry, which are always today's."""
    return (
        visible(principal)
        & Q(status__in=READABLE, privacy__in=readable_privacy(principal))
        & (Q(expires_at__isnull=True) | Q(expires_at__gt=StatementNow()))
    )


def ever_recallable(principal: Principal, *, known_at: datetime | None = None) -> Q:
    """:func:`recallable` whenever it held in the world: what lists of the past show."""
    fit = _fit(principal) & Q(valid__isempty=False)
    return fit if known_at is None else _fit(principal) & was_readable(at=None, known_at=known_at, ever=True)


def recallable_sql(
    principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None
) -> tuple[str, dict[str, Any]]:
    """:func:`recallable` as a condition on the table ``review_governanceitem``, for statements that Django cannot
    write: its text, and its parameters by the names that stand in it, which begin with ``read_``."""
    items: type[GovernanceItem] = apps.get_model("review", "GovernanceItem")
    query = items.objects.filter(recallable(principal, at=at, known_at=known_at)).query
    text, values = query.get_compiler(using="default").compile(query.where)
    named = {f"read_{number}": value for number, value in enumerate(values)}
    return text % tuple(f"%({name})s" for name in named), named


def unused_for(days: int) -> Q:
    """At least ``days`` days old, and shown to no agent in that time."""
    since = StatementNow() - timedelta(days=days)
    return Q(recorded_at__lt=since) & (Q(use__isnull=True) | Q(use__last_at__lt=since))


def was_readable(*, at: datetime | None, known_at: datetime, ever: bool = False) -> Q:
    """What could be read here at ``known_at`` and held in the world at ``at`` (default now), whatever became of it
    since; with ``ever`` whenever it held."""
    believed: type[Believed] = apps.get_model("review", "Believed")
    moment = StatementNow() if at is None else at
    then = believed.objects.filter(item_id=OuterRef("pk"), known__contains=known_at)
    then = then.filter(valid__isempty=False) if ever else then.filter(valid__contains=moment)
    # Nothing is known before it is recorded. Said as well, a list of the newest begins at that day instead of passing
    # over everything that came since; all of one act is known from its first instant on.
    return Q(recorded_at__lt=known_at + LONGEST_ACT) & Q(Exists(then))


class ItemQuerySet(QuerySet["GovernanceItem"]):
    def owned_by(self, user_id: int) -> Self:
        return self.filter(user_id=user_id)

    def visible_to(self, principal: Principal) -> Self:
        """See :func:`visible`."""
        return self.filter(visible(principal))

    def recallable(self, principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None) -> Self:
        """See :func:`recallable`."""
        return self.filter(recallable(principal, at=at, known_at=known_at))

    def ever_recallable(self, principal: Principal, *, known_at: datetime | None = None) -> Self:
        """See :func:`ever_recallable`."""
        return self.filter(ever_recallable(principal, known_at=known_at))

    def open_to(self, principal: Principal) -> Self:
        """What this caller may read by a route of its own: a person what they see, an agent what it may recall."""
        return self.visible_to(principal) if principal.is_person else self.recallable(principal)

    def waiting(self) -> Self:
        """What waits for a person."""
        return self.filter(status=Status.NEEDS_REVIEW)

    def numbers(self) -> dict[tuple[str, str], int]:
        """How many there are of each status and :func:`first_reason`."""
        rows = self.order_by().values_list("status", _FIRST_REASON).annotate(number=Count("pk"))
        return {(status, reason): number for status, reason, number in rows}

    def for_display(self) -> Self:
        """Everything that showing an item needs, in this one query."""
        requests: type[ArchiveRequest] = apps.get_model("review", "ArchiveRequest")
        newest = self.model.objects.filter(supersedes_id=OuterRef("pk")).order_by("-id")
        pending = requests.objects.filter(item_id=OuterRef("pk"), state="pending")
        related = [kind.relation for kind in kinds.all()]
        return self.select_related("scope_agent", "scope_conversation__project", *related).annotate(
            contradicts_ref=F("contradicts__ref"),
            supersedes_ref=F("supersedes__ref"),
            superseded_by_ref=Subquery(newest.values("ref")[:1]),
            archive_pending=Exists(pending),
            use_count=Coalesce(F("use__count"), 0),
            last_used_at=F("use__last_at"),
        )

    def locked(self) -> Self:
        """For a change under the owner's clock: the rows in id order, with what a snapshot needs."""
        related: list[Any] = [kind.relation for kind in kinds.all()]
        return (
            self.select_related("scope_agent", "scope_conversation", "contradicts", "supersedes", *related)
            .select_for_update(of=("self",))
            .order_by("pk")
        )
