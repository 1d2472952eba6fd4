"""Reading notes by what they mean, for a prompt."""

from memory.notes.facets import checked_category
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, NoEmbedder
from pawflow_web.llm.embeddings import EmbeddingFailed
from pawflow_web.llm.state import why_none
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import Coverage, Hit, Page, count_items, load_for_display
from review.search.meaning import Question
from review.search.ordering import Ranked
from review.search.vectors import Near, embeddable

# Some visible belief has no vector yet: it could not be asked.
BEHIND = "index_behind"


def notes_near(
    *, principal: Principal, query: str, category: str | None = None, limit: int = 10, min_score: float = 0.0
) -> Page:
    """The notes that are nearest in meaning, at least ``min_score`` alike (0 to 1), without another page. Raises
    :class:`NoEmbedder`."""
    if not query.strip():
        raise Invalid("A question needs words.", fields={"query": "must hold words"})
    narrowed_to = _narrowed_to(category)
    question = Question(principal, narrowed_to, query)
    searched = count_items(principal, narrowed_to)
    try:
        meant = question.nearest(limit=limit, visible=searched)
    except EmbeddingFailed as error:
        raise NoEmbedder(f"{why_none(error.code)} Search with recall meanwhile.") from None
    rows = [row for row in meant.near if max(row.likeness, 0.0) >= min_score]
    items = load_for_display([row.id for row in rows])
    hits = [_hit(items[row.id], row, rank) for rank, row in enumerate(rows, start=1) if row.id in items]
    reasons = (BEHIND,) if meant.notes else ()
    return Page(hits, None, Coverage("vector", searched, (*meant.reasons, *reasons), meant.notes))


def within_reach(principal: Principal, item: GovernanceItem) -> bool:
    """Whether a question by meaning may be answered with this note."""
    condition = _narrowed_to(None).condition(principal)
    return GovernanceItem.objects.filter(condition & embeddable(), pk=item.pk).exists()


def _narrowed_to(category: str | None) -> ItemFilter:
    return ItemFilter(fit_for_prompt=True, kind="note", categories=(checked_category(category),) if category else ())


def _hit(item: GovernanceItem, row: Near, rank: int) -> Hit:
    # What points the other way is not alike at all.
    score = round(min(max(row.likeness, 0.0), 1.0), 4)
    found = Ranked(row.id, score, row.scope, row.recorded_at, vector=row.likeness, vector_rank=rank)
    return Hit(item, score, found)
