"""The readers of facts, each asked the way an agent asks it."""

from collections.abc import Iterable

from graph.facts.communities import ties
from graph.facts.hubs import connects
from graph.facts.paths import way_between
from graph.facts.reading import about, timeline, values_of
from graph.facts.walking import walk
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem, KindName
from review.readers import reader

FACTS = (KindName.FACT.value,)


@reader("kg_query", title="Facts about an entity", surfaces=("kg_query",), kinds=FACTS)
def _in_query(principal: Principal, item: GovernanceItem) -> bool:
    return _holds(about(principal=principal, name=item.triple.subject_name, limit=1, only=item.pk).page.rows, item)


@reader("kg_timeline", title="Timeline of facts", surfaces=("kg_timeline",), kinds=FACTS)
def _in_timeline(principal: Principal, item: GovernanceItem) -> bool:
    return _holds(timeline(principal=principal, name=None, limit=1, only=item.pk).rows, item)


@reader("kg_conflicts", title="Values named by kg_add", surfaces=("kg_add", "kg_invalidate"), kinds=FACTS)
def _in_conflicts(principal: Principal, item: GovernanceItem) -> bool:
    row = item.triple
    another = {"subject_name": row.subject_name, "predicate": row.predicate, "object_name": ""}
    return _holds(values_of(principal, another, limit=100), item)


@reader("query_graph", title="Walk along the graph", surfaces=("query_graph",), kinds=FACTS)
def _in_walk(principal: Principal, item: GovernanceItem) -> bool:
    trail = walk(principal=principal, question=item.triple.subject_name, depth=1, max_results=1, only=item.pk)
    return any(met.pk == item.pk for met, _ in trail.edges)


@reader("kg_path", title="Way between two entities", surfaces=("kg_path",), kinds=FACTS)
def _in_way(principal: Principal, item: GovernanceItem) -> bool:
    row = item.triple
    way = way_between(principal=principal, start=row.subject_name, end=row.object_name, max_hops=1, only=item.pk)
    return _holds(way.path, item)


@reader("kg_god_nodes", title="Most connected entities", surfaces=("kg_god_nodes",), kinds=FACTS)
def _in_hubs(principal: Principal, item: GovernanceItem) -> bool:
    return connects(principal, item)


@reader("kg_communities", title="Communities of entities", surfaces=("kg_communities",), kinds=FACTS)
def _in_communities(principal: Principal, item: GovernanceItem) -> bool:
    return ties(principal, item)


def _holds(rows: Iterable[GovernanceItem], item: GovernanceItem) -> bool:
    return any(row.pk == item.pk for row in rows)
