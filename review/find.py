"""Finding beliefs: by reference, as a list, and by words. Every way begins at one of the two doors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Case, Q, QuerySet, Value, When
from django.db.models.expressions import RawSQL

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_number, parse_ref
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.prepared import RowsByIds
from pawflow_web.lib.search import count_with_tail, search_with_tail
from pawflow_web.lib.text import Tokens, analyse
from review.filters import ItemFilter
from review.index import found_by_tokens, index_of
from review.kinds import kinds
from review.models import GovernanceItem
from review.querysets import SCOPES, ItemQuerySet, scopes_of

# What was said for this place stands above what holds everywhere.
SCOPE_ORDER = tuple(SCOPES)
SCOPE_BOOST = {"private": 1.15, "conversation": 1.10, "agent": 1.05, "global": 1.0}
# A hit below this share of the best one is noise, however narrow its scope.
RELEVANCE_FLOOR = 0.3
CANDIDATES = 60
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
    matched: tuple[str, ...] = ()
    rank: int | None = None


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


def find_items(
    principal: Principal,
    *,
    narrowed_to: ItemFilter,
    query: str | None = None,
    sort: str = "newest",
    limit: int = 20,
    cursor: str | None = None,
    counted: bool = True,
) -> Page:
    """One page of beliefs.

    Args:
        query: words to rank by; without any the list is in ``sort`` order.
        sort: with a query ``scope`` (narrow scopes first, after a relevance floor), ``relevance`` (one score
            with a small boost for narrow scopes) or ``recent``; without one ``scope``, ``newest`` or ``oldest``.
        cursor: from the page before, for exactly this question.
        counted: whether ``coverage`` says how many were searched, which can cost more than the page; else 0.
    """
    pager = Pager.of("items", _caller(principal), {"filter": repr(narrowed_to), "query": query, "sort": sort})
    position = pager.read(cursor)
    tokens = analyse(query) if query else None
    if tokens is not None and tokens.exact:
        return _ranked(principal, narrowed_to, tokens, sort, limit, position, pager, counted=counted)
    if query:
        return Page([], None, Coverage("keyword", 0))
    return _listed(principal, narrowed_to, sort, limit, position, pager, counted=counted)


def _caller(principal: Principal) -> list[Any]:
    return [principal.user_id, principal.kind, principal.agent_id, principal.conversation_id]


# --- by words -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row as the searching statement returns it. ``tokens`` is None where the principal may not see it."""

    id: int
    key: str
    changed: int
    tokens: Tokens | None
    scope: str
    recorded_at: datetime


def _ranked(
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
    found = search_with_tail(
        index_of(principal.user_id),
        tokens,
        SearchStatement(principal.user_id, narrowed_to.condition(principal)),
        where=narrowed_to.in_index(principal, now()),
        limit=CANDIDATES + len(seen),
        counted=counted,
    )
    ordered = _ordered([(hit, found.rows[hit.id]) for hit in found.ranked], sort)
    fresh = [(rank, hit) for rank, (hit, _) in enumerate(ordered, start=1) if hit.id not in seen]
    shown = fresh[:limit]
    items = load_for_display([hit.id for _, hit in shown])
    hits = [Hit(items[hit.id], round(hit.score, 4), hit.matched, rank) for rank, hit in shown if hit.id in items]
    reasons: tuple[str, ...] = tuple(reason for reason in found.coverage.reasons if reason != "candidate_budget")
    more = len(fresh) > limit or "candidate_budget" in found.coverage.reasons
    further = [*sorted(seen), *(hit.id for _, hit in shown)]
    if more and len(further) >= DEEPEST:
        reasons = (*reasons, "candidate_budget")
    follow = pager.write(further) if more and shown and len(further) < DEEPEST else None
    coverage = Coverage("keyword", found.coverage.searched if counted else 0, reasons)
    return Page(hits, follow, coverage, words=tuple(dict.fromkeys((*tokens.exact, *tokens.stems))))


def _ordered(hits: list[tuple[Any, FoundRow]], sort: str) -> list[tuple[Any, FoundRow]]:
    """In the order asked for. Score, then the newer row, decides between equals."""
    if not hits:
        return []
    if sort == "recent":
        return sorted(hits, key=lambda pair: (pair[1].recorded_at, pair[0].id), reverse=True)
    if sort == "scope":
        floor = max(hit.score for hit, _ in hits) * RELEVANCE_FLOOR
        kept = [pair for pair in hits if pair[0].score >= floor]
        return sorted(kept, key=lambda pair: (SCOPE_ORDER.index(pair[1].scope), -pair[0].score, -pair[0].id))
    return sorted(hits, key=lambda pair: (-pair[0].score * SCOPE_BOOST[pair[1].scope], -pair[0].id))


_YES, _NO = Value(value=True), Value(value=False)
# The same text for any number of candidates, so that the statement is prepared once. The limit stands in it:
# without knowing it the planner would prepare for thousands of rows.
_CANDIDATES_AND_TAIL = """
SELECT unnest(%s::bigint[]) UNION ALL
(SELECT id FROM review_governanceitem WHERE user_id = %s AND changed_seq > %s ORDER BY changed_seq DESC LIMIT {:d})
"""


class SearchStatement:
    """The one statement of a search: the index's candidates and the newest rows, with "may see" as a column."""

    def __init__(self, user_id: int, condition: Q) -> None:
        self._user_id = user_id
        self._condition = condition

    def __call__(self, *, ids: Sequence[int], after: int, newest: int) -> list[FoundRow]:
        extra = [path for kind in kinds.all() for path in kind.found_by_paths]
        wanted = RawSQL(_CANDIDATES_AND_TAIL.format(newest), [list(ids), self._user_id, after])  # noqa: S611 - numbers
        rows = (
            GovernanceItem.objects.owned_by(self._user_id)
            .filter(pk__in=wanted)
            .annotate(seen=Case(When(self._condition, then=_YES), default=_NO, output_field=BooleanField()))
            .order_by()
            .values_list("pk", "changed_seq", "seen", "text", "scope", "recorded_at", *extra)
        )
        return [self._row(row) for row in execute(*rows.query.sql_with_params())]

    @staticmethod
    def _row(row: tuple[Any, ...]) -> FoundRow:
        pk, changed, seen, text, scope, recorded_at, *extra = row
        words = tuple(word for words in extra if words for word in words)
        tokens = found_by_tokens(text, words) if seen else None
        return FoundRow(pk, str(pk), changed, tokens, scope, recorded_at)


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
    counted: bool,
) -> Page:
    items = GovernanceItem.objects.filter(narrowed_to.condition(principal))
    if sort == "scope":
        rows = _by_scope(items.order_by("-recorded_at", "-pk"), list(scopes_of(principal)), limit + 1, position)
    else:
        rows = _by_time(items, limit + 1, position, oldest_first=sort == "oldest")
    follow = None
    if len(rows) > limit:
        last = rows[limit - 1]
        follow = pager.write([last.scope, last.recorded_at.isoformat(), last.pk])
    shown = rows[:limit]
    full = load_for_display([row.pk for row in shown])
    hits = [Hit(full[row.pk]) for row in shown if row.pk in full]
    return Page(hits, follow, Coverage("browse", _count(principal, narrowed_to) if counted else 0))


def _count(principal: Principal, narrowed_to: ItemFilter) -> int:
    """How many there are. Counting what may reach a prompt looks at every row, in the index at few documents;
    the index holds no secrets, so other lists are counted in the database, from its own indexes."""
    condition = narrowed_to.condition(principal)
    counted = None
    if narrowed_to.fit_for_prompt:
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
    items: QuerySet[GovernanceItem], scopes: list[str], most: int, position: list[Any] | None
) -> list[GovernanceItem]:
    """Narrow scopes first. One short indexed statement a scope is cheaper than sorting all of them."""
    rows: list[GovernanceItem] = []
    start = 0 if position is None else scopes.index(position[0])
    for index, scope in enumerate(scopes[start:]):
        part = items.filter(scope=scope)
        if position is not None and index == 0:
            part = part.filter(_before(position[1], position[2]))
        rows += part.only("pk", "scope", "recorded_at")[: most - len(rows)]
        if len(rows) >= most:
            break
    return rows


def _before(recorded_at: str, pk: int) -> Q:
    moment = datetime.fromisoformat(recorded_at)
    return Q(recorded_at__lt=moment) | Q(recorded_at=moment, pk__lt=pk)


def _after(recorded_at: str, pk: int) -> Q:
    moment = datetime.fromisoformat(recorded_at)
    return Q(recorded_at__gt=moment) | Q(recorded_at=moment, pk__gt=pk)
