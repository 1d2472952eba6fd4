"""How many of the nearest vectors an index finds, against comparing each, and by which plan.

Asked as a search asks: for as many candidates, of which the ten nearest are looked at.
"""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from bench.loading import Owner
from bench.report import percentile_ms
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.principal import Principal
from pawflow_web.llm.binding import BATCH_SECONDS, bind
from pawflow_web.llm.minilm import provider
from pawflow_web.llm.models import EmbeddingModel
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import CANDIDATES
from review.search.vectors import nearest, nearest_rows

_TEN = 10
_QUESTIONS = 40
# The way of the index, where the planner would rather compare the few rows that a narrow filter leaves.
_ONLY_THE_INDEX = ("enable_sort", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan", "enable_seqscan")
_SAMPLED = 2000
_VECTOR = re.compile(r"'\[[^']*\]'")


def nearness(owner: Owner) -> dict[str, Any]:
    """For all that an agent may recall and for a hundredth of it: the share of the ten nearest that the index finds
    (``recall_at_10``), how long both ways take and the plan of the index; and what it takes to embed a question."""
    principal = principal_of_token(f"Bearer {owner.token}")
    binding = bind()
    if binding is None:
        raise RuntimeError("The model on this machine does not answer.")
    asked, taken = _embedded([owner.writer.question(text) for text in owner.samples[:_QUESTIONS]])
    everything = ItemFilter(fit_for_prompt=True, kind="note")
    narrow = ItemFilter(fit_for_prompt=True, kind="note", tags=(one_in_a_hundred(principal),))
    return {
        "question_p50_ms": percentile_ms(taken, 50),
        "question_p95_ms": percentile_ms(taken, 95),
        "all": _compared(principal, binding.model, everything, asked),
        "one_in_100": _compared(principal, binding.model, narrow, asked),
    }


def recall_at_ten(
    principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter, asked: Sequence[Sequence[float]]
) -> float:
    """Which share of the ten nearest to each question the index finds."""
    found = wanted = 0
    for vector in asked:
        exact, quick = ({*_ids(principal, model, narrowed_to, vector, exact=way)} for way in (True, False))
        found += len(exact & quick)
        wanted += len(exact)
    return found / wanted


def plan_of(
    principal: Principal,
    model: EmbeddingModel,
    narrowed_to: ItemFilter,
    vector: Sequence[float],
    *,
    exact: bool,
    options: str = "",
) -> list[str]:
    """What the server does for the very statement that a search by meaning runs; ``options`` are those of EXPLAIN."""
    condition = narrowed_to.condition(principal)
    rows = nearest_rows(principal.user_id, condition, model, vector, limit=CANDIDATES, exact=exact)
    sql, params = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {options} {sql}", params)
        return [_VECTOR.sub("'…'", row[0]) for row in cursor.fetchall()]


def one_in_a_hundred(principal: Principal) -> str:
    """The tag whose share of what this reader may see is the nearest to a hundredth."""
    readable = GovernanceItem.objects.recallable(principal)
    tags = set(readable.exclude(memory__tags=[]).values_list("memory__tags__0", flat=True)[:_SAMPLED])
    count = readable.count()
    share = {tag: readable.filter(memory__tags__contains=[tag]).count() / count for tag in tags}
    tag: str = min(share, key=lambda name: (abs(share[name] - 0.01), name))
    return tag


@contextmanager
def only_the_index() -> Iterator[None]:
    """Let the planner follow the index alone, for as long as the transaction lasts."""
    with transaction.atomic(), connection.cursor() as cursor:
        for setting in _ONLY_THE_INDEX:
            cursor.execute(f"SET LOCAL {setting} = off")
        yield


def _embedded(questions: Sequence[str]) -> tuple[list[Sequence[float]], list[float]]:
    """Their vectors and the seconds that each took, one at a time."""
    local = provider()
    assert local is not None  # noqa: S101 - asked before
    local.embed(questions[:1], seconds=BATCH_SECONDS)
    vectors: list[Sequence[float]] = []
    taken = []
    for question in questions:
        started = time.perf_counter()
        (vector,) = local.embed([question], seconds=BATCH_SECONDS)
        taken.append(time.perf_counter() - started)
        assert vector is not None  # noqa: S101 - a question has words
        vectors.append(vector)
    return vectors, taken


def _compared(
    principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter, asked: Sequence[Sequence[float]]
) -> dict[str, Any]:
    exact_ms = _taken(principal, model, narrowed_to, asked, exact=True)
    with only_the_index():
        return {
            "readable": GovernanceItem.objects.filter(narrowed_to.condition(principal)).count(),
            "recall_at_10": round(recall_at_ten(principal, model, narrowed_to, asked), 3),
            "index_p95_ms": percentile_ms(_taken(principal, model, narrowed_to, asked, exact=False), 95),
            "exact_p95_ms": percentile_ms(exact_ms, 95),
            "plan": plan_of(principal, model, narrowed_to, asked[0], exact=False, options="(ANALYZE, BUFFERS)"),
        }


def _taken(
    principal: Principal,
    model: EmbeddingModel,
    narrowed_to: ItemFilter,
    asked: Sequence[Sequence[float]],
    *,
    exact: bool,
) -> list[float]:
    taken = []
    for vector in asked:
        started = time.perf_counter()
        _ids(principal, model, narrowed_to, vector, exact=exact)
        taken.append(time.perf_counter() - started)
    return taken


def _ids(
    principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter, vector: Sequence[float], *, exact: bool
) -> list[int]:
    condition = narrowed_to.condition(principal)
    found = nearest(principal.user_id, condition, model, vector, limit=CANDIDATES, exact=exact)
    return [row.id for row in found[:_TEN]]
