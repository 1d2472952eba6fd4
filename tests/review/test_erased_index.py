"""Erased words leave the files of the search index, also those that only the library's own tools could show."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from pawflow_web.lib.search import Index
from review import tasks
from review.lifecycle.erasing import purge
from review.models import GovernanceItem, JournalEntry
from review.search import index
from review.search.filters import ItemFilter
from review.search.find import find_items
from review.search.index import catch_up, index_of
from tests.review.beliefs import Parties, said
from tests.review.canary import CANARY, index_follows, places_of, planted, search_files

Commit = Callable[..., Any]


@pytest.fixture
def item(parties: Parties) -> GovernanceItem:
    return planted(parties)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every memory counts as one that needs its index."""
    monkeypatch.setattr(index, "WITHOUT_INDEX_LIMIT", 0)


def test_a_small_memory_lets_go_of_its_files_with_the_commit(
    parties: Parties, item: GovernanceItem, django_capture_on_commit_callbacks: Commit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        purge(principal=parties.person, reference=item.ref, confirm=item.ref)
        assert index_of(parties.user.pk).snapshot() is not None
    assert index_of(parties.user.pk).snapshot() is None
    assert [path.name for path in search_files(parties.user)] == ["beliefs.lock"]


@pytest.mark.usefixtures("large")
def test_a_large_memory_is_built_anew_while_the_old_files_answer(
    parties: Parties, item: GovernanceItem, django_capture_on_commit_callbacks: Commit
) -> None:
    said(parties.coder, "The mat is brown")
    index_of(parties.user.pk).drop()
    catch_up(parties.user.pk)
    with django_capture_on_commit_callbacks(execute=True):
        purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    # The words stand in the files still; no answer knows of them, and after a moment no count.
    assert places_of(CANARY) == {"terms of alice"}
    assert _found(parties, CANARY)[:2] == ([], True)
    catch_up(parties.user.pk)
    assert places_of(CANARY) == {"terms of alice"}
    assert _found(parties, CANARY) == ([], True, 1)
    before = index_of(parties.user.pk).built_under

    index_follows()

    assert places_of(CANARY) == set()
    assert _found(parties, "mat") == (["The mat is brown"], True, 1)
    assert index_of(parties.user.pk).built_under == JournalEntry.objects.get(verb="purge").seq > (before or 0)
    assert [path.name for path in search_files(parties.user)] == ["beliefs", "beliefs.lock", "beliefs.next.lock"]


@pytest.mark.usefixtures("large")
def test_a_renewal_that_is_cut_off_goes_on(
    parties: Parties, item: GovernanceItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "BATCH", 2)
    for number in range(7):
        said(parties.coder, f"Drawer {number} is empty")
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    while catch_up(parties.user.pk):
        pass
    # Out of time at every look: one batch each.
    monkeypatch.setattr(tasks, "_beliefs", replace(tasks._beliefs, renewal_s=0.0))
    looks = 1
    while tasks.beliefs_index(float("inf")):
        looks += 1
        assert _found(parties, "drawer 5")[1]
        assert looks < 20
    assert looks > 2
    assert places_of(CANARY) == set()
    assert len(_found(parties, "drawer")[0]) == 7


@pytest.mark.usefixtures("large")
def test_words_erased_during_a_renewal_are_not_in_its_files_either(parties: Parties, item: GovernanceItem) -> None:
    other = said(parties.coder, "The quagga is in the fourth drawer")
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    catch_up(parties.user.pk)
    beside = Index.open(index._folder(parties.user.pk, "beliefs.next"), index.SCHEMA, epoch=1)
    index._advance(beside, parties.user.pk)
    purge(principal=parties.person, reference=other.ref, confirm=other.ref)
    index_follows()
    assert places_of("quagga") == set()
    assert not beside.folder.exists()


@pytest.mark.usefixtures("large")
def test_owners_without_erased_words_keep_their_files(
    parties: Parties, strangers: Parties, item: GovernanceItem
) -> None:
    said(strangers.coder, "Theirs")
    catch_up(strangers.user.pk)
    files = index_of(strangers.user.pk)._reader.snapshot(0)
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    index_follows()
    assert index_of(strangers.user.pk)._reader.snapshot(0) is files


def test_another_node_finds_out_by_itself(parties: Parties, item: GovernanceItem, tmp_path: Path) -> None:
    """A machine that was away when words were erased cleans its files at its first look."""

    class Elsewhere:
        """The same installation with a folder of its own."""

        search_dir = tmp_path / "search"
        data_dir = settings.ENV.data_dir

    with override_settings(ENV=Elsewhere()):
        catch_up(parties.user.pk)
        assert "terms of alice" in places_of(CANARY)
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    with override_settings(ENV=Elsewhere()):
        index_follows()
        assert "terms of alice" not in places_of(CANARY)
        assert index_of(parties.user.pk).snapshot() is not None


def _found(parties: Parties, query: str) -> tuple[list[str], bool, int]:
    page = find_items(parties.coder, narrowed_to=ItemFilter(fit_for_prompt=True), query=query, sort="relevance")
    return [hit.item.text for hit in page.hits], page.coverage.complete, page.coverage.searched
