"""What stands near to what in the knowledge graph, and who stands in its middle."""

from typing import Annotated

from pydantic import BaseModel, Field

from graph import display
from graph.facts import paths
from graph.facts.communities import communities
from graph.facts.hubs import hubs
from graph.facts.parts import label_of
from graph.facts.paths import way_between
from graph.facts.seeds import Match
from graph.facts.shape import TripleOut, triples_of
from graph.facts.steps import Fact
from graph.facts.walking import DEPTH_MOST, Mode, walk
from graph.tools.fields import Name, When
from pawflow_web.identity.call import Call
from pawflow_web.lib.periods import last_instant
from pawflow_web.lib.tool_fields import HowMany
from pawflow_web.lib.tools import Effect, Result, tool
from review.readership import use

COMPLETE = Field(description="false: there is more than was looked at")


class EdgeOut(BaseModel):
    ref: str
    subject: str
    predicate: str
    object: str
    confidence_label: str = Field(description="EXTRACTED, INFERRED or AMBIGUOUS")
    hop: int = Field(description="how many facts away from where the walk began, from 1")


class SeedOut(BaseModel):
    entity: str
    match: Match = Field(description="how it was found: its whole name, how it begins, a word of it, or by meaning")


class GraphResult(Result):
    edges: list[EdgeOut]
    seeds: list[SeedOut] = Field(description="the entities that the walk began at")
    complete: bool = COMPLETE


@tool("query_graph", family="kg", effect=Effect.READ, slash="kg graph")
def query_graph(
    call: Call,
    question: Annotated[
        str, Field(min_length=1, max_length=1000, description="names whom or what to begin at, in a sentence or alone")
    ],
    mode: Annotated[
        Mode, Field(description="bfs: everything near before anything further; dfs: one path after the other")
    ] = "bfs",
    depth: Annotated[int, Field(ge=0, le=DEPTH_MOST, description="how many facts away at the most")] = 3,
    max_results: Annotated[int, Field(ge=1, le=500, description="how many facts at the most")] = 50,
    as_of: Annotated[When, Field(description="what held in the world at that time; default now")] = None,
) -> GraphResult:
    """Walk along the knowledge graph from what a question names, and see the facts around it."""
    moment = last_instant(as_of, call.principal.zone, field="as_of")
    trail = walk(
        principal=call.principal, question=question, mode=mode, depth=depth, max_results=max_results, as_of=moment
    )
    use.record(call.principal, "query_graph", [fact for fact, _ in trail.edges])
    edges = [_edge(fact, hop) for fact, hop in trail.edges]
    return GraphResult(
        edges=edges,
        seeds=[SeedOut(entity=entity, match=match) for entity, match in trail.seeds],
        complete=trail.complete,
        display=display.walked(trail),
    )


def _edge(fact: Fact, hop: int) -> EdgeOut:
    return EdgeOut(
        ref=fact.ref,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        confidence_label=label_of(fact.score),
        hop=hop,
    )


class PathResult(Result):
    found: bool
    hops: int = Field(description="how many facts lie between them")
    path: list[TripleOut] = Field(description="these facts, in order")
    complete: bool = Field(description="false: the search gave up before it knew")


@tool("kg_path", family="kg", effect=Effect.READ, slash="kg path")
def kg_path(
    call: Call,
    from_: Annotated[Name, Field(description="a name, in any spelling")],
    to: Annotated[Name, Field(description="another one")],
    max_hops: Annotated[int, Field(ge=1, le=paths.HOPS_MOST, description="how many facts at the most")] = 6,
) -> PathResult:
    """Find how two entities are related: the shortest way between them, along facts in either direction."""
    way = way_between(principal=call.principal, start=from_, end=to, max_hops=max_hops)
    use.record(call.principal, "kg_path", way.path)
    path = triples_of(way.path, call.principal)
    return PathResult(
        found=way.found,
        hops=len(path),
        path=path,
        complete=way.complete,
        display=display.way(from_, to, way, path),
    )


class HubOut(BaseModel):
    entity: str
    connections: int = Field(description="at how many ends of facts it stands")


class HubsResult(Result):
    items: list[HubOut]


@tool("kg_god_nodes", family="kg", effect=Effect.READ)
def kg_god_nodes(call: Call, limit: HowMany = 10) -> HubsResult:
    """See which entities most facts name."""
    found = hubs(principal=call.principal, limit=limit)
    items = [HubOut(entity=hub.entity, connections=hub.connections) for hub in found]
    return HubsResult(items=items, display=display.hubs(found))


class CommunityOut(BaseModel):
    label: str = Field(description="its three best connected members")
    size: int
    central: str = Field(description="its best connected member")
    members: list[str] = Field(description="at most 20, the best connected first")


class CommunitiesResult(Result):
    items: list[CommunityOut]
    complete: bool = Field(description="false: of so large a graph only the best connected part was looked at")


@tool("kg_communities", family="kg", effect=Effect.READ)
def kg_communities(call: Call, limit: HowMany = 10) -> CommunitiesResult:
    """See which entities belong together: groups that are tied to each other more than to the rest."""
    found = communities(principal=call.principal, limit=limit)
    items = [
        CommunityOut(label=group.label, size=group.size, central=group.central, members=list(group.members))
        for group in found.found
    ]
    return CommunitiesResult(items=items, complete=found.complete, display=display.communities(found))
