"""Putting what was found in order: by words alone, or by words and meaning together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pawflow_web.lib.ranking import Scored, rrf
from review.querysets import SCOPES
from review.search.meaning import Meant
from review.search.vectors import Near

# What was said for this place stands above what holds everywhere.
SCOPE_ORDER = tuple(SCOPES)
SCOPE_BOOST = {"private": 1.15, "conversation": 1.10, "agent": 1.05, "global": 1.0}
# A hit by words below this share of the best one is noise, however narrow its scope.
RELEVANCE_FLOOR = 0.3


class Placed(Protocol):
    """A row that was found by its words."""

    @property
    def scope(self) -> str: ...
    @property
    def recorded_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Ranked:
    """A found row. ``score`` is what decides: of its words, or fused where it was also asked what the question means;
    then ``fused`` is the same number. ``share`` is how much of the question its words are, up to 1."""

    id: int
    score: float
    scope: str
    recorded_at: datetime
    matched: tuple[str, ...] = ()
    bm25: float = 0.0
    bm25_rank: int | None = None
    share: float = 0.0
    vector: float | None = None
    vector_rank: int | None = None
    fused: float | None = None


def merged(found: Sequence[Scored], rows: Mapping[int, Placed], meant: Meant, *, sort: str) -> list[Ranked]:
    """What was found by its words, fused with what is near in meaning where that was asked, in the order wanted."""
    worded = _worded(found, rows, sort)
    return ordered(_fused(worded, meant.near) if meant.used else worded, sort)


def _fused(found: Sequence[Ranked], near: Sequence[Near]) -> list[Ranked]:
    worded = {row.id: row for row in found}
    meant = {row.id: (rank, row) for rank, row in enumerate(near, start=1)}
    fused = []
    for pk, score in rrf({row.id: row.share for row in found}, {row.id: row.likeness for row in near}):
        words, (rank, close) = worded.get(pk), meant.get(pk, (None, None))
        placed = words or close
        assert placed is not None  # noqa: S101 - it came from one of the two
        fused.append(
            Ranked(
                pk,
                score,
                placed.scope,
                placed.recorded_at,
                matched=words.matched if words else (),
                bm25=words.bm25 if words else 0.0,
                bm25_rank=words.bm25_rank if words else None,
                share=words.share if words else 0.0,
                vector=close.likeness if close else None,
                vector_rank=rank,
                fused=score,
            )
        )
    return fused


def _worded(found: Sequence[Scored], rows: Mapping[int, Placed], sort: str) -> list[Ranked]:
    """In the order of their scores, which is theirs already."""
    floor = found[0].score * RELEVANCE_FLOOR if found and sort == "scope" else 0.0
    return [
        Ranked(
            hit.id,
            hit.score,
            rows[hit.id].scope,
            rows[hit.id].recorded_at,
            matched=hit.matched,
            bm25=hit.score,
            bm25_rank=rank,
            share=hit.share,
        )
        for rank, hit in enumerate(found, start=1)
        if hit.score >= floor
    ]


def ordered(found: Sequence[Ranked], sort: str) -> list[Ranked]:
    """Narrow scopes first, the newest first, or the best. Score, then the newer row, decides between equals."""
    if sort == "recent":
        return sorted(found, key=lambda row: (row.recorded_at, row.id), reverse=True)
    if sort == "scope":
        return sorted(found, key=lambda row: (SCOPE_ORDER.index(row.scope), -row.score, -row.id))
    return sorted(found, key=lambda row: (-row.score * SCOPE_BOOST[row.scope], -row.id))
