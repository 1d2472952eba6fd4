"""Groups of entities that are tied to each other more than to the rest (Louvain).

They are found anew after anything of the owner's changed.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graph.facts.hubs import best_connected
from graph.facts.kept import Kept
from graph.models import Entity
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import Row, execute
from review.models import GovernanceItem
from review.querysets import recallable_sql

# Of a larger graph so many facts between the best connected entities: grouping them takes two seconds, and five times
# as many take ten times as long.
FACTS_MOST = 10_000
MEMBERS_MOST = 20
_IN_LABEL = 3
# The same facts give the same groups.
_SEED = 1

_TIES = """
SELECT subject_id, object_id FROM graph_triple JOIN review_governanceitem ON review_governanceitem.id = item_id
WHERE graph_triple.user_id = %(user)s AND live AND NOT is_value AND subject_id <> object_id AND {reads}
LIMIT %(most)s
"""
_TIES_BETWEEN = """
WITH best AS MATERIALIZED (SELECT * FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY AS u (id, place))
SELECT subject_id, object_id FROM best AS s JOIN graph_triple ON live AND subject_id = s.id
JOIN best AS o ON o.id = object_id JOIN review_governanceitem ON review_governanceitem.id = item_id
WHERE subject_id <> object_id AND {reads}
ORDER BY greatest(s.place, o.place), item_id DESC LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class Community:
    """``members``: names of the best connected ones, ``central`` the first of them."""

    label: str
    size: int
    central: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Communities:
    """The largest first. ``complete`` is false where the graph was too large to look at all of it."""

    found: tuple[Community, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class _Group:
    size: int
    members: tuple[int, ...]


def communities(*, principal: Principal, limit: int) -> Communities:
    """Groups of at least two entities, over the facts that the caller may read and that hold now."""
    all_groups, complete = _groups.of(principal)
    groups = all_groups[:limit]
    wanted = [pk for group in groups for pk in group.members]
    names = dict(Entity.objects.filter(pk__in=wanted).values_list("pk", "name"))
    shown = [(group.size, tuple(names[pk] for pk in group.members if pk in names)) for group in groups]
    return Communities(
        tuple(Community(", ".join(called[:_IN_LABEL]), size, called[0], called) for size, called in shown if called),
        complete,
    )


def ties(principal: Principal, item: GovernanceItem) -> bool:
    """Whether a fact is among what :func:`communities` are made of for this caller."""
    reads, values = recallable_sql(principal)
    statement = _TIES.format(reads=f"{reads} AND item_id = %(item)s")
    return bool(execute(statement, {"user": principal.user_id, "item": item.pk, "most": 1, **values}))


def _ties(principal: Principal) -> tuple[list[Row], bool]:
    """Both ends of each fact that ties two entities, and whether these are all."""
    reads, values = recallable_sql(principal)
    asked = {"user": principal.user_id, **values}
    ties = execute(_TIES.format(reads=reads), {**asked, "most": FACTS_MOST + 1})
    if len(ties) <= FACTS_MOST:
        return ties, True
    entities = [pk for pk, _ in best_connected(principal)]
    between = {**values, "entities": entities, "most": FACTS_MOST}
    return execute(_TIES_BETWEEN.format(reads=reads), between), False


def _find(principal: Principal) -> tuple[list[_Group], bool]:
    ties, complete = _ties(principal)
    return _grouped(ties), complete


def _grouped(ties: Sequence[Row]) -> list[_Group]:
    """The largest group first; in each the members with the most ties."""
    import networkx  # noqa: PLC0415 - half a second that no start of a process should pay

    degrees = Counter(end for tie in ties for end in tie)
    weights = Counter((min(tie), max(tie)) for tie in ties)
    graph = networkx.Graph()
    graph.add_nodes_from(sorted(degrees))
    graph.add_weighted_edges_from((first, last, weight) for (first, last), weight in sorted(weights.items()))
    found = networkx.community.louvain_communities(graph, seed=_SEED)
    ordered = [sorted(members, key=lambda pk: (-degrees[pk], pk)) for members in found]
    ordered.sort(key=lambda members: (-len(members), members[0]))
    return [_Group(len(members), tuple(members[:MEMBERS_MOST])) for members in ordered]


_groups = Kept(_find)
