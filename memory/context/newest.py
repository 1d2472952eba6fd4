"""The newest readable beliefs of each tier, whoever asks and however many there are, in one statement."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models.expressions import RawSQL
from django.db.models.functions import Length

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.models import GovernanceItem
from review.querysets import ItemQuerySet, scopes_of

# A person pins a handful; more of them than this are no longer what stands above everything else.
PINNED_MOST = 50

_COLUMNS = ("pk", "ref", "number", "revision", "tier", "text", "pinned", "recorded_at", "last_seen_at")


@dataclass(frozen=True, slots=True)
class Row:
    """A belief as far as a line of a context needs it."""

    id: int
    ref: str
    number: int
    revision: int
    tier: str
    text: str
    pinned: bool
    recorded_at: datetime
    last_seen_at: datetime

    @property
    def words(self) -> str:
        """On one line: a line of a context is a belief, so no belief may begin another line."""
        return " ".join(self.text.split())


# One short index scan for each tier and place, as `review_item_digest` and `review_item_place` are sorted.
_STATEMENT = """
SELECT newest.* FROM unnest(%s::text[], %s::int[]) AS tiers (tier, most)
CROSS JOIN unnest(%s::text[], %s::bigint[], %s::bigint[]) AS places (scope, agent, conversation)
CROSS JOIN LATERAL ({each} LIMIT tiers.most) AS newest
UNION ALL ({pinned})
"""


def newest_of_each(
    principal: Principal, tiers: Mapping[str, int], *, longest: int, at: datetime | None = None
) -> list[Row]:
    """What is pinned, and then the newest, without repeats.

    Args:
        tiers: how many of each at most, in each scope that the principal reads.
        longest: in characters; what is pinned may be of any length.
        at: what could be read at that moment, as it was known then.
    """
    # What has no tier is in neither index, and a planner must be told so to use them.
    readable = GovernanceItem.objects.recallable(principal, at=at, known_at=at).exclude(tier="")
    newest_first = readable.order_by("-recorded_at", "-pk")
    each = _in_place(
        principal,
        newest_first.alias(length=Length("text")).filter(
            tier=_column("tiers.tier"), scope=_column("places.scope"), length__lte=longest
        ),
    )
    pinned = newest_first.filter(pinned=True, tier__in=list(tiers))
    each_sql, each_params = each.values_list(*_COLUMNS).query.sql_with_params()
    pinned_sql, pinned_params = pinned[:PINNED_MOST].values_list(*_COLUMNS).query.sql_with_params()
    statement = _STATEMENT.format(each=each_sql, pinned=pinned_sql)
    found = execute(statement, [list(tiers), list(tiers.values()), *_places(principal), *each_params, *pinned_params])
    rows = {row[0]: Row(*row) for row in found}
    return sorted(rows.values(), key=lambda row: (row.pinned, row.recorded_at, row.id), reverse=True)


def read_rows(items: ItemQuerySet) -> list[Row]:
    """These beliefs in their order."""
    return [Row(*row) for row in items.values_list(*_COLUMNS)]


def _places(principal: Principal) -> list[list[Any]]:
    """Scopes with the ids that a row there names, as columns; 0 where it names none."""
    scopes = scopes_of(principal)
    return [
        list(scopes),
        [named.get("agent", 0) for named in scopes.values()],
        [named.get("conversation", 0) for named in scopes.values()],
    ]


def _in_place(principal: Principal, items: ItemQuerySet) -> ItemQuerySet:
    """For an agent, in the words of its index: else every row of other agents would be read to find none of its own.
    A person reads them all."""
    if principal.is_person:
        return items
    return items.alias(agent_key=_key("scope_agent_id"), conversation_key=_key("scope_conversation_id")).filter(
        agent_key=_column("places.agent"), conversation_key=_column("places.conversation")
    )


def _key(column: str) -> RawSQL:
    return RawSQL(f"COALESCE(review_governanceitem.{column}, 0)", ())  # noqa: S611 - names of columns


def _column(name: str) -> RawSQL:
    return RawSQL(name, ())  # noqa: S611 - names of columns
