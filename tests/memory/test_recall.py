"""What recall finds, in which order, and how honestly it says what it looked through."""

import shutil
from collections.abc import Callable
from typing import Any, get_args

import pytest
from django.conf import settings as django_settings

from memory.models import Category
from memory.notes.find import recall_notes
from memory.notes.services import remember_note
from memory.tools.notes import recall
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.tools import registry
from review import lifecycle
from review.api import CategoryWord
from review.models import GovernanceItem
from review.search.find import Page
from review.search.index import catch_up
from tests.factories import make_conversation
from tests.review.beliefs import Parties, moment, readable, said


def asked(principal: Principal, query: str | None = None, **options: Any) -> list[str]:
    return [hit.item.text for hit in recall_notes(principal=principal, query=query, **options).hits]


def tell(principal: Principal, text: str, **options: Any) -> GovernanceItem:
    item = remember_note(principal=principal, text=text, scope=options.pop("scope", "global"), **options).admission.item
    assert item is not None
    return item


def index(parties: Parties) -> None:
    while catch_up(parties.user.pk):
        pass


INDEXED = pytest.mark.parametrize("prepare", [lambda parties: None, index], ids=["tail", "index"])
Prepare = Callable[[Parties], None]


@INDEXED
def test_words_are_found_in_any_form_and_place(parties: Parties, prepare: Prepare) -> None:
    tell(parties.coder, "Prefers CSV format")
    tell(parties.coder, "Ships on Fridays", tags=["deadline"])
    tell(parties.coder, "喜欢用深色主题")
    prepare(parties)
    assert asked(parties.coder, "csv") == ["Prefers CSV format"]
    assert asked(parties.coder, "formats preferred") == ["Prefers CSV format"]
    assert asked(parties.coder, "deadline") == ["Ships on Fridays"]
    assert asked(parties.coder, "深色") == ["喜欢用深色主题"]
    assert asked(parties.coder, "zebra") == []


@INDEXED
def test_more_of_the_asked_words_stand_above_fewer(parties: Parties, prepare: Prepare) -> None:
    tell(parties.coder, "the auth layer is slow", tags=["perf"])
    tell(parties.coder, "middleware blocks requests", tags=["infra"])
    tell(parties.coder, "the office plants need water")
    prepare(parties)
    assert set(asked(parties.coder, "slow auth middleware")) == {"the auth layer is slow", "middleware blocks requests"}
    assert asked(parties.coder, "slow auth middleware")[0] == "the auth layer is slow"


def test_a_letter_alone_can_be_asked_for(parties: Parties) -> None:
    tell(parties.coder, "Writes C")
    tell(parties.coder, "Writes C#")
    assert "Writes C" in asked(parties.coder, "C")


@INDEXED
def test_narrow_scopes_come_first_above_a_floor_of_relevance(parties: Parties, prepare: Prepare) -> None:
    here = make_conversation(parties.user)
    within = parties.coder.within(here.pk, here.ref)
    tell(within, "Deploy checklist: run the smoke tests", scope="global")
    tell(within, "Deploy checklist of coder: run the smoke tests", scope="agent")
    tell(within, "Deploy checklist of this talk: run the smoke tests", scope="conversation")
    tell(within, "Deploy checklist kept private: run the smoke tests", scope="private")
    weak = "We once mentioned a checklist among many other unrelated things like plants, coffee and bicycles"
    tell(within, weak, scope="private")
    for number in range(12):
        tell(within, f"checklist note number {number}", scope="agent")
    prepare(parties)
    found = recall_notes(principal=within, query="deploy smoke tests checklist", limit=50)
    scopes = [hit.item.scope for hit in found.hits]
    assert scopes[:4] == ["private", "conversation", "agent", "global"]
    assert scopes == sorted(scopes, key=["private", "conversation", "agent", "global"].index)
    best = max(hit.score for hit in found.hits)
    assert all(hit.score >= 0.3 * best for hit in found.hits)
    assert weak not in [hit.item.text for hit in found.hits]
    assert weak in asked(within, "deploy smoke tests checklist", sort="relevance", limit=50)


def test_relevance_and_recency_are_other_orders(parties: Parties) -> None:
    tell(parties.coder, "bread bread bread")
    tell(parties.coder, "bread with olives and a long story about the bakery at the corner")
    assert asked(parties.coder, "bread", sort="relevance")[0] == "bread bread bread"
    assert asked(parties.coder, "bread", sort="recent")[0].startswith("bread with olives")
    assert asked(parties.coder, sort="recent")[0].startswith("bread with olives")
    with pytest.raises(Invalid) as refused:
        asked(parties.coder, sort="relevance")
    assert list(refused.value.fields) == ["sort"]


def test_a_list_without_a_question_goes_by_scope_and_then_by_newness(parties: Parties) -> None:
    tell(parties.coder, "old global")
    tell(parties.coder, "old own", scope="agent")
    tell(parties.coder, "new global")
    tell(parties.coder, "new own", scope="agent")
    assert asked(parties.coder) == ["new own", "old own", "new global", "old global"]
    assert asked(parties.coder, limit=3) == ["new own", "old own", "new global"]


@INDEXED
def test_tags_and_category_narrow_a_question_too(parties: Parties, prepare: Prepare) -> None:
    tell(parties.coder, "bread one", tags=["food", "Home"], category="facts")
    tell(parties.coder, "bread two", tags=["food"], category="preferences")
    tell(parties.coder, "bread three", category="facts")
    prepare(parties)
    for query in ("bread", None):
        assert set(asked(parties.coder, query, tags=["home", "food"])) == {"bread one", "bread two"}
        assert asked(parties.coder, query, tags=["HOME", "food"], all_tags=True) == ["bread one"]
        assert set(asked(parties.coder, query, category="facts")) == {"bread one", "bread three"}
        assert asked(parties.coder, query, category="facts", tags=["food"]) == ["bread one"]
        assert asked(parties.coder, query, tags=["none"]) == []


def test_an_unknown_category_is_refused_with_the_choices(parties: Parties) -> None:
    for call in (lambda: asked(parties.coder, category="zzz"), lambda: tell(parties.coder, "bread", category="zzz")):
        with pytest.raises(Invalid) as refused:
            call()
        assert refused.value.fields == {"category": "must be one of facts, events, discoveries, preferences, advice"}
    with pytest.raises(Invalid) as at_the_tool:
        registry.get("recall").check({"category": "zzz"})
    assert "preferences" in str(at_the_tool.value.fields["category"])


@pytest.mark.parametrize("query", [None, "bread"])
@pytest.mark.parametrize("sort", ["scope", "recent"])
def test_paging_meets_each_belief_once_while_others_arrive(parties: Parties, query: str | None, sort: str) -> None:
    first = [
        tell(parties.coder, f"bread number {number}", scope="agent" if number % 3 else "global") for number in range(17)
    ]
    met: list[str] = []
    cursor = None
    for number in range(30):
        page = recall_notes(principal=parties.coder, query=query, sort=sort, limit=3, cursor=cursor)
        met += [hit.item.text for hit in page.hits]
        tell(parties.coder, f"bread arrived {number}")
        cursor = page.next
        if cursor is None:
            break
    assert len(met) == len(set(met))
    assert {item.text for item in first} <= set(met)


def test_a_cursor_continues_only_its_own_question_by_its_own_caller(parties: Parties, strangers: Parties) -> None:
    for number in range(4):
        tell(parties.coder, f"bread {number}")
    for query in (None, "bread"):
        cursor = recall_notes(principal=parties.coder, query=query, limit=2).next
        assert cursor is not None
        assert len(asked(parties.coder, query, limit=2, cursor=cursor)) == 2
        others: list[tuple[Principal, dict[str, Any]]] = [
            (parties.writer, {}),
            (parties.person, {}),
            (strangers.coder, {}),
            (parties.coder, {"query": "other"}),
            (parties.coder, {"tags": ["food"]}),
            (parties.coder, {"sort": "recent"}),
            (parties.coder, {"cursor": cursor[:-2] + "AA"}),
            (parties.coder, {"cursor": "bm9uc2Vuc2U"}),
            (parties.coder, {"cursor": "é"}),
            (parties.coder, {"cursor": ""}),
        ]
        for principal, change in others:
            with pytest.raises(Invalid) as refused:
                asked(principal, **{"query": query, "limit": 2, "cursor": cursor, **change})
            assert list(refused.value.fields) == ["cursor"]


@INDEXED
def test_coverage_counts_what_this_caller_may_see(parties: Parties, strangers: Parties, prepare: Prepare) -> None:
    for number in range(5):
        tell(parties.coder, f"bread {number}")
    tell(parties.writer, "bread of another", scope="agent")
    tell(parties.cron, "bread that waits")
    tell(strangers.coder, "bread of bob")
    prepare(parties)
    searched = recall_notes(principal=parties.coder, query="bread").coverage
    listed = recall_notes(principal=parties.coder, query=None).coverage
    assert (searched.mode, searched.searched, searched.complete) == ("keyword", 5, True)
    assert searched.notes == ("no_embedder",)
    assert (listed.mode, listed.searched, listed.complete) == ("browse", 5, True)


def test_what_was_just_said_is_found_before_any_index_hears_of_it(parties: Parties) -> None:
    assert asked(parties.coder, "bread") == []
    tell(parties.coder, "bread one")
    assert asked(parties.coder, "bread") == ["bread one"]
    index(parties)
    tell(parties.coder, "bread two")
    assert set(asked(parties.coder, "bread")) == {"bread one", "bread two"}
    lifecycle.forget(principal=parties.coder, reference=GovernanceItem.objects.get(text="bread one").ref)
    assert asked(parties.coder, "bread") == ["bread two"]


def test_an_index_that_is_deleted_while_it_serves_changes_no_answer(parties: Parties) -> None:
    for number in range(5):
        tell(parties.coder, f"bread {number}")
    index(parties)
    before = recall_notes(principal=parties.coder, query="bread")
    shutil.rmtree(django_settings.ENV.search_dir / str(parties.user.pk))
    during = recall_notes(principal=parties.coder, query="bread")
    tell(parties.coder, "bread 5")
    index(parties)
    after = recall_notes(principal=parties.coder, query="bread")
    assert _texts(before) == _texts(during)
    assert during.coverage.complete
    assert _texts(after) == _texts(before) | {"bread 5"}


def _texts(page: Page) -> set[str]:
    return {hit.item.text for hit in page.hits}


@INDEXED
def test_both_clocks_narrow_a_question(parties: Parties, prepare: Prepare) -> None:
    old = said(parties.coder, "bread from Acme")
    tell(parties.coder, "bread from Beta", supersedes=old.ref, valid_from="2024-05-01")
    known = GovernanceItem.objects.get(pk=old.pk).recorded_at.isoformat()
    prepare(parties)
    for query in ("bread", None):
        assert asked(parties.coder, query) == ["bread from Beta"]
        assert asked(parties.coder, query, as_of="2024-04") == ["bread from Acme"]
        assert asked(parties.coder, query, as_of="2024-05-01") == ["bread from Beta"]
        assert asked(parties.coder, query, as_of="2025", known_at=known) == ["bread from Acme"]
        assert asked(parties.coder, query, known_at="1999") == []
    assert readable(parties.coder, at=moment(2024, 4)) == {"bread from Acme"}


@INDEXED
def test_what_begins_or_ends_some_day_is_found_in_its_time(parties: Parties, prepare: Prepare) -> None:
    tell(parties.coder, "bread for a week", ttl_days=7)
    tell(parties.coder, "bread since 2020", valid_from="2020")
    tell(parties.coder, "bread from 2999 on", valid_from="2999")
    prepare(parties)
    for query in ("bread", None):
        page = recall_notes(principal=parties.coder, query=query)
        assert _texts(page) == {"bread for a week", "bread since 2020"}
        assert page.coverage.searched == 2
        assert asked(parties.coder, query, as_of="2019") == ["bread for a week"]
        assert len(asked(parties.coder, query, as_of="2999-06")) == 3


def test_a_hit_says_why_it_was_found_only_when_asked(parties: Parties) -> None:
    tell(parties.coder, "Prefers sourdough bread")
    call = Call(parties.coder, None, "rest")
    plain = recall(call, query="bread").model_dump(mode="json")
    told = recall(call, query="bread preferred zebra", explain=True).model_dump(mode="json")
    assert "explain" not in plain["items"][0]
    reason = told["items"][0]["explain"]
    assert set(reason["matched"]) == {"bread", "preferred"}
    assert reason["bm25_rank"] == 1
    assert reason["bm25"] == told["items"][0]["score"] > 0
    assert "bread" in reason["why"]


def test_a_question_of_signs_only_finds_nothing_and_says_so(parties: Parties) -> None:
    tell(parties.coder, "Prefers sourdough bread")
    page = recall_notes(principal=parties.coder, query="?!")
    assert (page.hits, page.next, page.coverage.complete) == ([], None, True)
    assert asked(parties.coder, "   ") == ["Prefers sourdough bread"]


def test_the_list_of_beliefs_knows_the_categories_of_notes() -> None:
    assert get_args(CategoryWord) == tuple(Category.values)


@pytest.mark.parametrize("hidden", ["of another agent", "rejected"])
def test_a_score_does_not_tell_what_stands_in_hidden_rows(parties: Parties, hidden: str) -> None:
    """A word of hidden rows and a word that nobody ever said weigh the same for those who may not see them."""
    for number in range(6):
        if hidden == "rejected":
            item = tell(parties.coder, f"blorptech plan {number}")
            lifecycle.reject(principal=parties.person, reference=item.ref)
        else:
            tell(parties.coder, f"blorptech plan {number}", scope="agent")
    for number in range(300):
        said(parties.coder, f"Filler number {number} says little")
    tell(parties.writer, "probe blorptech note", scope="agent")
    tell(parties.writer, "probe neverused note", scope="agent")
    index(parties)
    scores = [
        recall_notes(principal=parties.writer, query=word, sort="relevance").hits[0].score
        for word in ("blorptech", "neverused")
    ]
    assert scores[0] == scores[1]
    if hidden == "of another agent":
        own = recall_notes(principal=parties.coder, query="blorptech", sort="relevance").hits[0].score
        assert own != scores[0]


@pytest.mark.parametrize("name", ["as_of", "known_at"])
def test_a_number_beyond_all_time_is_refused_by_name(name: str) -> None:
    with pytest.raises(Invalid) as refused:
        registry.get("recall").check({name: 10**400})
    assert list(refused.value.fields) == [name]
    assert registry.get("recall").check({name: 1_700_000_000})
