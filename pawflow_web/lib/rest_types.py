"""Query parameters that every list takes."""

from typing import Annotated

from ninja import Query

Limit = Annotated[int, Query(ge=1, le=200, description="how many at most")]
Cursor = Annotated[str | None, Query(max_length=20_000, description="the `next` of the page before")]
