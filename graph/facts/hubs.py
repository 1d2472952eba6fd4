"""The entities that most facts name."""

from dataclasses import dataclass
from typing import Any

from graph.facts.kept import Kept
from graph.models import Entity
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.models import GovernanceItem
from review.querysets import recallable_sql

# So many are found at once, and kept.
HUBS_MOST = 1000

# Facts in use that stand in no degree: what is for some readers only, or not for good. Those that are over are passed
# by without a look at their items; the items of the others are read one by one by their ids, which OFFSET 0 says.
_ELSEWHERE = """
SELECT t.subject_id, t.object_id FROM graph_triple AS t CROSS JOIN LATERAL (
  SELECT * FROM review_governanceitem WHERE id = t.item_id OFFSET 0
) AS review_governanceitem
WHERE t.user_id = %(user)s AND t.live AND NOT t.counted AND NOT t.is_value
  AND coalesce(upper(t.valid), 'infinity') > statement_timestamp() AND {reads}
"""
# Of the entities without such facts the best by degree are enough: nothing is added to the others.
_HUBS = f"""
WITH added AS MATERIALIZED (
  SELECT entity, count(*) AS number FROM ({_ELSEWHERE}) AS t CROSS JOIN LATERAL (VALUES (subject_id), (object_id))
    AS ends (entity) GROUP BY entity
)
(SELECT id, name, degree::bigint AS connections FROM graph_entity AS e
 WHERE user_id = %(user)s AND degree > 0 AND id NOT IN (SELECT entity FROM added)
 ORDER BY degree DESC, name LIMIT %(limit)s)
UNION ALL
(SELECT e.id, e.name, e.degree + a.number FROM added AS a JOIN graph_entity AS e ON e.id = a.entity)
ORDER BY connections DESC, name LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Hub:
    """An entity, and at how many ends of facts it stands: one between it and itself counts twice."""

    entity: str
    connections: int


def hubs(*, principal: Principal, limit: int) -> list[Hub]:
    """The most connected entities, at most :data:`HUBS_MOST`, over the facts that the caller may read and that hold
    now; values of a fact connect nothing. Of equals the first by name."""
    found = best_connected(principal)[:limit]
    names = dict(Entity.objects.filter(pk__in=[pk for pk, _ in found]).values_list("pk", "name"))
    return [Hub(names[pk], connections) for pk, connections in found if pk in names]


def shared_hubs(principal: Principal, *, limit: int) -> list[Hub]:
    """The same over the facts that hold for every reader alone: what stands in the degrees, read along an index."""
    rows = Entity.objects.filter(user_id=principal.user_id, degree__gt=0).order_by("-degree", "id")[:limit]
    return [Hub(name, degree) for name, degree in rows.values_list("name", "degree")]


def best_connected(principal: Principal) -> list[tuple[int, int]]:
    """The same as row ids and connections, as many as are kept."""
    return _best.of(principal)


def connects(principal: Principal, item: GovernanceItem) -> bool:
    """Whether a fact is among what :func:`hubs` counts for this caller."""
    reads, values = recallable_sql(principal)
    wanted: dict[str, Any] = {"user": principal.user_id, "item": item.pk, **values}
    counted = "SELECT FROM graph_triple WHERE item_id = %(item)s AND user_id = %(user)s AND counted"
    elsewhere = f"{_ELSEWHERE.format(reads=reads)} AND t.item_id = %(item)s"
    return bool(execute(f"SELECT EXISTS ({counted}) OR EXISTS ({elsewhere})", wanted)[0][0])


def _find(principal: Principal) -> list[tuple[int, int]]:
    reads, values = recallable_sql(principal)
    rows = execute(_HUBS.format(reads=reads), {"user": principal.user_id, "limit": HUBS_MOST, **values})
    return [(pk, connections) for pk, _, connections in rows]


_best = Kept(_find)
