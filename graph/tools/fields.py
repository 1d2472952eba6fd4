"""Parameters that several tools of the graph take, and what a fact's names may be."""

from typing import Annotated

from pydantic import Field

from graph.limits import NAME_MOST, PREDICATE_MOST, VALUE_MOST

Name = Annotated[str, Field(min_length=1, max_length=NAME_MOST)]
Predicate = Annotated[str, Field(min_length=1, max_length=PREDICATE_MOST)]
Object = Annotated[str, Field(min_length=1, max_length=VALUE_MOST)]
When = str | float | None
