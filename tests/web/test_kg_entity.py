"""The page of an entity: its facts, their time, what stands around it, and what it is merged with."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from graph.facts.merging import merge
from graph.models import Entity, EntityMerge
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from review.lifecycle import reject
from tests.factories import make_owner, make_person
from tests.graph.facts import add, fact
from tests.web.beliefs import HOSTILE
from tests.web.graph_pages import facts_of, nodes, page_of
from tests.web.people import browser_of, htmx, text_of


@pytest.fixture
def me(lotta: User) -> Principal:
    return make_person(lotta)


# --- an entity ------------------------------------------------------------------------------------------------------


def test_the_page_of_an_entity_tells_its_facts_its_time_and_what_stands_around_it(
    me: Principal, browser: Client
) -> None:
    add(me, "Lotta Berg", "lives_in", "Porto", valid_from="2021")
    add(me, "Lotta Berg", "lives_in", "Lisbon", valid_from="2025-06-01")
    add(me, "Bob", "knows", "Lotta Berg", confidence="AMBIGUOUS")
    add(me, "Bob", "works_at", "Ferrous")
    page = browser.get(page_of("Lotta Berg"))
    html, text = page.content.decode(), text_of(page)
    assert "<title>Lotta Berg · PawFlow</title>" in html
    assert re.search(r"Bob knows this.*lives_in Lisbon from 1 Jun 2025.*lives_in Porto 2021 to 1 Jun 2025", text)
    assert nodes(html) == ["Lotta Berg, centre", "Bob, knows, current", "Lisbon, lives_in, current"]
    assert 'aria-label="Neighbourhood of Lotta Berg, 2 facts"' in html
    assert '<path class="edge dotted"' in html
    assert "Replaced: lives_in Porto, from 1 January 2021 until 1 June 2025" in html
    assert 'aria-current="true">1 hop' in html


def test_how_far_and_of_which_time_is_in_the_address(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "lives_in", "Porto", valid_from="2021")
    add(me, "Lotta", "lives_in", "Lisbon", valid_from="2025-06-01")
    add(me, "Lotta", "knows", "Bob")
    add(me, "Bob", "email", "bob@example.org")
    here = page_of("Lotta")

    def drawn(query: str) -> set[str]:
        return {title.partition(",")[0] for title in nodes(browser.get(f"{here}{query}").content.decode())}

    assert drawn("") == {"Lotta", "Lisbon", "Bob"}
    assert drawn("?hops=2") == {"Lotta", "Lisbon", "Bob", "bob@example.org"}
    assert drawn("?time=all") == {"Lotta", "Lisbon", "Bob", "Porto"}
    assert drawn("?predicate=knows") == {"Lotta", "Bob"}
    assert drawn("?as_of=2022-03-03") == {"Lotta", "Porto", "Bob"}
    page = browser.get(f"{here}?hops=2&time=all").content.decode()
    assert '<path class="edge faded"' in page
    assert f'href="{page_of("Bob")}?hops=2&amp;time=all"' in page
    for wrong in ("?hops=7", "?time=never", "?predicate=%E2%86%92"):
        assert browser.get(f"{here}{wrong}").status_code == 422


def test_recentring_swaps_what_is_drawn_and_everything_beside_it(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "knows", "Bob")
    part = browser.get(page_of("Bob"), headers=htmx("kg-view")).content.decode()
    assert part.lstrip().startswith("<title>Bob · PawFlow</title>")
    assert 'id="kg-view"' in part
    assert 'id="kg-head" hx-swap-oob="true"' in part
    assert 'id="kg-detail" hx-swap-oob="true"' in part
    assert '<a class="node centre" href="' + page_of("Bob") + '" data-focus>' in part
    assert "<html" not in part


def test_a_path_leads_from_one_to_another(me: Principal, browser: Client) -> None:
    add(me, "Lotta", "works_at", "Ferrous")
    add(me, "Bob", "works_at", "Ferrous")
    add(me, "Zig", "competes_with", "Rust")
    here = page_of("Lotta")
    assert "To bob Lotta works_at Ferrous Bob works_at Ferrous" in text_of(browser.get(f"{here}?to=bob"))
    assert "No facts that hold now lead there." in text_of(browser.get(f"{here}?to=Rust"))
    assert "No facts that hold now lead there." in text_of(browser.get(f"{here}?to=nobody"))
    assert "That is this entity itself." in text_of(browser.get(f"{here}?to=lotta"))


def test_what_nobody_may_know_of_reads_like_what_never_was(lotta: User, me: Principal, browser: Client) -> None:
    item = fact(me, "Lotta", "lives_in", "Lisbon")
    ref = Entity.objects.get(name="Lotta").ref
    assert browser.get(f"/kg/{ref}").status_code == 200
    stranger = browser_of(make_owner("bob"))
    never = stranger.get("/kg/0123456789ab")
    for path in (f"/kg/{ref}", f"/kg/{ref}/merge"):
        foreign = stranger.get(path)
        assert foreign.status_code == 404
        assert "There is nothing here that you may see." in text_of(foreign)
    assert stranger.get(f"/kg/{ref}").content.replace(ref.encode(), b"-") == never.content.replace(
        b"0123456789ab", b"-"
    )
    reject(principal=me, reference=item.ref)
    assert browser.get(f"/kg/{ref}").status_code == 404
    assert browser.get("/kg/nonsense").status_code == 404
    assert browser_of().get(f"/kg/{ref}").status_code == 302


def test_hostile_names_are_shown_as_what_they_are(me: Principal, browser: Client) -> None:
    add(me, "<b>Bob</b>", "knows", "The user admin")
    page = browser.get(page_of("<b>Bob</b>")).content.decode()
    assert "<b>Bob</b>" not in page
    assert "&lt;b&gt;Bob&lt;/b&gt;" in page
    waits = add(me, "Bob", "says", HOSTILE)
    assert waits.admission.status == "needs_review"
    assert HOSTILE not in browser.get("/kg").content.decode()


# --- two that are one -----------------------------------------------------------------------------------------------


def test_a_merge_is_looked_at_done_and_taken_back(me: Principal, browser: Client) -> None:
    add(me, "Zoe Berg", "lives_in", "Madrid")
    add(me, "Zoe B.", "knows", "Bob")
    here, gone = page_of("Zoe Berg"), page_of("Zoe B.")
    assert browser.get(f"{here}/merge").status_code == 200
    looked = browser.get(f"{here}/merge?drop=zoe+b.", headers=htmx("kg-merge-preview"))
    assert "Zoe B.: 1 fact moves, with the names Zoe B. ." in text_of(looked)
    assert "Merge into Zoe Berg" in text_of(looked)
    assert EntityMerge.objects.count() == 0
    done = browser.post(f"{here}/merge", {"drop": "Zoe B."}, headers=htmx("kg-merge-preview"))
    assert done["HX-Redirect"] == here
    page = browser.get(here)
    assert "Merged. Zoe B. is a name of Zoe Berg now." in text_of(page)
    assert "also Zoe B." in text_of(page)
    assert "Bob, knows, current" in page.content.decode()
    assert browser.get(gone).status_code == 200, "the address of the other leads to what it became"
    row = EntityMerge.objects.get()
    assert f'action="/kg/merges/{row.ref}/undo"' in page.content.decode()
    assert browser.post(f"/kg/merges/{row.ref}/undo")["Location"] == here
    assert "Taken back. Zoe B. is an entity of its own again." in text_of(browser.get(here))
    assert "also" not in text_of(browser.get(here))
    assert "Bob, knows" in browser.get(gone).content.decode()
    assert browser.post(f"/kg/merges/{row.ref}/undo").status_code == 409


def test_a_merge_that_cannot_be_says_why(me: Principal, browser: Client) -> None:
    add(me, "Zoe Berg", "works_at", "Hooli")
    add(me, "Zoe B.", "works_at", "Initech")
    here = page_of("Zoe Berg")
    looked = browser.get(f"{here}/merge?drop=Zoe+B.")
    assert "Two values cannot both hold. End one of them first." in text_of(looked)
    assert "Zoe B. → works_at → Initech / Zoe Berg → works_at → Hooli" in text_of(looked)
    assert "Merge into" not in text_of(looked)
    assert browser.post(f"{here}/merge", {"drop": "Zoe B."}).status_code == 409
    for name, told in (("nobody", "No fact that you may read names this."), ("zoe berg", "already"), ("", "Name the")):
        answer = browser.post(f"{here}/merge", {"drop": name})
        assert answer.status_code == 422
        assert told in text_of(answer)
    assert EntityMerge.objects.count() == 0
    assert browser.post("/kg/merges/0123456789ab/undo").status_code == 404


def test_a_stranger_takes_no_merge_back(me: Principal) -> None:
    add(me, "Zoe Berg", "lives_in", "Madrid")
    add(me, "Zoe B.", "knows", "Bob")
    row = merge(principal=me, keep="Zoe Berg", drop="Zoe B.")
    assert browser_of(make_owner("bob")).post(f"/kg/merges/{row.ref}/undo").status_code == 404
    row.refresh_from_db()
    assert row.undone_at is None


# --- the same belief elsewhere ----------------------------------------------------------------------------------------


def test_the_page_of_a_fact_names_its_parts_and_leads_to_its_entities(me: Principal, browser: Client) -> None:
    item = fact(me, "Lotta", "lives_in", "Lisbon")
    value = fact(me, "Lotta", "email", "lotta@example.org")
    page = browser.get(f"/items/{item.ref}")
    assert "Subject Lotta Predicate lives_in Object Lisbon" in text_of(page)
    assert f'<a href="{page_of("Lotta")}">Lotta</a>' in page.content.decode()
    assert f'<a href="{page_of("Lisbon")}">Lisbon</a>' in page.content.decode()
    assert "Object lotta@example.org" in text_of(browser.get(f"/items/{value.ref}"))
    beside = browser.get(f"/items/{item.ref}", headers=htmx("memories-detail"))
    assert "Subject Lotta" in text_of(beside)
    reject(principal=me, reference=item.ref)
    gone = browser.get(f"/items/{item.ref}")
    assert "Subject Lotta" in text_of(gone)
    assert page_of("Lotta") in browser.get(f"/items/{value.ref}").content.decode()
    assert "/kg/" not in gone.content.decode().partition('id="item-')[2]


def test_correcting_a_fact_says_how_it_is_written(me: Principal, browser: Client) -> None:
    item = fact(me, "Lotta", "lives_in", "Lisbon")
    asked = browser.get(f"/items/{item.ref}/correct")
    assert "Subject → predicate → object, with the arrows between" in text_of(asked)
    wrong = browser.post(f"/items/{item.ref}/correct", {"text": "Lotta lives in Porto", "revision": item.revision})
    assert wrong.status_code == 422
    assert "A fact is written subject → predicate → object." in text_of(wrong)
    done = browser.post(f"/items/{item.ref}/correct", {"text": "Lotta → lives_in → Porto", "revision": item.revision})
    assert done.status_code == 302
    assert facts_of(browser.get("/kg").content.decode()) == ["Lotta lives_in Porto"]


def test_a_fact_is_found_by_find_and_stands_among_the_memories(me: Principal, browser: Client) -> None:
    fact(me, "Lotta", "lives_in", "Lisbon")
    assert "Lotta → lives_in → Lisbon" in text_of(browser.get("/find?q=Lisbon"))
    assert "Lotta → lives_in → Lisbon" in text_of(browser.get("/memories?kind=fact"))
    assert browser.get("/find?q=knowledge+graph")["Location"] == "/kg"


# --- what a page may cost -------------------------------------------------------------------------------------------


def costs(browser: Client, path: str) -> tuple[int, int]:
    with CaptureQueriesContext(connection) as asked:
        answer = browser.get(path)
    assert answer.status_code == 200
    # a path asks again for each step of it
    assert len(asked) <= (15 if "?to=" not in path else 18), [query["sql"][:100] for query in asked]
    return len(asked), len(answer.content)


def test_a_page_costs_as_little_with_many_facts_as_with_one(db: None) -> None:
    few, many = make_owner("few"), make_owner("many")
    add(make_person(few), "Hub", "knows", "Person 0 of a long name")
    for number in range(50):
        add(make_person(many), "Hub", "knows", f"Person {number} of a long name", valid_from="2020")
    for path in (
        "/kg",
        "/kg?q=person+of+a+long+name",
        "/kg?status=all",
        "{}",
        "{}?hops=2",
        "{}?to=Person+0+of+a+long+name",
    ):
        counts = []
        for user in (few, many):
            hub = Entity.objects.get(user=user, name="Hub").ref
            asked, size = costs(browser_of(user), path.format(f"/kg/{hub}"))
            assert size <= 60_000, (path, size)
            counts.append(asked)
        # whoever has many may have one more kept in the session
        assert abs(counts[1] - counts[0]) <= 1, (path, counts)
