"""Index plus tail: what was just committed is found before any index has heard of it.

A search takes candidates from the index and, from the database in the same statement, the newest rows past
the index's watermark. One scorer ranks both. Rows are always read anew, so what a reader may no longer see is
gone at once, whatever the index still holds.

The caller's statement, for rows with an owner and a number that every change moves::

    SELECT ... FROM items WHERE id = ANY(%(ids)s) AND owner_id = %(owner)s
    UNION
    (SELECT ... FROM items WHERE owner_id = %(owner)s AND changed_seq > %(after)s
     ORDER BY changed_seq DESC LIMIT %(newest)s)

with "may this reader see it" as a column, not as a condition: a row of the tail that became invisible still
takes its old self out of the count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pawflow_web.lib.ranking import Query, Scored, Stats, score
from pawflow_web.lib.search.filters import EVERYTHING, Filter
from pawflow_web.lib.search.index import Index
from pawflow_web.lib.search.reader import Candidates, CorruptIndexError, Snapshot
from pawflow_web.lib.text import Tokens

TAIL_LIMIT = 200
# So many rows a database can hand out and we can score within a request, where there is no index.
WITHOUT_INDEX_LIMIT = 2000
# Below every number a row can have.
BEGINNING = -1

Reason = Literal["index_behind", "index_unavailable", "candidate_budget"]


class Row(Protocol):
    """What a row must offer.

    ``key`` is the deletion group of its documents in the index, ``changed`` the number of its last change,
    ``tokens`` its words, or None where the reader may not see it (any more).
    """

    @property
    def id(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def changed(self) -> int: ...
    @property
    def tokens(self) -> Tokens | None: ...


R_co = TypeVar("R_co", bound=Row, covariant=True)
R = TypeVar("R", bound=Row)


class Fetch(Protocol[R_co]):
    """One statement: rows with these ids, and the ``newest`` rows of the owner with ``changed > after``."""

    def __call__(self, *, ids: Sequence[int], after: int, newest: int) -> Sequence[R_co]: ...


@dataclass(frozen=True, slots=True)
class Coverage:
    """``searched`` counts the rows this reader may see that were looked through. ``complete`` is false, with
    the reasons, when a visible match may be missing from the ranking."""

    searched: int
    reasons: tuple[Reason, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Found(Generic[R]):
    """``ranked`` best first; ``rows`` by id, of exactly these; ``stats`` for scoring more rows alike."""

    ranked: tuple[Scored, ...]
    rows: Mapping[int, R]
    coverage: Coverage
    stats: Stats


def search_with_tail(
    index: Index,
    tokens: Tokens,
    fetch: Fetch[R],
    *,
    where: Filter = EVERYTHING,
    limit: int = 60,
    counted: bool = True,
    scores_shown: bool = True,
) -> Found[R]:
    """Rank the rows that hold a word of ``tokens`` by one statement of the caller.

    ``where`` must say inside the index what the statement says in SQL; it selects at most one document of a
    key. ``limit`` bounds the candidates of the index, never the tail. Without ``counted``, ``searched`` leaves
    out the index: counting it is half of the cost. Where no score is shown to anybody, ``scores_shown`` saves counting
    each rare word among what the reader may see.
    """
    query = Query(tokens)
    snapshot = index.snapshot()
    try:
        if snapshot is not None:
            candidates = snapshot.search(query, where=where, limit=limit, scores_shown=scores_shown)
            return _with_index(snapshot, candidates, query, fetch, where if counted else None)
    except CorruptIndexError as error:
        index.report(error)
    return _without_index(query, fetch)


def count_with_tail(index: Index, fetch: Fetch[R], *, where: Filter) -> int | None:
    """How many rows this reader may see, or None where the index cannot say: none there, or far behind."""
    snapshot = index.snapshot()
    if snapshot is None:
        return None
    tail = fetch(ids=(), after=snapshot.watermark, newest=TAIL_LIMIT + 1)
    if len(tail) > TAIL_LIMIT:
        return None
    try:
        return _counted(snapshot, where, tail)
    except CorruptIndexError as error:
        index.report(error)
        return None


def _with_index(
    snapshot: Snapshot, candidates: Candidates, query: Query, fetch: Fetch[R], where: Filter | None
) -> Found[R]:
    fetched = fetch(ids=candidates.ids, after=candidates.watermark, newest=TAIL_LIMIT + 1)
    tail = [row for row in fetched if row.changed > candidates.watermark]
    searched = _counted(snapshot, where, tail)
    reasons: list[Reason] = []
    if len(tail) > TAIL_LIMIT:
        reasons.append("index_behind")
    if candidates.more:
        reasons.append("candidate_budget")
    visible_tail = [row.tokens for row in tail if row.tokens is not None]
    stats = candidates.stats.plus(query, visible_tail)
    return _ranked(query, fetched, stats, Coverage(searched, tuple(reasons)), candidates)


def _counted(snapshot: Snapshot, where: Filter | None, tail: Sequence[R]) -> int:
    """The visible rows of the tail, and the documents at ``where`` that no row of the tail replaces."""
    visible = sum(row.tokens is not None for row in tail)
    if where is None:
        return visible
    return visible + snapshot.count(where, without_keys=sorted({row.key for row in tail}))


def _without_index(query: Query, fetch: Fetch[R]) -> Found[R]:
    fetched = fetch(ids=(), after=BEGINNING, newest=WITHOUT_INDEX_LIMIT + 1)
    behind = len(fetched) > WITHOUT_INDEX_LIMIT
    rows = sorted(fetched, key=lambda row: -row.changed)[:WITHOUT_INDEX_LIMIT]
    visible = [row.tokens for row in rows if row.tokens is not None]
    coverage = Coverage(len(visible), ("index_unavailable",) if behind else ())
    return _ranked(query, rows, Stats().plus(query, visible), coverage, None)


def _ranked(
    query: Query, fetched: Sequence[R], stats: Stats, coverage: Coverage, candidates: Candidates | None
) -> Found[R]:
    rows = {row.id: row for row in fetched}
    visible = [(row.id, row.tokens) for row in rows.values() if row.tokens is not None]
    ranked = score(query, visible, stats)
    if candidates is not None:
        # A new row is found by the words that find an old one, else it would vanish once it is indexed.
        looked_for = frozenset(candidates.searched)
        ranked = [hit for hit in ranked if not looked_for.isdisjoint(hit.matched)]
    return Found(tuple(ranked), {hit.id: rows[hit.id] for hit in ranked}, coverage, stats)
