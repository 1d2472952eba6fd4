"""What is known about an entity, in which order it came, and how much there is."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from graph import display
from graph.facts.numbers import numbers_of
from graph.facts.reading import about, timeline
from graph.facts.shape import TripleOut, triple_of, triples_of
from graph.facts.suggesting import names_like
from graph.tools.fields import Name, When
from pawflow_web.identity.call import Call
from pawflow_web.lib.periods import last_instant
from pawflow_web.lib.tool_fields import Cursor
from pawflow_web.lib.tools import Effect, Result, tool
from review.models import GovernanceItem
from review.readership import use


class EntityOut(BaseModel):
    name: str
    aliases: list[str] = Field(description="its other names")
    type: str


class FactOut(TripleOut):
    direction: Literal["outgoing", "incoming"] = Field(description="whether the entity is its subject or its object")


class QueryResult(Result):
    entity: EntityOut | None = Field(description="null: no fact that you may read names it")
    facts: list[FactOut]
    suggestions: list[str] = Field(description="where nothing was found: names like it")
    next: str | None = Field(description="cursor of the next page")


@tool("kg_query", family="kg", effect=Effect.READ)
def kg_query(
    call: Call,
    entity: Annotated[Name, Field(description="a name, in any spelling")],
    as_of: Annotated[When, Field(description="what held in the world at that time")] = None,
    known_at: Annotated[When, Field(description="as it was known here at that time")] = None,
    direction: Annotated[
        Literal["both", "outgoing", "incoming"], Field(description="outgoing: it is the subject; incoming: the object")
    ] = "both",
    current: Annotated[
        bool | None, Field(description="true: only what holds now; false: only what does not; null: both")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=500, description="how many at the most")] = 100,
    cursor: Cursor = None,
) -> QueryResult:
    """Read what the knowledge graph says about a person, a place or a thing, now or at another time."""
    principal = call.principal
    found = about(
        principal=principal,
        name=entity,
        as_of=last_instant(as_of, principal.zone, field="as_of"),
        known_at=last_instant(known_at, principal.zone, field="known_at"),
        direction=direction,
        current=current,
        limit=limit,
        cursor=cursor,
    )
    facts = [_fact(item, found.entity.pk, call) for item in found.page.rows] if found.entity else []
    suggestions = [] if found.entity else names_like(principal, entity)
    use.record(principal, "kg_query", found.page.rows)
    known = found.entity
    return QueryResult(
        entity=EntityOut(name=known.name, aliases=list(found.aliases), type=known.type) if known else None,
        facts=facts,
        suggestions=suggestions,
        next=found.page.next,
        display=display.about(known.name if known else entity, facts, suggestions, more=found.page.next is not None),
    )


def _fact(item: GovernanceItem, entity: int, call: Call) -> FactOut:
    shown = triple_of(item, call.principal)
    direction: Literal["outgoing", "incoming"] = "outgoing" if item.triple.subject_id == entity else "incoming"
    return FactOut(**dict(shown), direction=direction)


class TimelineResult(Result):
    items: list[TripleOut]
    next: str | None = Field(description="cursor of the next page")


@tool("kg_timeline", family="kg", effect=Effect.READ)
def kg_timeline(
    call: Call,
    entity: Annotated[Name | None, Field(description="only facts that name it")] = None,
    limit: Annotated[int, Field(ge=1, le=200, description="how many at the most")] = 20,
    order: Annotated[
        Literal["recorded", "valid"], Field(description="recorded: last heard first; valid: last begun first")
    ] = "recorded",
    cursor: Cursor = None,
) -> TimelineResult:
    """Read facts in the order in which they came, those that hold no longer among them."""
    page = timeline(principal=call.principal, name=entity, order=order, limit=limit, cursor=cursor)
    items = triples_of(page.rows, call.principal)
    use.record(call.principal, "kg_timeline", page.rows)
    return TimelineResult(items=items, next=page.next, display=display.timeline(items, more=page.next is not None))


class PredicateOut(BaseModel):
    predicate: str
    count: int
    functional: bool = Field(description="whether it holds one value at a time")


class StatsResult(Result):
    entities: int
    triples: int
    current: int
    expired: int = Field(description="facts that hold no longer, or not yet")
    in_review: int = Field(description="facts that wait for a person")
    predicates: list[PredicateOut]


@tool("kg_stats", family="kg", effect=Effect.READ, slash="kg stats")
def kg_stats(call: Call) -> StatsResult:
    """See how much the knowledge graph holds, and with which predicates."""
    found = numbers_of(call.principal)
    return StatsResult(
        entities=found.entities,
        triples=found.triples,
        current=found.current,
        expired=found.expired,
        in_review=found.in_review,
        predicates=[
            PredicateOut(predicate=used.predicate, count=used.count, functional=used.functional)
            for used in found.predicates
        ],
        display=display.numbers(found),
    )
