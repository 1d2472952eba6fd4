"""The memory tools of agents."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from graph.facts.crosscheck import conflicts_in
from memory import display
from memory.models.note import TAG_LONGEST, TAGS_MOST, Category
from memory.notes.find import check_duplicates, recall_notes
from memory.notes.services import remember_note
from pawflow_web.identity.call import Call
from pawflow_web.lib.tool_fields import Cursor, HowMany
from pawflow_web.lib.tools import Effect, Result, tool
from review.display.shape import HitOut, ItemOut, present_all, present_hits
from review.lifecycle import forget as forget_item
from review.limits import TEXT_MOST, TTL_DAYS_MOST
from review.readership import use
from review.schemas import ScopeWord, one_of
from review.search.find import Coverage

CategoryName = Annotated[Category, one_of(Category)]
Text = Annotated[str, Field(min_length=1, max_length=TEXT_MOST)]
Tag = Annotated[str, Field(min_length=1, max_length=TAG_LONGEST)]
Reference = Annotated[str, Field(min_length=1, max_length=40, description="a belief: 3fa4c1d2e5b6 or #42")]


class KgConflict(BaseModel):
    entity: str
    predicate: str
    values: list[str]


class RememberResult(Result):
    ref: str = Field(description="the belief that now stands for these words")
    status: str = Field(description="active: in use; needs_review: waits for a person")
    scope: str
    reason: str = Field(description="why it has this status")
    duplicate_of: str | None = Field(description="set when the words were known already; equal to ref")
    contradicts: str | None = Field(description="the belief in use that it would replace, if a person agrees")
    kg_conflicts: list[KgConflict] = Field(
        description="entities named in the text of which the graph holds several values where one can be"
    )
    similar: list[ItemOut] = Field(description="up to three beliefs that look alike; nothing was merged")
    supersedes: str | None = Field(description="the belief whose place it took")
    revision: int


@tool("remember", family="memory", effect=Effect.WRITE, core=True, slash="memory add")
def remember(
    call: Call,
    text: Annotated[Text, Field(description="one belief in a sentence or two")],
    tags: Annotated[list[Tag], Field(max_length=TAGS_MOST, description="words to find it by")] = [],  # noqa: B006 - read only
    scope: Annotated[
        ScopeWord | None,
        Field(description="who may read it; default agent for a caller with an agent, else global"),
    ] = None,
    category: Annotated[CategoryName | None, Field(description="what sort of belief it is")] = None,
    valid_from: Annotated[
        str | float | None,
        Field(description="since when it is true: ISO time with zone, date, month, year, epoch"),
    ] = None,
    ttl_days: Annotated[
        int | None, Field(ge=1, le=TTL_DAYS_MOST, description="forget it by itself after so many days; default never")
    ] = None,
    supersedes: Annotated[Reference | None, Field(description="the belief in use whose place this one takes")] = None,
) -> RememberResult:
    """Store a durable fact, preference, decision or lesson so that later conversations know it.

    Use it for what stays true, one belief at a time. Words from automations wait for a person; words that
    a person rejected are refused.
    """
    done = remember_note(
        principal=call.principal,
        text=text,
        tags=tags,
        scope=scope,
        category=category,
        valid_from=valid_from,
        ttl_days=ttl_days,
        supersedes=supersedes,
    )
    admission, item = done.admission, done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    return RememberResult(
        ref=item.ref,
        status=item.status,
        scope=item.scope,
        reason=item.reason,
        duplicate_of=item.ref if admission.duplicate_of else None,
        contradicts=admission.contradicts.ref if admission.contradicts else None,
        kg_conflicts=[
            KgConflict(entity=found.entity, predicate=found.predicate, values=list(found.values))
            for found in conflicts_in(call.principal, text)
        ],
        similar=present_all([found for found, _ in done.similar]),
        supersedes=admission.superseded[0].ref if admission.superseded else None,
        revision=item.revision,
        display=display.remembered(admission),
    )


class CoverageOut(BaseModel):
    complete: bool = Field(description="false when a visible match may be missing")
    mode: str = Field(description="browse, keyword, hybrid or vector")
    searched: int = Field(description="how many beliefs that you may see were looked through")
    reasons: list[str] = Field(description="why it is not complete")
    notes: list[str] = Field(description="what else limits the answer")

    @classmethod
    def of(cls, coverage: Coverage) -> "CoverageOut":
        return cls(
            complete=coverage.complete,
            mode=coverage.mode,
            searched=coverage.searched,
            reasons=list(coverage.reasons),
            notes=list(coverage.notes),
        )


class RecallResult(Result):
    items: list[HitOut]
    next: str | None = Field(description="cursor of the next page")
    coverage: CoverageOut


@tool("recall", family="memory", effect=Effect.READ, slash="memory search")
def recall(
    call: Call,
    query: Annotated[str | None, Field(max_length=4000, description="words or a question; without it: a list")] = None,
    tags: Annotated[list[Tag], Field(max_length=TAGS_MOST, description="only beliefs with these tags")] = [],  # noqa: B006
    tag_mode: Annotated[Literal["any", "all"], Field(description="whether any or all tags must be there")] = "any",
    category: Annotated[CategoryName | None, Field(description="only this sort of belief")] = None,
    as_of: Annotated[str | float | None, Field(description="what held in the world at that time")] = None,
    known_at: Annotated[str | float | None, Field(description="as it was known here at that time")] = None,
    limit: HowMany = 20,
    cursor: Cursor = None,
    sort: Annotated[
        Literal["scope", "relevance", "recent"],
        Field(description="scope: what was said for this place first; relevance: by score; recent: newest first"),
    ] = "scope",
    explain: Annotated[bool, Field(description="say why each was found")] = False,  # noqa: FBT002 - by name only
) -> RecallResult:
    """Find what is known. Search before saying that you do not know.

    Returns only beliefs in use that this caller may read: those said for this place first and within them the most
    fitting (`sort`), and says in `coverage` whether the search was complete.
    """
    page = recall_notes(
        principal=call.principal,
        query=query,
        tags=tags,
        all_tags=tag_mode == "all",
        category=category,
        as_of=as_of,
        known_at=known_at,
        limit=limit,
        cursor=cursor,
        sort=sort,
    )
    items = present_hits(page.hits, explain=explain)
    use.record(call.principal, "recall" if query else "recall_list", [hit.item for hit in page.hits])
    coverage = CoverageOut.of(page.coverage)
    return RecallResult(items=items, next=page.next, coverage=coverage, display=display.recalled(items, page.coverage))


class ForgetResult(Result):
    ref: str
    forgotten: bool = Field(description="whether it is out of use")
    archive: str | None = Field(description="pending: a person was asked")


@tool("forget", family="memory", effect=Effect.DESTROY, core=True, slash="memory del")
def forget(call: Call, memory_id: Annotated[Reference, Field(description="the belief to forget")]) -> ForgetResult:
    """Take a belief out of use when it is wrong or no longer wanted.

    From an automation, and for what a person pinned, accepted or corrected, it asks a person instead.
    """
    done = forget_item(principal=call.principal, reference=memory_id)
    return ForgetResult(
        ref=done.item.ref,
        forgotten=done.forgotten,
        archive=None if done.forgotten else "pending",
        display=display.forgotten(done),
    )


class DuplicateOut(ItemOut):
    match: str = Field(description="exact, near or key")
    similarity: float = Field(description="share of common words, 0..1")


class DuplicateResult(Result):
    duplicate: bool = Field(description="whether exactly these words are known")
    items: list[DuplicateOut]


@tool("check_duplicate", family="memory", effect=Effect.READ)
def check_duplicate(
    call: Call,
    text: Annotated[Text, Field(description="the words you would remember")],
    category: Annotated[CategoryName | None, Field(description="only this sort of belief")] = None,
) -> DuplicateResult:
    """See whether something is known already, in these or in similar words, before remembering it."""
    found = check_duplicates(principal=call.principal, text=text, category=category)
    shown = present_all([item for item, _, _ in found])
    items = [
        DuplicateOut(**dict(item), match=match, similarity=similarity)
        for item, (_, match, similarity) in zip(shown, found, strict=True)
    ]
    exact = any(item.match == "exact" for item in items)
    return DuplicateResult(duplicate=exact, items=items, display=display.duplicates(len(items), exact=exact))
