"""Many vectors: what the index finds of what comparing each would find, with the plans of both ways."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection

from bench.loading import Owner, load_owner
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.principal import Principal
from pawflow_web.llm.models import EmbeddingModel
from review.models import GovernanceItem
from review.search import embedding
from review.search.filters import ItemFilter
from review.search.vectors import EXACT_UP_TO, embeddable, nearest

ROWS = 9000
DIMENSION = 48
QUESTIONS = 40
TEN = 10
# The way of the index, where the planner would rather compare the few rows that a narrow filter leaves.
ONLY_THE_INDEX = ("enable_sort", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan", "enable_seqscan")


def direction(source: random.Random, around: Sequence[float] | None = None) -> list[float]:
    """Somewhere, or near to something."""
    numbers = [source.gauss(0, 1) for _ in range(DIMENSION)]
    return numbers if around is None else [a + 0.7 * b for a, b in zip(around, numbers, strict=True)]


@pytest.fixture
def model(db: None) -> EmbeddingModel:
    return EmbeddingModel.objects.create(
        source="endpoint", name="m", dimension=DIMENSION, canary=[1.0], floor=0, current=True
    )


@pytest.fixture
def owner(model: EmbeddingModel) -> Owner:
    """With many beliefs, their vectors in clusters as those of texts are, and the index over them."""
    loaded = load_owner("alice", ROWS, seed=1)
    source = random.Random(5)
    topics = centres()
    ids = list(GovernanceItem.objects.owned_by(loaded.user.pk).filter(embeddable()).values_list("pk", flat=True))
    with (
        connection.cursor() as cursor,
        cursor.copy("COPY review_itemvector (item_id, user_id, model_id, vector) FROM STDIN") as copy,
    ):
        for pk in ids:
            numbers = ",".join(f"{number:.4f}" for number in direction(source, source.choice(topics)))
            copy.write_row((pk, loaded.user.pk, model.pk, f"[{numbers}]"))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        embedding.make_index(model)
        cursor.execute("ANALYZE review_itemvector")
        cursor.execute("ANALYZE review_governanceitem")
        cursor.execute("ANALYZE memory_memory")
    return loaded


def centres() -> list[list[float]]:
    """What the texts are about."""
    source = random.Random(2)
    return [direction(source) for _ in range(60)]


def recall_at_ten(principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter) -> float:
    """Which share of the ten nearest the index finds, over some questions about what the texts are about."""
    condition = narrowed_to.condition(principal)
    source, topics = random.Random(3), centres()
    found = wanted = 0
    for _ in range(QUESTIONS):
        asked = direction(source, source.choice(topics))
        exact, quick = (
            {row.id for row in nearest(principal.user_id, condition, model, asked, limit=TEN, exact=way)}
            for way in (True, False)
        )
        found += len(exact & quick)
        wanted += len(exact)
    assert wanted == QUESTIONS * TEN
    return found / wanted


def plan_of(principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter, *, exact: bool) -> str:
    """What the server does for the very statement that :func:`nearest` runs."""
    statements: list[tuple[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("review.search.vectors.execute", lambda sql, params: statements.append((sql, params)) or [])
        nearest(
            principal.user_id,
            narrowed_to.condition(principal),
            model,
            direction(random.Random(4)),
            limit=TEN,
            exact=exact,
        )
    sql, params = statements[0]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}", params)
        return "\n".join(row[0] for row in cursor.fetchall())


def one_in_a_hundred(principal: Principal) -> str:
    """A tag that about so many of what this reader may see have."""
    readable = GovernanceItem.objects.recallable(principal)
    tags = set(readable.exclude(memory__tags=[]).values_list("memory__tags__0", flat=True)[:2000])
    share = {tag: readable.filter(memory__tags__contains=[tag]).count() / readable.count() for tag in tags}
    tag: str = min(share, key=lambda name: abs(share[name] - 0.01))
    assert 0.005 < share[tag] < 0.02
    return tag


def test_the_index_finds_what_comparing_each_finds_however_narrow_the_filter(
    owner: Owner, model: EmbeddingModel
) -> None:
    principal = principal_of_token(f"Bearer {owner.token}")
    index = embedding.index_name(model.pk)
    everything = ItemFilter(fit_for_prompt=True, kind="note")
    assert GovernanceItem.objects.filter(everything.condition(principal)).count() > EXACT_UP_TO
    assert index in plan_of(principal, model, everything, exact=False)
    assert index not in plan_of(principal, model, everything, exact=True)
    assert recall_at_ten(principal, model, everything) >= 0.95

    narrow = ItemFilter(fit_for_prompt=True, kind="note", tags=(one_in_a_hundred(principal),))
    # The product compares each of so few, and misses none of them.
    assert index not in plan_of(principal, model, narrow, exact=True)
    with connection.cursor() as cursor:
        for setting in ONLY_THE_INDEX:
            cursor.execute(f"SET LOCAL {setting} = off")
    assert index in plan_of(principal, model, narrow, exact=False)
    assert recall_at_ten(principal, model, narrow) >= 0.95
