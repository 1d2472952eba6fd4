"""Bodies and replies of the routes of this app."""

from typing import Annotated

from pydantic import BaseModel, Field

from graph.limits import FUNCTIONAL_MOST, NAME_MOST, PREDICATE_MOST
from review.schemas import Body

Predicate = Annotated[str, Field(min_length=1, max_length=PREDICATE_MOST)]
# Folded, a ref of 12 digits; or any name of it.
EntityWord = Annotated[str, Field(min_length=1, max_length=NAME_MOST)]


class PredicatesIn(Body):
    functional: Annotated[list[Predicate], Field(max_length=FUNCTIONAL_MOST, description="those that hold one value")]


class PredicatesOut(BaseModel):
    functional: list[str] = Field(description="the predicates that hold one value at a time")


class MergeIn(Body):
    keep: Annotated[EntityWord, Field(description="the entity that stays, by its ref or a name")]
    drop: Annotated[EntityWord, Field(description="the one that turns out to be the same")]


class MergeOut(BaseModel):
    merge: str = Field(description="the merge, by which it can be undone")


class UnmergedOut(BaseModel):
    undone: bool
    entity: str = Field(description="the ref of the entity that is by itself again")
