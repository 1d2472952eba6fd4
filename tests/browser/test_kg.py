"""The knowledge graph by keyboard: a fact is said while one sees what stands there, and the drawing is walked."""

import pytest
from playwright.sync_api import Page, expect

from graph.models import Entity
from pawflow_web.identity.models import User
from tests.browser.conftest import SCHEMES, Check, Enter
from tests.browser.people import in_focus, sign_in
from tests.factories import make_owner, make_person
from tests.graph.facts import add
from tests.live import Live

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    me = make_person(user)
    add(me, "Lotta Berg", "lives_in", "Porto", valid_from="2021")
    add(me, "Lotta Berg", "knows", "Bob")
    add(me, "Lotta Berg", "email", "lotta@example.org", confidence="INFERRED")
    add(me, "Bob", "works_at", "Ferrous Systems", valid_from="2024-02")
    return user


def address(live: Live, name: str) -> str:
    return f"{live.base}/kg/{Entity.objects.get(name=name).ref}"


def test_a_fact_is_said_ended_and_taken_back_by_keyboard(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/kg")
    page.keyboard.press("n")
    expect(page.locator("#kg-add-subject")).to_be_focused()
    page.keyboard.type("Lotta")
    expect(page.locator("#kg-names option")).to_have_attribute("value", "Lotta Berg")
    page.keyboard.type(" Berg")
    page.keyboard.press("Tab")
    page.keyboard.type("lives in")
    page.keyboard.press("Tab")
    page.keyboard.type("Lisbon")
    expect(page.locator("#kg-conflicts")).to_contain_text("Now: lives_in Porto from 2021.")
    page.keyboard.press("Tab")
    page.keyboard.type("2025-06-01")
    page.keyboard.press("Tab")
    replace = page.get_by_label("Replace it from 1 Jun 2025")
    expect(replace).to_be_checked()
    page.locator("#kg-add").get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.locator("#kg-list tbody tr").first).to_contain_text("Lisbon")
    expect(page.locator("#kg-list")).not_to_contain_text("Porto")
    expect(page.locator("#kg-numbers")).to_contain_text("5 facts, 4 current")
    expect(page.locator("#kg-add-open")).to_be_focused()
    page.keyboard.press("j")
    # The key waits for the answer before it to settle.
    expect(page.locator("#kg-list .item-link").first).to_be_focused()
    assert in_focus(page) == "Lotta Berg"
    page.keyboard.press("e")
    page.get_by_label("It stopped being true").fill("2026-01-01")
    page.keyboard.press("Enter")
    expect(page.locator("#kg-list")).not_to_contain_text("Lisbon")
    page.keyboard.press("u")
    expect(page.locator("#kg-list")).to_contain_text("Lisbon")


def test_the_drawing_is_walked_by_arrows_and_put_around_another(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(address(live, "Lotta Berg"))
    page.locator(".node.centre").focus()
    seen = {focused(page)}
    for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
        seen.add(focused(page))
    assert len(seen) == 4, "every node is reached by arrows"
    page.get_by_role("link", name="Bob, knows, current").focus()
    page.keyboard.press("c")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bob")
    expect(page.locator(".node.centre")).to_be_focused()
    expect(page).to_have_title("Bob · PawFlow")
    assert page.url == address(live, "Bob")
    expect(page.locator("#kg-detail")).to_contain_text("works_at Ferrous Systems")
    page.get_by_role("link", name="2 hops").click()
    expect(page.locator(".node")).to_have_count(5)
    for name in ("Bob", "Lotta Berg"):
        # Going back loads the page anew; what is pressed while it comes would be lost with the old one.
        with page.expect_event("load"):
            page.evaluate("history.back()")
        expect(page).to_have_url(address(live, name))
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.get_by_role("link", name="Porto, lives_in, current").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Porto")


def focused(page: Page) -> str:
    name: str = page.evaluate("document.activeElement.querySelector('title')?.textContent ?? ''")
    return name


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", ["wide", "small"])
def test_an_entity_and_its_questions_are_accessible_and_fit(
    enter: Enter, live: Live, lotta: User, check: Check, width: str, scheme: str
) -> None:
    me = make_person(lotta)
    add(me, "Lotta Berg", "lives_in", "Lisbon", valid_from="2025-06-01")
    add(me, "Lotta B.", "likes", "W" * 60)
    for number in range(20):
        add(me, "Bob", "knows", f"Person number {number}")
    page = enter(lotta, width=width, scheme=scheme)
    here = address(live, "Lotta Berg")
    for name, url in {
        "entity": f"{here}?hops=2&time=all",
        "entity-path": f"{here}?to=ferrous+systems",
        "entity-then": f"{here}?as_of=2022-01-01",
        "merge": f"{here}/merge?drop=Lotta+B.",
        "connected": f"{live.base}/kg/connected",
        "predicates": f"{live.base}/kg/predicates",
        "kg-all": f"{live.base}/kg?status=all&q=lotta",
    }.items():
        page.goto(url)
        if name == "entity":
            page.locator("#kg-table summary").click()
        check(page, f"kg-{name}-{scheme}-{width}")
    page.goto(here)
    page.locator("#kg-add-open").click()
    page.locator("#kg-add-predicate").fill("lives_in")
    page.locator("#kg-add-object").fill("Rome")
    expect(page.locator("#kg-conflicts")).to_contain_text("Lisbon")
    check(page, f"kg-add-{scheme}-{width}")
    page.get_by_role("link", name="Merge with another").click()
    expect(page.locator("#dialog")).to_be_visible()
    check(page, f"kg-merge-dialog-{scheme}-{width}")
    left = page.locator(".pan").evaluate("pan => [pan.scrollLeft, pan.scrollWidth - pan.clientWidth]")
    assert left[1] == 0 or left[0] > 0, "what is larger than its box is seen from its middle"


def test_everything_is_there_without_javascript(plain_page: Page, live: Live, lotta: User) -> None:
    sign_in(plain_page, live.base, lotta)
    plain_page.goto(f"{live.base}/kg")
    plain_page.get_by_role("link", name="Most connected, and communities").click()
    plain_page.get_by_role("link", name="Bob", exact=True).first.click()
    plain_page.get_by_role("link", name="Lotta Berg, knows, current").click()
    plain_page.locator("#kg-table summary").click()
    expect(plain_page.locator("#kg-table")).to_contain_text("lotta@example.org")
    plain_page.locator("#kg-add-open").click()
    plain_page.locator("#kg-add-predicate").fill("likes")
    plain_page.locator("#kg-add-object").fill("Zig")
    plain_page.get_by_role("button", name="Add", exact=True).click()
    expect(plain_page.get_by_role("heading", level=1)).to_have_text("Lotta Berg")
    expect(plain_page.locator("#kg-detail")).to_contain_text("likes Zig")
