"""The small facts of the Overview that each app keeps for itself, in one statement."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from pawflow_web.identity.models import Agent, ApiToken, UserClock
from pawflow_web.identity.principal import PrincipalKind
from pawflow_web.jobs.models import WorkerBeat
from review.models import ArchiveRequest, Batch, GovernanceItem, JournalEntry, Status

# What a person does at the queue, or anywhere else, about whether a belief may be used.
_REVIEWED = ("accept", "reject", "correct", "restore")
# Looking for that further back than this would read all of a long journal, on every page until something is decided.
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Facts:
    """``beliefs`` counts all there ever were, purged ones too; ``newest_change`` is what the index has to reach.
    ``reviewed``, whether the person decided lately, is asked only while setting up is not finished."""

    beliefs: int
    newest_change: int
    agent: str
    agent_seen_at: datetime | None
    some_agent_reads_sensitive: bool
    archive_requests: int
    worker_seen_at: datetime | None
    reviewed: bool


def facts_of(user_id: int, *, setting_up: bool) -> Facts:
    """The facts about one owner; ``worker_seen_at`` is about the installation."""
    seen = ApiToken.objects.filter(user_id=OuterRef("user_id"), agent__isnull=False, last_used_at__isnull=False)
    last = seen.order_by("-last_used_at")
    changed = GovernanceItem.objects.filter(user_id=OuterRef("user_id")).order_by("-changed_seq")
    requests = ArchiveRequest.objects.pending_of(OuterRef("user_id"))
    columns: dict[str, Any] = {
        "newest_change": Coalesce(Subquery(changed.values("changed_seq")[:1]), 0),
        "agent": Coalesce(Subquery(last.values("agent__name")[:1]), Value("")),
        "agent_seen_at": Subquery(last.values("last_used_at")[:1]),
        "some_agent_reads_sensitive": Exists(Agent.objects.filter(user_id=OuterRef("user_id"), reads_sensitive=True)),
        "archive_requests": Coalesce(Subquery(requests.order_by().values("user_id").values_list(Count("pk"))), 0),
        "worker_seen_at": Subquery(WorkerBeat.objects.order_by("-at").values("at")[:1]),
    }
    if setting_up:
        columns["reviewed"] = _reviewed()
    columns["beliefs"] = F("number")
    row: Any = UserClock.objects.filter(user_id=user_id).values(**columns).get()
    return Facts(**{"reviewed": True, **row})


def _reviewed() -> Combinable:
    """Something was rejected or decided in bulk, or any decision stands among the newest entries of the journal."""
    rejected = GovernanceItem.objects.filter(user_id=OuterRef("user_id"), status=Status.REJECTED)
    in_bulk = Batch.objects.filter(user_id=OuterRef("user_id"))
    newest = JournalEntry.objects.filter(user_id=OuterRef(OuterRef("user_id"))).order_by("-seq").values("pk")
    decided = JournalEntry.objects.filter(
        pk__in=newest[:_LOOKED_AT], actor_kind=PrincipalKind.PERSON, verb__in=_REVIEWED
    )
    return Exists(rejected) | Exists(in_bulk) | Exists(decided)
