"""Search by meaning, for agents."""

from typing import Annotated

from pydantic import Field

from memory import display
from memory.notes.meaning import notes_near
from memory.tools.notes import CategoryName, CoverageOut
from pawflow_web.identity.call import Call
from pawflow_web.lib.tools import Effect, Result, tool
from review.display.shape import HitOut, present_hits
from review.readership import use


class SemanticRecallResult(Result):
    items: list[HitOut]
    coverage: CoverageOut


@tool("semantic_recall", family="memory", effect=Effect.READ)
def semantic_recall(
    call: Call,
    query: Annotated[str, Field(min_length=1, max_length=4000, description="what it is about, in any words")],
    limit: Annotated[int, Field(ge=1, le=50, description="how many at the most")] = 10,
    category: Annotated[CategoryName | None, Field(description="only this sort of belief")] = None,
    min_score: Annotated[float, Field(ge=0, le=1, description="leave out what is less alike, 0..1")] = 0.0,
    explain: Annotated[bool, Field(description="say why each was found")] = False,  # noqa: FBT002 - by name only
) -> SemanticRecallResult:
    """Find what is close in meaning, whatever words it uses. Needs an embedding model.

    `recall` already looks at words and meaning together where there is one; this ranks by meaning alone.
    """
    page = notes_near(principal=call.principal, query=query, category=category, limit=limit, min_score=min_score)
    items = present_hits(page.hits, explain=explain)
    use.record(call.principal, "semantic_recall", [hit.item for hit in page.hits])
    coverage = CoverageOut.of(page.coverage)
    return SemanticRecallResult(items=items, coverage=coverage, display=display.recalled(items, page.coverage))
