"""A reader asked about one belief alone answers what paging through it to the end would."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.notes.find import recall_notes
from pawflow_web.identity.principal import Principal
from review.lifecycle import accept, forget, reject
from review.models import GovernanceItem
from review.readers import shown_in
from review.search.filters import ItemFilter
from review.search.find import Page, find_items
from review.search.index import catch_up
from tests.factories import GITHUB_TOKEN, make_conversation
from tests.review.beliefs import Parties, between, let_expire, said, since

FILTERS = {
    "fit for a prompt": ItemFilter(fit_for_prompt=True),
    "visible": ItemFilter(),
    "in use": ItemFilter(statuses=("active",)),
    "of a tag": ItemFilter(tags=("food",)),
}
QUERIES = (None, "bread", "sourdough bread", "nothing like it")


@pytest.fixture
def store(parties: Parties) -> list[GovernanceItem]:
    """One of everything that a reader may or may not show."""
    here = make_conversation(parties.user)
    inside = parties.coder.within(here.pk, here.ref)
    items = [
        said(parties.coder, "Prefers sourdough bread", tags=["food"]),
        said(parties.coder, "Prefers rye bread", scope="agent"),
        said(inside, "Prefers white bread", scope="conversation"),
        said(inside, "Prefers no bread", scope="private"),
        said(parties.cron, "Sells bread"),
        said(parties.coder, "Baked bread once", valid=between((2020,), (2021,))),
        said(parties.coder, "Will bake bread", valid=since(2200)),
        said(parties.coder, f"The bread key is {GITHUB_TOKEN}"),
    ]
    gone = {name: said(parties.coder, f"Bread is {name}") for name in ("rejected", "forgotten", "expired", "accepted")}
    reject(principal=parties.person, reference=gone["rejected"].ref)
    forget(principal=parties.person, reference=gone["forgotten"].ref)
    accept(principal=parties.person, reference=gone["forgotten"].ref)
    forget(principal=parties.person, reference=gone["forgotten"].ref)
    let_expire(parties.person, gone["expired"])
    return [*items, *gone.values()]


def paged(principal: Principal, narrowed_to: ItemFilter, query: str | None) -> set[int]:
    """Everything that the question gives, page by page."""
    found: set[int] = set()
    cursor: str | None = None
    while True:
        page = find_items(
            principal, narrowed_to=narrowed_to, query=query, sort="newest", limit=3, cursor=cursor, counted=False
        )
        found |= {hit.item.pk for hit in page.hits}
        if page.next is None:
            return found
        cursor = page.next


def askers(parties: Parties) -> Iterator[Principal]:
    here = make_conversation(parties.user)
    yield from (parties.person, parties.coder, parties.writer, parties.cron, parties.coder.within(here.pk, here.ref))


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", FILTERS)
def test_asking_about_one_gives_what_paging_gives(
    parties: Parties, strangers: Parties, store: list[GovernanceItem], name: str, query: str | None, *, indexed: bool
) -> None:
    if indexed:
        catch_up(parties.user.pk)
    known: set[int] = set()
    for principal in (*askers(parties), strangers.person, strangers.coder):
        expected = paged(principal, FILTERS[name], query)
        asked = {item.pk for item in store if shown_in(principal, item, FILTERS[name], query)}
        assert asked == expected, (principal.name, name, query)
        known |= expected
    assert (known == set()) == (query == "nothing like it")


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_recall_of_one_gives_what_recall_gives(parties: Parties, store: list[GovernanceItem], *, indexed: bool) -> None:
    if indexed:
        catch_up(parties.user.pk)
    everything: Page = recall_notes(principal=parties.coder, query="bread", limit=100, sort="recent")
    expected = {hit.item.pk for hit in everything.hits}
    alone = {
        item.pk
        for item in store
        if recall_notes(principal=parties.coder, query="bread", limit=1, sort="recent", only=item.pk).hits
    }
    assert alone == expected
    assert len(expected) >= 3


def test_asking_about_one_costs_the_same_among_many(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    items = [said(parties.coder, f"Likes bread number {number}") for number in range(60)]
    catch_up(parties.user.pk)
    # the row, shown; then: now, search, shown
    with django_assert_num_queries(2):
        assert shown_in(parties.person, items[0], FILTERS["fit for a prompt"], None)
    with django_assert_num_queries(3):
        assert shown_in(parties.person, items[0], FILTERS["fit for a prompt"], "bread")
