"""How well evidence was found: from the ranks of one question to the figures of many."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

Ranks = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Score:
    """One question. ``any``, ``all`` and ``fractional`` have a number from 0 to 1 for each k."""

    any: dict[int, float]
    all: dict[int, float]
    fractional: dict[int, float]
    reciprocal: float


def ranks_of(evidence: Sequence[Collection[int]], found: Sequence[int]) -> list[int | None]:
    """For each piece of evidence the place, from 1, of the first row that stands for it; None where none was found."""
    return [next((rank for rank, pk in enumerate(found, start=1) if pk in rows), None) for rows in evidence]


def score(ranks: Ranks, ks: Sequence[int]) -> Score:
    """``ranks`` has one entry for each piece of evidence, and at least one."""
    within = {k: [rank is not None and rank <= k for rank in ranks] for k in ks}
    best = min((rank for rank in ranks if rank is not None), default=None)
    return Score(
        any={k: float(any(hits)) for k, hits in within.items()},
        all={k: float(all(hits)) for k, hits in within.items()},
        fractional={k: sum(hits) / len(hits) for k, hits in within.items()},
        reciprocal=1 / best if best is not None else 0.0,
    )


def means(scores: Sequence[Score], ks: Sequence[int]) -> dict[str, Any]:
    """``{"any": {"5": ...}, "all": ..., "fractional": ..., "mrr": ...}`` over at least one question."""
    return {
        **{
            name: {str(k): round(fmean(getattr(one, name)[k] for one in scores), 4) for k in ks}
            for name in ("any", "all", "fractional")
        },
        "mrr": round(fmean(one.reciprocal for one in scores), 4),
    }
