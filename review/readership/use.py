"""What agents were really shown: recorded by whoever answers them, written after the answer has gone.

An answer waits for no write. Its process keeps what it showed in memory and writes it once a second, so a process
that is killed loses at most the last second. Persons are not counted: looking at a belief is not using it.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from django.conf import settings
from django.db.models import Count, Max

from pawflow_web.identity.principal import Principal, PrincipalKind
from pawflow_web.lib.db import StatementNow
from review.models import GovernanceItem, Status, UseEvent
from review.querysets import unused_for
from review.readers import readers
from review.readership.pending_uses import Pending, Shown
from review.search.find import load_for_display

# Long enough to ask what an agent was told last quarter; the sums in ``ItemUse`` stay for ever.
EVENTS_KEPT = timedelta(days=90)
# What is in use and was shown to no agent for so long may be of no use any more.
UNUSED_DAYS = 90

# Only a serving process answers agents; elsewhere whoever wants them written calls ``flush``.
_pending = Pending(by_itself=settings.ENV.process == "web")


class Row(Protocol):
    """A belief, or what was read of one."""

    @property
    def pk(self) -> int: ...


def record(principal: Principal, reader: str, items: Sequence[Row]) -> None:
    """Note that an answer showed these beliefs, best first, to an agent. Writes nothing now and waits for nothing.

    Args:
        reader: the registered reader whose answer it was; LookupError for any other name.
    """
    if readers.find(reader) is None:
        raise LookupError(f"No reader is called {reader!r}; a readers.py of an app must register it.")
    if principal.kind is not PrincipalKind.AGENT or not items:
        return
    _pending.add(
        Shown(
            user_id=principal.user_id,
            item_id=item.pk,
            agent_id=principal.agent_id,
            principal=f"{principal.kind}:{principal.name}",
            conversation_id=principal.conversation_id,
            reader=reader,
            rank=rank,
            at=time.monotonic(),
        )
        for rank, item in enumerate(items, start=1)
    )


def flush() -> int:
    """Write what is pending now, on this thread's connection. Returns how many events were written.

    Raises :class:`django.db.DatabaseError`, and keeps what was pending.
    """
    return _pending.flush()


def never_used(principal: Principal, days: int) -> int:
    """How many beliefs in use are at least ``days`` days old and were shown to no agent in that time."""
    return GovernanceItem.objects.visible_to(principal).filter(unused_for(days), status=Status.ACTIVE).count()


@dataclass(frozen=True, slots=True)
class Used:
    """A belief, how often it was shown to agents in the time asked for, and when last."""

    item: GovernanceItem
    count: int
    last_at: datetime


def most_used(principal: Principal, days: int, limit: int) -> list[Used]:
    """What agents were shown most in the last ``days`` days (at most as long as events are kept), most first.

    The items are as ``for_display`` gives them.
    """
    since = StatementNow() - timedelta(days=days)
    rows = list(
        UseEvent.objects.filter(user_id=principal.user_id, at__gte=since)
        .filter(item__in=GovernanceItem.objects.visible_to(principal))
        .values_list("item_id")
        .annotate(times=Count("pk"), last=Max("at"))
        .order_by("-times", "-last", "-item_id")[:limit]
    )
    items = load_for_display([pk for pk, _, _ in rows])
    return [Used(items[pk], times, last) for pk, times, last in rows if pk in items]
