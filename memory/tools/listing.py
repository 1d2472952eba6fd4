"""The memory as lists: by words within a project, and by type."""

from typing import Annotated

from pydantic import Field, WithJsonSchema

from conversations.context import find_project
from memory import display
from memory.notes.find import list_notes, search_notes
from memory.notes.types import FactType
from memory.tools.notes import CoverageOut, RecallResult
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.tool_fields import HowMany
from pawflow_web.lib.tools import Effect, Result, tool
from review.display.shape import ItemOut, present_all, present_hits
from review.readership import use

Slug = Annotated[str, Field(min_length=1, max_length=80)]
TypeWord = Annotated[FactType, WithJsonSchema({"type": "string", "enum": list(FactType)})]
Cursor = Annotated[str, Field(max_length=20_000)]
# Past it a list is better narrowed than paged through.
OFFSET_MOST = 1_000_000


@tool("search_memory", family="memory", effect=Effect.READ)
def search_memory(
    call: Call,
    query: Annotated[str, Field(min_length=1, max_length=4000, description="words or a question")],
    project: Annotated[Slug | None, Field(description="only what belongs to this project, by its slug")] = None,
    limit: HowMany = 20,
    cursor: Annotated[Cursor | None, Field(description="next from the page before")] = None,
) -> RecallResult:
    """Search the memory, or what belongs to one project. Search before saying that you do not know.

    What the context shows is only a part: older beliefs and those of other projects are found here.
    """
    slug = find_project(call.principal, project).slug if project else None
    page = search_notes(principal=call.principal, query=query, project=slug, limit=limit, cursor=cursor)
    items = present_hits(page.hits, explain=False)
    use.record(call.principal, "search_memory", [hit.item for hit in page.hits])
    coverage = CoverageOut.of(page.coverage)
    return RecallResult(items=items, next=page.next, coverage=coverage, display=display.recalled(items, page.coverage))


class ListResult(Result):
    items: list[ItemOut]
    next: str | None = Field(description="cursor of the next page")
    total: int = Field(description="how many there are on all pages")


@tool("list_memory", family="memory", effect=Effect.READ)
def list_memory(
    call: Call,
    project: Annotated[Slug | None, Field(description="only what belongs to this project, by its slug")] = None,
    type: Annotated[TypeWord | None, Field(description="only beliefs of this type")] = None,  # noqa: A002 - its public name
    limit: HowMany = 20,
    offset: Annotated[int, Field(ge=0, le=OFFSET_MOST, description="how many to pass over; not with cursor")] = 0,
    cursor: Annotated[Cursor | None, Field(description="next from the page before; not with offset")] = None,
) -> ListResult:
    """List the memory, narrow scopes first and the newest first within each, by project and type."""
    if offset and cursor is not None:
        raise Invalid(
            "A page begins at an offset or behind a cursor, not both.",
            fields={"offset": "must be left out with cursor", "cursor": "must be left out with offset"},
        )
    slug = find_project(call.principal, project).slug if project else None
    page = list_notes(principal=call.principal, project=slug, type=type, limit=limit, offset=offset, cursor=cursor)
    shown = [hit.item for hit in page.hits]
    use.record(call.principal, "list_memory", shown)
    items = present_all(shown)
    total = page.coverage.searched
    return ListResult(items=items, next=page.next, total=total, display=display.listed(items, total))
