"""Reading notes for a prompt: the second door, the same for every tool, panel and view."""

from collections.abc import Sequence

from memory.notes.facets import checked_category, clean_tags
from memory.notes.types import FactType, narrowed_to_type
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import TimeInput, last_instant
from review.gate.lookalikes import find_lookalikes
from review.gate.preparing import text_digest
from review.gate.proposals import Lookalikes
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import Page, find_items


def recall_notes(
    *,
    principal: Principal,
    query: str | None,
    tags: Sequence[str] = (),
    all_tags: bool = False,
    category: str | None = None,
    as_of: TimeInput | None = None,
    known_at: TimeInput | None = None,
    limit: int = 20,
    cursor: str | None = None,
    sort: str = "scope",
    only: int | None = None,
) -> Page:
    """One page of notes that may reach a prompt of this caller.

    ``as_of`` and ``known_at`` mean the last instant of the period they name, in the caller's time zone. ``only``
    asks the same question about one note alone, by its row id, and counts nothing.
    """
    narrowed_to = ItemFilter(
        fit_for_prompt=True,
        kind="note",
        categories=(checked_category(category),) if category else (),
        tags=tuple(clean_tags(tags)),
        all_tags=all_tags,
        at=last_instant(as_of, principal.zone, field="as_of"),
        known_at=last_instant(known_at, principal.zone, field="known_at"),
        only=only,
    )
    asked = (query or "").strip() or None
    if asked is None and sort == "relevance":
        raise Invalid("Without a query nothing is relevant.", fields={"sort": "relevance needs a query"})
    order = sort if asked or sort == "scope" else "newest"
    return find_items(
        principal,
        narrowed_to=narrowed_to,
        query=asked,
        sort=order,
        limit=limit,
        cursor=cursor,
        counted=only is None,
    )


def search_notes(
    *,
    principal: Principal,
    query: str,
    project: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    only: int | None = None,
) -> Page:
    """One page of notes that hold words of ``query``, of one project or of all, as :func:`recall_notes` orders them.
    ``only`` as there."""
    if not query.strip():
        raise Invalid("A search needs words.", fields={"query": "must hold words"})
    narrowed_to = ItemFilter(fit_for_prompt=True, kind="note", project=project or "", only=only)
    return find_items(
        principal,
        narrowed_to=narrowed_to,
        query=query,
        sort="scope",
        limit=limit,
        cursor=cursor,
        counted=only is None,
    )


def list_notes(
    *,
    principal: Principal,
    project: str | None = None,
    type: FactType | None = None,  # noqa: A002 - its public name
    limit: int = 20,
    offset: int = 0,
    cursor: str | None = None,
    only: int | None = None,
) -> Page:
    """One page of notes, narrow scopes first and the newest first within each; ``coverage.searched`` says how many
    there are. ``only`` as in :func:`recall_notes`."""
    narrowed_to = ItemFilter(
        fit_for_prompt=True,
        kind="note",
        project=project or "",
        only=only,
        **(narrowed_to_type(type) if type is not None else {}),
    )
    return find_items(
        principal,
        narrowed_to=narrowed_to,
        sort="scope",
        limit=limit,
        offset=offset,
        cursor=cursor,
        counted=only is None,
    )


def check_duplicates(
    *, principal: Principal, text: str, category: str | None
) -> list[tuple[GovernanceItem, str, float]]:
    """Readable notes with the same words (``exact``) or many of them (``near``), at most ten, with the share
    of common words."""
    digest = text_digest(text)
    exact = list(
        GovernanceItem.objects.recallable(principal)
        .filter(kind="note", text_digest=digest)
        .for_display()
        .order_by("pk")[:10]
    )
    if category:
        exact = [item for item in exact if item.memory.category == category]
    near: Lookalikes = find_lookalikes(principal, text, kind="note", category=category)
    known = {item.pk for item in exact}
    found = [(item, "exact", 1.0) for item in exact]
    found += [(item, "near", round(share, 2)) for item, share in near.similar if item.pk not in known]
    return found[:10]
