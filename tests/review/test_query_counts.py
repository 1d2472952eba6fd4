"""How many statements the hot paths cost. A number that grows is a decision, not an accident."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.notes.find import recall_notes
from memory.notes.services import remember_note
from memory.tools.notes import recall
from pawflow_web.identity.call import Call
from review.display.shape import present_all
from review.lifecycle import accept, forget
from review.models import GovernanceItem
from review.search.filters import ItemFilter
from review.search.find import find_items, load_for_display
from review.search.index import catch_up
from tests.factories import make_conversation
from tests.review.beliefs import Parties, said, say


def test_remember(parties: Parties, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    said(parties.coder, "The office is in Porto")
    # outside the clock: now, lookalikes, refusals. Inside: savepoint, clock, look-up, item, facet, evidence,
    # believed, journal with clock, wake, release
    with django_assert_num_queries(13):
        remember_note(principal=parties.coder, text="Prefers pytest")


def test_remember_known_words(parties: Parties, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    remember_note(principal=parties.coder, text="Prefers pytest")
    with django_assert_max_num_queries(11):
        remember_note(principal=parties.coder, text="Prefers pytest")


@pytest.mark.parametrize("rows", [1, 50])
@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_recall_costs_the_same_for_one_row_and_for_fifty(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries, rows: int, *, indexed: bool
) -> None:
    for number in range(rows):
        say(parties.coder, f"Likes bread number {number}", tags=["food"])
    if indexed:
        catch_up(parties.user.pk)
    call = Call(parties.coder, None, "rest")
    # now, search, rows, sources
    with django_assert_num_queries(4):
        assert len(recall(call, query="bread", limit=100).items) == rows


@pytest.mark.parametrize("rows", [1, 50])
def test_a_list_costs_the_same_for_one_row_and_for_fifty(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries, rows: int
) -> None:
    for number in range(rows):
        say(parties.coder, f"Likes bread number {number}")
    # the two scopes that an agent without a conversation has, rows, now, count
    with django_assert_num_queries(5):
        assert len(recall_notes(principal=parties.coder, query=None, limit=100).hits) == rows
    # rows, shown, count, sources
    with django_assert_num_queries(4):
        page = find_items(parties.person, narrowed_to=ItemFilter(statuses=("active",)), limit=100)
        assert len(present_all([hit.item for hit in page.hits])) == rows


def test_what_is_shown_by_ids_is_what_the_queryset_gives(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    here = make_conversation(parties.user)
    old = said(parties.coder, "Prefers tabs")
    new = said(parties.coder, "Prefers spaces", replaces=old)
    private = said(parties.coder.within(here.pk, here.ref), "Prefers rye", scope="private", tags=["food"])
    ids = [old.pk, new.pk, private.pk]
    expected = list(GovernanceItem.objects.for_display().filter(pk__in=ids))
    for asked in (ids, ids[:1], ids):
        with django_assert_num_queries(1):
            found = load_for_display(asked)
            shown = {pk: (item.scope_agent, item.scope_conversation, item.memory.tags) for pk, item in found.items()}
        assert sorted(shown) == sorted(asked)
    assert {row.ref: row for row in present_all(list(found.values()))} == {
        row.ref: row for row in present_all(expected)
    }
    assert load_for_display([]) == {}


def test_decisions(parties: Parties, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    waiting = said(parties.cron, "Prefers pytest")
    with django_assert_num_queries(9):
        accept(principal=parties.person, reference=waiting.ref)
    used = said(parties.coder, "Prefers tabs")
    with django_assert_num_queries(9):
        forget(principal=parties.coder, reference=used.ref)
