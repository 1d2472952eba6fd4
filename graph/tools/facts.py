"""Saying facts, and that they hold no longer."""

from typing import Annotated

from pydantic import Field

from graph import display
from graph.facts.adding import NewFact, add_fact, said
from graph.facts.ending import invalidate
from graph.facts.shape import TripleOut, triple_of, triples_of
from graph.limits import SOURCE_MOST
from graph.tools.fields import Name, Object, Predicate, When
from pawflow_web.identity.call import Call
from pawflow_web.lib.tools import Effect, Result, tool


class AddResult(Result):
    ref: str = Field(description="the fact that now stands for these parts")
    status: str = Field(description="active: in use; needs_review: waits for a person")
    created: bool = Field(description="whether it was not known before")
    contradictions: list[TripleOut] = Field(description="other values that held when it came")
    superseded: list[str] = Field(description="the values whose place it took")
    duplicate_of: str | None = Field(description="set when the fact was known already; equal to ref")
    triple: TripleOut


@tool("kg_add", family="kg", effect=Effect.WRITE, core=True, slash="kg add")
def kg_add(
    call: Call,
    subject: Annotated[Name, Field(description="whom or what it is about, by name")],
    predicate: Annotated[Predicate, Field(description="how they are related: lives_in, works_at, uses")],
    object: Annotated[Object, Field(description="the other end: a name, or a value such as an address")],  # noqa: A002
    valid_from: Annotated[When, Field(description="since when it is true: date, month, year or ISO time")] = None,
    confidence: Annotated[
        str | float,
        Field(description="how it was obtained: EXTRACTED, INFERRED, AMBIGUOUS, or a number from 0 to 1"),
    ] = "EXTRACTED",
    source: Annotated[str, Field(max_length=SOURCE_MOST, description="where it comes from, in a few words")] = "",
    supersede: Annotated[
        bool | None,
        Field(description="true: closes the value that held; false: never does; null: only where one can hold"),
    ] = None,
    allow_self: Annotated[bool, Field(description="whether both ends may be the same")] = False,  # noqa: FBT002 - by name
) -> AddResult:
    """Add a fact of three parts to the knowledge graph: who or what, how related, to what.

    Predicates that hold one value at a time, such as `lives_in`, close the old value by themselves; the others keep
    all of theirs. Names that are known are found in any spelling.
    """
    done = add_fact(
        principal=call.principal,
        fact=NewFact(
            subject=subject,
            predicate=predicate,
            object=object,
            valid_from=valid_from,
            confidence=confidence,
            source=source,
            supersede=supersede,
            allow_self=allow_self,
        ),
    )
    admission, item = done.admission, done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    others = triples_of(done.contradicts, call.principal)
    fact = triple_of(item, call.principal)
    return AddResult(
        ref=item.ref,
        status=item.status,
        created=admission.outcome == "stored",
        contradictions=others,
        superseded=[loser.ref for loser in admission.superseded],
        duplicate_of=item.ref if admission.duplicate_of else None,
        triple=fact,
        display=display.added(done, fact, others),
    )


class InvalidateResult(Result):
    invalidated: int = Field(description="how many facts hold no longer")
    facts: list[TripleOut]
    near: list[TripleOut] = Field(description="where nothing was met: facts in use that say the like")
    archive: str | None = Field(description="pending: a person was asked")


@tool("kg_invalidate", family="kg", effect=Effect.DESTROY, core=True)
def kg_invalidate(
    call: Call,
    subject: Annotated[Name, Field(description="as in kg_add")],
    predicate: Annotated[Predicate, Field(description="as in kg_add")],
    object: Annotated[Object, Field(description="as in kg_add")],  # noqa: A002
    ended: Annotated[When, Field(description="since when it is no longer true; default today")] = None,
) -> InvalidateResult:
    """Say that a fact is no longer true. It stays as history.

    From an automation, and for what a person pinned, accepted or corrected, it asks a person instead.
    """
    parts = said(NewFact(subject=subject, predicate=predicate, object=object))
    done = invalidate(principal=call.principal, parts=parts, ended=ended)
    near = triples_of(done.near, call.principal)
    return InvalidateResult(
        invalidated=len(done.ended),
        facts=triples_of([*done.ended, *done.asked], call.principal),
        near=near,
        archive="pending" if done.asked else None,
        display=display.invalidated(done, near),
    )
