"""The list of the knowledge graph: what is found, one fact more, and its end."""

import re
from typing import Any

import pytest
from django.test import Client

from graph.facts.merging import merge
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from review.lifecycle import reject
from review.models import GovernanceItem
from tests.factories import AUTOMATION, make_person, make_principal
from tests.graph.facts import add, fact
from tests.web.beliefs import propose
from tests.web.graph_pages import facts_of, page_of
from tests.web.people import at, htmx, text_of


@pytest.fixture
def me(lotta: User) -> Principal:
    return make_person(lotta)


def nightly(user: User) -> Principal:
    return make_principal(user, agent="nightly", origin=AUTOMATION)


def listed(browser: Client, query: str = "") -> list[str]:
    return facts_of(browser.get(f"/kg{query}").content.decode())


# --- the list -------------------------------------------------------------------------------------------------------


def test_facts_that_hold_stand_there_and_the_numbers_above_them(lotta: User, me: Principal, browser: Client) -> None:
    add(me, "Lotta Berg", "lives_in", "Porto", valid_from="2021")
    add(me, "Lotta Berg", "lives_in", "Lisbon", valid_from="2025-06-01")
    add(me, "Bob", "email", "bob@example.org", confidence="INFERRED")
    add(nightly(lotta), "Zoe", "owns", "A kite")
    page = browser.get("/kg")
    text = text_of(page)
    assert facts_of(page.content.decode()) == ["Bob email bob@example.org", "Lotta Berg lives_in Lisbon"]
    assert listed(browser, "?status=all")[-1] == "Lotta Berg lives_in Porto"
    assert "4 entities, 3 facts, 2 current, 1 in review" in text
    assert "1 Jun 2025 said outright" in text
    assert "inferred" in text
    assert 'href="/review?kind=fact"' in page.content.decode()
    assert "Zoe" not in text


def test_what_waits_is_found_in_review_by_its_kind(lotta: User, browser: Client) -> None:
    bot = nightly(lotta)
    add(bot, "Zoe", "owns", "A kite")
    propose(lotta, "The canary is green.")
    narrowed = text_of(browser.get("/review?kind=fact"))
    assert "Zoe → owns → A kite" in narrowed
    assert "kind: fact" in narrowed
    assert "The canary is green." not in narrowed
    everything = text_of(browser.get("/review?kind=nonsense"))
    assert "The canary is green." in everything


def test_words_and_predicates_narrow(me: Principal, browser: Client) -> None:
    add(me, "Lotta Berg", "lives_in", "Lisbon")
    add(me, "Bob", "lives_in", "Berlin")
    add(me, "Bob", "email", "bob@lisbon.example")
    add(me, "pawflow-web", "uses", "Django")
    lisbon, berlin, mail, uses = (
        "Lotta Berg lives_in Lisbon",
        "Bob lives_in Berlin",
        "Bob email bob@lisbon.example",
        "pawflow-web uses Django",
    )
    assert listed(browser, "?q=lis") == [mail, lisbon]
    assert listed(browser, "?q=lives+ber") == [berlin, lisbon]
    assert listed(browser, "?q=BOB+lives") == [berlin]
    assert listed(browser, "?predicate=lives_in") == [berlin, lisbon]
    assert listed(browser, "?predicate=Lives+in&q=lotta") == [lisbon]
    assert listed(browser, "?q=pawflow") == [uses]
    assert listed(browser, "?q=%25") == []
    answer = text_of(browser.get("/kg?q=lis"))
    assert "2 found, 4 current" in answer
    assert "text: lis" in answer
    assert "Nothing matches “nobody”" in text_of(browser.get("/kg?q=nobody"))
    for query in ("?status=golden", f"?q={'x' * 401}", "?predicate=%E2%86%92"):
        refused = browser.get(f"/kg{query}")
        assert refused.status_code == 422
        assert facts_of(refused.content.decode()) == []


def test_another_name_finds_the_facts_of_its_entity(me: Principal, browser: Client) -> None:
    add(me, "Lotta Berg", "lives_in", "Lisbon")
    add(me, "LB", "knows", "Bob")
    merge(principal=me, keep="Lotta Berg", drop="LB")
    assert len(listed(browser, "?q=lb")) == 2


def test_the_list_goes_on_where_it_ended(me: Principal, browser: Client) -> None:
    for number in range(20):
        add(me, "Hub", "knows", f"Person {number}")
    first = browser.get("/kg?predicate=knows").content.decode()
    more = re.search(r'id="kg-more">\s*<td[^>]*><a[^>]*href="([^"]+)"', first)
    assert more is not None
    part = browser.get(more[1].replace("&amp;", "&"), headers=htmx("kg-more")).content.decode()
    assert facts_of(first) + facts_of(part) == [f"Hub knows Person {n}" for n in range(19, -1, -1)]
    assert "<html" not in part
    assert browser.get("/kg?cursor=abc").status_code == 422
    assert browser.get(more[1].replace("&amp;", "&").replace("predicate=knows", "predicate=likes")).status_code == 422


def test_typing_swaps_the_list_its_coverage_and_the_numbers(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "knows", "Bob")
    page = browser.get("/kg?q=bob", headers=htmx("kg-list")).content.decode()
    assert page.lstrip().startswith('<div class="stack" id="kg-list"')
    assert 'id="kg-coverage" hx-swap-oob="true"' in page
    assert 'id="kg-numbers" hx-swap-oob="true"' in page
    assert "<html" not in page


def test_nothing_yet_says_what_it_is_for(browser: Client) -> None:
    text = text_of(browser.get("/kg"))
    assert "People, places and things, and how they connect over time." in text
    assert "Bring a memory file" in text


def test_another_day_shows_what_held_then_and_offers_nothing_that_writes(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "lives_in", "Porto", valid_from="2021")
    add(me, "Lotta", "lives_in", "Lisbon", valid_from="2025-06-01")
    assert listed(browser, "?as_of=2022-01-01") == ["Lotta lives_in Porto"]
    assert listed(browser, "?as_of=2025-06-01") == ["Lotta lives_in Lisbon"]
    assert listed(browser, "?known_at=2020-01-01") == []
    page = browser.get(f"{page_of('Lotta')}?as_of=2022-01-01").content.decode()
    assert "Porto" in page
    assert "Lisbon" not in page
    assert 'id="kg-add"' not in page
    assert "hx-post" not in page
    early = browser.get(f"{page_of('Lotta')}?known_at=2020-01-01")
    assert "Nothing was known to hold then." in text_of(early)
    assert "Porto" not in text_of(early)
    assert browser.get("/kg?as_of=someday").status_code == 422


def test_the_best_connected_and_the_groups_come_when_asked_for(me: Principal, browser: Client) -> None:
    for other in ("Bob", "Carol", "Dora"):
        add(me, "Lotta", "knows", other)
    add(me, "Zig", "competes_with", "Rust")
    answer = browser.get("/kg/connected")
    text = text_of(answer)
    assert "Communities Lotta 4 entities" in text
    assert "Most connected Lotta 3" in text
    assert f'href="{page_of("Zig")}"' in answer.content.decode()
    part = browser.get("/kg/connected", headers=htmx("kg-connected")).content.decode()
    assert part.lstrip().startswith('<div class="grid two" id="kg-connected"')


# --- one fact more --------------------------------------------------------------------------------------------------

NEW = {"subject": "Lotta", "predicate": "lives in", "object": "Lisbon", "valid_from": "2025-06"}


def test_a_fact_of_ones_own_is_part_of_the_graph_at_once(browser: Client) -> None:
    assert browser.post("/kg", {**NEW, "confidence": "INFERRED", "source": "she said so"}).status_code == 302
    item = GovernanceItem.objects.get()
    assert (item.text, item.status, item.valid_from_precision) == ("Lotta → lives_in → Lisbon", "active", "month")
    assert (item.triple.score, item.triple.source) == (70, "she said so")
    assert "Added. It is part of the graph now." in text_of(browser.get("/kg"))
    again = browser.post("/kg", NEW, headers=htmx("kg-add"))
    assert again.status_code == 201
    assert "Already known as" in text_of(again)
    assert again["HX-Trigger"] == "items-changed"
    assert 'value="Lotta"' in again.content.decode()
    here = page_of("Lotta")
    assert browser.post("/kg", {**NEW, "predicate": "likes", "back": here})["Location"] == here
    assert browser.post("/kg", {**NEW, "predicate": "knows", "back": "//evil.example"})["Location"] == "/kg"


@pytest.mark.parametrize("script", [False, True])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"subject": ""}, "Say whom or what it is about."),
        ({"object": " "}, "Say what stands at the other end."),
        ({"valid_from": "someday"}, "must be an ISO time"),
        ({"subject": "Lotta → Berg"}, "holds an arrow"),
        ({"object": "lotta"}, "Both ends of this fact are the same."),
        ({"object": "nul\0"}, "Null characters are not allowed."),
    ],
)
def test_what_was_typed_is_kept_when_it_is_refused(
    browser: Client, script: bool, wrong: dict[str, str], told: str
) -> None:
    answer = browser.post("/kg", {**NEW, "source": "the & letter", **wrong}, headers=htmx("kg-add") if script else {})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert "the &amp; letter" in answer.content.decode()
    assert ("<html" in answer.content.decode()) is not script
    assert not GovernanceItem.objects.exists()


def test_a_rejected_fact_is_refused_and_leads_to_the_rejection(me: Principal, browser: Client) -> None:
    item = fact(me, "Lotta", "lives_in", "Lisbon")
    reject(principal=me, reference=item.ref, comment="never")
    answer = browser.post("/kg", NEW, headers=htmx("kg-add"))
    assert answer.status_code == 409
    assert "(“never”), so it was not stored." in text_of(answer)
    assert f'href="/items/{item.ref}"' in answer.content.decode()


def standing(browser: Client, **given: str) -> Any:
    return browser.get("/kg/standing", {**NEW, **given}, headers=htmx("kg-conflicts"))


def test_while_one_types_it_says_what_holds_and_what_would_become_of_it(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "lives_in", "Porto", valid_from="2021")
    page = standing(browser)
    text = text_of(page)
    assert "Now: lives_in Porto from 2021." in text
    assert "Replace it from Jun 2025 Porto ends then, and stays in the history." in text
    assert "Keep both The new one waits for you in Review: lives_in holds one value at a time." in text
    assert 'value="replace" checked' in page.content.decode()
    assert "Replace it from now on" in text_of(standing(browser, valid_from=""))
    assert "They hold one after the other, and both stay." in text_of(standing(browser, valid_from="2010"))
    assert 'value="keep" checked' in standing(browser, rival="keep").content.decode()
    assert "Known already: #1 from 2021" in text_of(standing(browser, object="PORTO"))
    for nothing in ({"subject": "Bob"}, {"predicate": ""}, {"predicate": "knows"}, {"subject": "→"}):
        assert text_of(standing(browser, **nothing)) == ""
    assert browser.get("/kg/standing", NEW)["Location"] == "/kg"


def test_a_predicate_of_many_values_keeps_them_unless_one_is_replaced(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "uses", "Vim")
    page = standing(browser, predicate="uses", object="Emacs")
    assert 'value="keep" checked' in page.content.decode()
    assert "uses may hold several values." in text_of(page)
    browser.post("/kg", {**NEW, "predicate": "uses", "object": "Emacs", "rival": "replace"})
    assert listed(browser) == ["Lotta uses Emacs"]
    browser.post("/kg", {**NEW, "predicate": "uses", "object": "Ed"})
    several = text_of(standing(browser, predicate="uses", object="Nano"))
    assert "All of them stay. End the one that no longer holds in the list." in several


@pytest.mark.parametrize(
    ("choice", "current", "told"),
    [
        ("replace", ["Lotta lives_in Lisbon"], "gave way and stays in the history."),
        ("", ["Lotta lives_in Lisbon"], "gave way and stays in the history."),
        ("keep", ["Lotta lives_in Porto"], "Kept, but it waits for you."),
    ],
)
def test_the_choice_decides_over_the_value_that_stood(
    me: Principal, browser: Client, choice: str, current: list[str], told: str
) -> None:
    add(me, "Lotta", "lives_in", "Porto", valid_from="2021")
    answer = browser.post("/kg", {**NEW, "rival": choice}, headers=htmx("kg-add"))
    assert told in text_of(answer)
    assert listed(browser) == current


def test_names_are_offered_as_far_as_a_fact_in_use_names_them(lotta: User, me: Principal, browser: Client) -> None:
    add(me, "Lotta Berg", "lives_in", "Lisbon")
    add(nightly(lotta), "Lottamaria", "owns", "A kite")
    typed = {**htmx("kg-names"), "HX-Trigger-Name": "subject"}
    offered = browser.get("/kg/names", {"subject": "lot"}, headers=typed).content.decode()
    assert re.findall(r'value="([^"]+)"', offered) == ["Lotta Berg"]
    assert "option" not in browser.get("/kg/names", {"subject": " "}, headers=typed).content.decode()
    assert browser.get("/kg/names", {"subject": "lot"})["Location"] == "/kg"


# --- an end, and the way back ---------------------------------------------------------------------------------------


def test_a_fact_is_ended_from_the_list_and_from_the_page_of_an_entity(me: Principal, browser: Client) -> None:
    item = fact(me, "Lotta", "lives_in", "Lisbon", valid_from="2020")
    assert f'data-dialog data-key="e" href="/items/{item.ref}/end"' in browser.get("/kg").content.decode()
    for place in ("/kg", page_of("Lotta")):
        item.refresh_from_db()
        form = {"ended_at": "2025-01", "revision": item.revision}
        done = browser.post(f"/items/{item.ref}/end", form, headers=at(place))
        assert "It was true until 1 January 2025" in text_of(done)
        assert done["HX-Trigger"] == "dialog-close, items-changed"
        assert f'action="/items/{item.ref}/undo"' in done.content.decode()
        assert listed(browser) == []
        assert "2020 to Jan 2025" in text_of(browser.get(page_of("Lotta")))
        browser.post(f"/items/{item.ref}/undo", headers=at(place, ""))
        assert listed(browser) == ["Lotta lives_in Lisbon"]
