"""Many vectors: what the index finds of what comparing each would find, with the plans of both ways."""

import random
from collections.abc import Sequence

import pytest
from django.db import connection

from bench.loading import Owner, load_owner
from bench.nearness import one_in_a_hundred, only_the_index, plan_of, recall_at_ten
from pawflow_web.identity.auth import principal_of_token
from pawflow_web.identity.principal import Principal
from pawflow_web.llm.models import EmbeddingModel
from review.models import GovernanceItem
from review.search import embedding
from review.search.filters import ItemFilter
from review.search.vectors import EXACT_UP_TO, embeddable

ROWS = 9000
DIMENSION = 48
QUESTIONS = 40


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


def questions() -> list[list[float]]:
    """About what the texts are about."""
    source, topics = random.Random(3), centres()
    return [direction(source, source.choice(topics)) for _ in range(QUESTIONS)]


def plan(principal: Principal, model: EmbeddingModel, narrowed_to: ItemFilter, *, exact: bool) -> str:
    return "\n".join(plan_of(principal, model, narrowed_to, direction(random.Random(4)), exact=exact))


def test_the_index_finds_what_comparing_each_finds_however_narrow_the_filter(
    owner: Owner, model: EmbeddingModel
) -> None:
    principal = principal_of_token(f"Bearer {owner.token}")
    index = embedding.index_name(model.pk)
    everything = ItemFilter(fit_for_prompt=True, kind="note")
    assert GovernanceItem.objects.filter(everything.condition(principal)).count() > EXACT_UP_TO
    asked = questions()
    assert index in plan(principal, model, everything, exact=False)
    assert index not in plan(principal, model, everything, exact=True)
    assert recall_at_ten(principal, model, everything, asked) >= 0.95

    tag = one_in_a_hundred(principal)
    readable = GovernanceItem.objects.recallable(principal)
    assert 0.005 < readable.filter(memory__tags__contains=[tag]).count() / readable.count() < 0.02
    narrow = ItemFilter(fit_for_prompt=True, kind="note", tags=(tag,))
    # The product compares each of so few, and misses none of them.
    assert index not in plan(principal, model, narrow, exact=True)
    with only_the_index():
        assert index in plan(principal, model, narrow, exact=False)
        assert recall_at_ten(principal, model, narrow, asked) >= 0.95
