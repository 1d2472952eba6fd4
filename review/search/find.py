"""Finding beliefs: by reference, as a list, and by words. Every way begins at one of the two doors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_number, parse_ref
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.prepared import RowsByIds
from pawflow_web.lib.search import Found, count_with_tail, search_with_tail
from pawflow_web.lib.text import Tokens, analyse
from review.models import READABLE, GovernanceItem, Status
from review.querysets import ItemQuerySet, readable_privacy, scopes_of
from review.search.filters import ItemFilter
from review.search.in_use import count_in_use
from review.search.index import index_of
from review.search.meaning import Meant, Question
from review.search.ordering import RELEVANCE_FLOOR, Ranked, merged
from review.search.statement import FoundRow, SearchStatement

CANDIDATES = 60
# What a person sees without having asked for anything else.
_IN_USE = ItemFilter(statuses=(Status.ACTIVE,))
# So many rows of one question can be paged through; then the question is too wide to be worth it.
DEEPEST = 1000


@dataclass(frozen=True, slots=True)
class Coverage:
    """Whether a visible match may be missing from an answer, and why."""

    mode: str
    searched: int
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Hit:
    """One found belief. ``score`` is 0 in a list without a question."""

    item: GovernanceItem
    score: float = 0.0
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True)
class Page:
    hits: list[Hit]
    next: str | None
    coverage: Coverage
    words: tuple[str, ...] = field(default=())


def by_reference(items: ItemQuerySet, reference: str) -> GovernanceItem:
    """The one of ``items`` that ``reference`` names: 12 hex digits, ``#`` and the same, or ``#42``.

    Raises :class:`NotFound` when there is none, in the same words whether it exists elsewhere or not.
    """
    ref = parse_ref(reference)
    number = None if ref else parse_number(reference)
    found: GovernanceItem | None = None
    if ref is not None:
        found = items.filter(ref=ref).first()
    elif number is not None:
        found = items.filter(number=number).first()
    if found is None:
        raise NotFound(f"There is no belief {ascii(reference)[:40]} that you may see.")
    return found


def nameable(items: ItemQuerySet, principal: Principal, reference: str) -> ItemQuerySet:
    """What a caller may name without reading it: what it can see and, for an agent, could read if it were in use.
    Short numbers can be counted through, so behind them an agent meets only what is or was in use."""
    rows = items.visible_to(principal).filter(privacy__in=readable_privacy(principal))
    return rows if principal.is_person or parse_ref(reference) else rows.filter(status__in=READABLE)


def find_items(
    principal: Principal,
    *,
    narrowed_to: ItemFilter,
    query: str | None = None,
    sort: str = "newest",
    limit: int = 20,
    cursor: str | None = None,
    offset: int = 0,
    counted: bool = True,
) -> Page:
    """One page of beliefs.

    Args:
        query: words to rank by; without any the list is in ``sort`` order.
        sort: with a query ``scope`` (narrow scopes first, after a relevance floor), ``relevance`` (one score
            with a small boost for narrow scopes) or ``recent``; without one ``scope``, ``newest`` or ``oldest``.
        cursor: from the page before, for exactly this question.
        offset: for a list in the order ``scope``, and without a cursor: so many are passed over.
        counted: whether ``coverage`` says how many were searched, which can cost more than the page; else 0.
    """
    pager = Pager.of("items", _caller(principal), {"filter": repr(narrowed_to), "query": query, "sort": sort})
    position = pager.read(cursor)
    tokens = analyse(query) if query else None
    if tokens is not None and tokens.exact:
        question = Question(principal, narrowed_to, query or "")
        return _ranked(question, principal, narrowed_to, tokens, sort, limit, position, pager, counted=counted)
    if query:
        return Page([], None, Coverage("keyword", 0))
    return _listed(principal, narrowed_to, sort, limit, position, pager, offset=offset, counted=counted)


@dataclass(frozen=True, slots=True)
class Match:
    """A belief that holds words of a question, by its row id."""

    id: int
    score: float
    words: tuple[str, ...]


def best_matches(principal: Principal, *, narrowed_to: ItemFilter, query: str, limit: int) -> list[Match]:
    """The best by words of :func:`find_items` in the order ``relevance``, above the floor, without reading them."""
    tokens = analyse(query)
    if not tokens.exact:
        return []
    found = _searched(principal, narrowed_to, tokens, limit=limit, counted=False)
    ordered = merged(found.ranked, found.rows, Meant(), sort="relevance")
    floor = max((row.score for row in ordered), default=0) * RELEVANCE_FLOOR
    return [Match(row.id, round(row.score, 4), row.matched) for row in ordered if row.score >= floor][:limit]


def _caller(principal: Principal) -> list[Any]:
    return [principal.user_id, principal.kind, principal.agent_id, principal.conversation_id]


# --- by words -------------------------------------------------------------------------------------------------


def _ranked(
    question: Question,
    principal: Principal,
    narrowed_to: ItemFilter,
    tokens: Tokens,
    sort: str,
    limit: int,
    position: list[int] | None,
    pager: Pager,
    *,
    counted: bool,
) -> Page:
    seen = frozenset(position or ())
    most = CANDIDATES + len(seen)
    found = _searched(principal, narrowed_to, tokens, limit=most, counted=counted)
    meant = question.near(limit=most, visible=found.coverage.searched if counted else None)
    ordered = merged(found.ranked, found.rows, meant, sort=sort)
    fresh = [row for row in ordered if row.id not in seen]
    shown = fresh[:limit]
    items = load_for_display([row.id for row in shown])
    hits = [Hit(items[row.id], round(row.score, 4), row) for row in shown if row.id in items]
    reasons: tuple[str, ...] = tuple(reason for reason in found.coverage.reasons if reason != "candidate_budget")
    more = len(fresh) > limit or "candidate_budget" in found.coverage.reasons or len(meant.near) == most
    further = [*sorted(seen), *(row.id for row in shown)]
    if more and len(further) >= DEEPEST:
        reasons = (*reasons, "candidate_budget")
    follow = pager.write(further) if more and shown and len(further) < DEEPEST else None
    mode = "hybrid" if meant.used else "keyword"
    searched = found.coverage.searched if counted else 0
    coverage = Coverage(mode, searched, (*reasons, *meant.reasons), meant.notes)
    return Page(hits, follow, coverage, words=tuple(dict.fromkeys((*tokens.exact, *tokens.stems))))


def _searched(
    principal: Principal, narrowed_to: ItemFilter, tokens: Tokens, *, limit: int, counted: bool
) -> Found[FoundRow]:
    return search_with_tail(
        index_of(principal.user_id),
        tokens,
        SearchStatement(principal.user_id, narrowed_to.condition(principal)),
        where=narrowed_to.in_index(principal, now()),
        limit=limit,
        counted=counted,
    )


_displayed = RowsByIds(lambda: GovernanceItem.objects.for_display().order_by())


def load_for_display(ids: Sequence[int]) -> Mapping[int, GovernanceItem]:
    """The beliefs with these ids as ``for_display`` gives them."""
    return {item.pk: item for item in _displayed(ids)}


# --- as a list ------------------------------------------------------------------------------------------------


def _listed(
    principal: Principal,
    narrowed_to: ItemFilter,
    sort: str,
    limit: int,
    position: list[Any] | None,
    pager: Pager,
    *,
    offset: int,
    counted: bool,
) -> Page:
    items = GovernanceItem.objects.filter(narrowed_to.condition(principal))
    if sort == "scope":
        ordered = items.order_by("-recorded_at", "-pk")
        rows = _by_scope(ordered, list(scopes_of(principal)), limit + 1, position, offset)
    else:
        rows = _by_time(items, limit + 1, position, oldest_first=sort == "oldest")
    follow = None
    if len(rows) > limit:
        last = rows[limit - 1]
        follow = pager.write([last.scope, last.recorded_at.isoformat(), last.pk])
    shown = rows[:limit]
    full = load_for_display([row.pk for row in shown])
    hits = [Hit(full[row.pk]) for row in shown if row.pk in full]
    return Page(hits, follow, Coverage("browse", count_items(principal, narrowed_to) if counted else 0))


def count_items(principal: Principal, narrowed_to: ItemFilter) -> int:
    """How many there are. Counting what may reach a prompt looks at every row, in the index at few documents;
    the index holds no secrets, so other lists are counted in the database, from its own indexes."""
    if principal.is_person and narrowed_to == _IN_USE:
        return count_in_use(principal)
    condition = narrowed_to.condition(principal)
    counted = None
    # Nor does it know of uses.
    if narrowed_to.fit_for_prompt and not (narrowed_to.never_used or narrowed_to.unused_days):
        statement = SearchStatement(principal.user_id, condition)
        where = narrowed_to.in_index(principal, now())
        counted = count_with_tail(index_of(principal.user_id), statement, where=where)
    return GovernanceItem.objects.filter(condition).count() if counted is None else counted


def _by_time(
    items: QuerySet[GovernanceItem], most: int, position: list[Any] | None, *, oldest_first: bool
) -> list[GovernanceItem]:
    items = items.order_by("recorded_at", "pk") if oldest_first else items.order_by("-recorded_at", "-pk")
    if position is not None:
        _, recorded_at, pk = position
        items = items.filter(_after(recorded_at, pk) if oldest_first else _before(recorded_at, pk))
    return list(items.only("pk", "scope", "recorded_at")[:most])


def _by_scope(
    items: QuerySet[GovernanceItem], scopes: list[str], most: int, position: list[Any] | None, offset: int
) -> list[GovernanceItem]:
    """Narrow scopes first. One short indexed statement a scope is cheaper than sorting all of them."""
    rows: list[GovernanceItem] = []
    start = 0 if position is None else scopes.index(position[0])
    for index, scope in enumerate(scopes[start:]):
        part = items.filter(scope=scope)
        if position is not None and index == 0:
            part = part.filter(_before(position[1], position[2]))
        found = list(part.only("pk", "scope", "recorded_at")[offset : offset + most - len(rows)])
        rows += found
        if len(rows) >= most:
            break
        # So many of the offset lay in this scope; how many it has is asked only where it gave none.
        offset = 0 if found or not offset else max(0, offset - part.count())
    return rows


def _before(recorded_at: str, pk: int) -> Q:
    moment = datetime.fromisoformat(recorded_at)
    return Q(recorded_at__lt=moment) | Q(recorded_at=moment, pk__lt=pk)


def _after(recorded_at: str, pk: int) -> Q:
    moment = datetime.fromisoformat(recorded_at)
    return Q(recorded_at__gt=moment) | Q(recorded_at=moment, pk__gt=pk)
