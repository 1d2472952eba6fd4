"""What is found by its meaning, how it is ranked, and who finds it."""

from collections.abc import Callable

import pytest
from django.db import connection

from memory.notes.find import recall_notes
from memory.notes.meaning import notes_near, within_reach
from pawflow_web.lib.errors import Invalid
from pawflow_web.llm.models import EmbeddingModel
from review import lifecycle
from review.models import GovernanceItem, ItemVector
from review.search import embedding
from review.search.filters import ItemFilter
from review.search.index import catch_up
from review.search.vectors import nearest
from tests.llm.fixtures import no_local_model, server
from tests.llm.server import DIMENSION, EmbeddingServer, embed
from tests.review.beliefs import Parties
from tests.review.beliefs import said as told
from tests.review.embedded import follow, near, tell, texts

__all__ = ["no_local_model", "server"]


def test_what_means_the_same_is_found_by_other_words(parties: Parties, server: EmbeddingServer) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    tell(parties.coder, "An automobile needs insurance")
    follow()
    page = recall_notes(principal=parties.coder, query="Where is the canine")
    assert texts(page) == ["The puppy sleeps upstairs"]
    assert (page.coverage.mode, page.coverage.complete, page.coverage.notes) == ("hybrid", True, ())
    assert near(parties.coder, "canine") == ["The puppy sleeps upstairs", "An automobile needs insurance"]
    assert near(parties.coder, "canine", min_score=0.4) == ["The puppy sleeps upstairs"]


def test_what_has_nothing_to_do_with_anything_finds_nothing(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(30):
        tell(parties.coder, f"Sourdough recipe number{number} wants patience{number}")
    follow()
    assert texts(recall_notes(principal=parties.coder, query="zebra crossing")) == []
    assert len(texts(recall_notes(principal=parties.coder, query="baguette", limit=50))) == 30


def test_words_and_meaning_are_fused_and_a_hit_says_how(parties: Parties, server: EmbeddingServer) -> None:
    both = tell(parties.coder, "Hound bites vehicle")
    meant = tell(parties.coder, "The puppy truly fears cars")
    worded = tell(parties.coder, "A hound-coloured chair, table, lamp, shelf, carpet, mirror and basket")
    follow()
    page = recall_notes(principal=parties.coder, query="hound and vehicle", sort="relevance")
    found = {hit.item.pk: hit.ranked for hit in page.hits}
    assert page.hits[0].item.pk == both.pk
    first, second = found[both.pk], found[meant.pk]
    assert first is not None
    assert second is not None
    assert (first.bm25_rank, first.vector_rank, first.matched) == (1, 1, ("hound", "vehicle"))
    # Each place weighs as much as what stands there fits.
    assert 0 < first.share <= 1
    assert first.vector is not None
    assert first.fused == pytest.approx(first.share / 61 + first.vector / 61)
    assert (second.bm25_rank, second.bm25, second.matched) == (None, 0, ())
    assert second.vector is not None
    assert second.fused == pytest.approx(second.vector / 62)
    assert worded.pk in found


@pytest.mark.parametrize("query", ["canine", "The puppy sleeps upstairs"])
def test_scopes_stand_in_their_order_when_fused_too(parties: Parties, server: EmbeddingServer, query: str) -> None:
    tell(parties.coder, "The puppy sleeps downstairs", scope="agent")
    tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    page = recall_notes(principal=parties.coder, query=query)
    assert [hit.item.scope for hit in page.hits] == ["agent", "global"]


def test_paging_by_both_meets_each_once(parties: Parties, server: EmbeddingServer) -> None:
    wanted = {tell(parties.coder, f"Sourdough number{number} rises").text for number in range(9)}
    wanted |= {tell(parties.coder, f"Loaf number{number} cools").text for number in range(9, 17)}
    follow()
    met: list[str] = []
    cursor = None
    for _ in range(9):
        page = recall_notes(principal=parties.coder, query="sourdough", limit=3, cursor=cursor)
        met += texts(page)
        cursor = page.next
        if cursor is None:
            break
    assert len(met) == len(set(met))
    assert set(met) == wanted


def forgotten(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.forget(principal=parties.person, reference=item.ref)


def rejected(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.reject(principal=parties.person, reference=item.ref)


def expired(parties: Parties, item: GovernanceItem) -> None:
    GovernanceItem.objects.filter(pk=item.pk).update(expires_at=item.recorded_at)


def ended(parties: Parties, item: GovernanceItem) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE review_governanceitem SET valid = tstzrange(NULL, now()) WHERE id = %s", [item.pk])


def sensitive(parties: Parties, item: GovernanceItem) -> None:
    GovernanceItem.objects.filter(pk=item.pk).update(privacy="sensitive")


def waiting(parties: Parties, item: GovernanceItem) -> None:
    GovernanceItem.objects.filter(pk=item.pk).update(status="needs_review")


@pytest.mark.parametrize("lose", [forgotten, rejected, expired, ended, sensitive, waiting])
def test_what_may_not_be_read_is_gone_at_once_while_its_vector_is_there(
    parties: Parties, server: EmbeddingServer, lose: Callable[[Parties, GovernanceItem], None]
) -> None:
    item = tell(parties.coder, "The puppy sleeps upstairs")
    control = tell(parties.coder, "The puppy sleeps downstairs")
    follow()
    assert {item.text, control.text} == set(near(parties.coder, "canine"))
    lose(parties, item)
    assert ItemVector.objects.filter(item=item).exists()
    assert near(parties.coder, "canine") == [control.text]
    assert texts(recall_notes(principal=parties.coder, query="canine")) == [control.text]
    assert (within_reach(parties.coder, item), within_reach(parties.coder, control)) == (False, True)


def test_neither_another_scope_nor_another_owner_is_asked(
    parties: Parties, strangers: Parties, server: EmbeddingServer
) -> None:
    tell(parties.writer, "The puppy of the writer", scope="agent")
    tell(strangers.coder, "The puppy of bob")
    tell(parties.coder, "The puppy of everybody")
    follow()
    assert ItemVector.objects.count() == 3
    assert near(parties.coder, "canine") == ["The puppy of everybody"]
    assert set(near(parties.writer, "canine")) == {"The puppy of everybody", "The puppy of the writer"}
    assert near(strangers.coder, "canine") == ["The puppy of bob"]
    assert notes_near(principal=parties.coder, query="canine").coverage.searched == 1


def test_a_category_narrows_inside_the_statement(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(12):
        tell(parties.coder, f"The puppy number{number} barks", category="events")
    tell(parties.coder, "The puppy prefers carrots and sleeps in the garden", category="preferences")
    follow()
    found = near(parties.coder, "puppy", limit=3, category="preferences")
    assert found == ["The puppy prefers carrots and sleeps in the garden"]
    with pytest.raises(Invalid):
        near(parties.coder, "puppy", category="zzz")


def test_both_ways_of_comparing_find_the_same_with_their_plans(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(30):
        told(parties.coder, f"The puppy number{number} barks")
    catch_up(parties.user.pk)
    follow()
    assert len(near(parties.coder, "puppy number7", limit=30)) == 30
    model = EmbeddingModel.objects.get()

    condition = ItemFilter(fit_for_prompt=True).condition(parties.coder)
    asked = embed("The puppy number7 barks")
    ways = [
        [row.id for row in nearest(parties.user.pk, condition, model, asked, limit=5, exact=exact)]
        for exact in (True, False)
    ]
    assert ways[0][0] == ways[1][0] == GovernanceItem.objects.get(text__contains="number7 ").pk
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [embedding.index_name(model.pk)])
        definition = cursor.fetchone()[0]
    assert f"halfvec({DIMENSION})" in definition
    assert f"model_id = {model.pk}" in definition
