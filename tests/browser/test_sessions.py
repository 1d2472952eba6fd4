"""Searching and reading sessions with the keyboard, and the way between beliefs and turns."""

import pytest
from playwright.sync_api import Page, expect

from pawflow_web.identity.models import User
from tests.browser.conftest import Check, Enter
from tests.browser.people import sign_in
from tests.browser.watch import Watch
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_owner, make_token
from tests.live import Live
from tests.surfaces.conftest import Rest
from tests.web.session_files import canary, many, send_file, send_fixture
from tests.web.test_sessions_beliefs import said_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_what_was_said_is_found_while_typing_and_opened(
    enter: Enter, live: Live, lotta: User, check: Check, width: str, scheme: str
) -> None:
    send_file(lotta, "~/pi/many.jsonl", many(120))
    send_file(lotta, "~/pi/shop.jsonl", canary())
    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/sessions")
    expect(page.locator("#sessions-list .item")).to_have_count(2)
    check(page, f"sessions-list-{scheme}-{width}")
    page.keyboard.press("/")
    field = page.get_by_label("Search every session")
    expect(field).to_be_focused()
    field.press_sequentially("n0077 red")
    expect(page.locator(".hit")).to_have_count(2)
    expect(page.locator("#sessions-coverage")).to_contain_text("Searched all of 2 sessions: 2 found.")
    expect(page).to_have_url(f"{live.base}/sessions?q=n0077+red")
    expect(field).to_be_focused()
    check(page, f"sessions-found-{scheme}-{width}")
    page.get_by_text("More filters").click()
    page.get_by_label("Whose words").select_option("Person")
    expect(page).to_have_url(f"{live.base}/sessions?q=n0077+red&role=user")
    hit = page.locator(".hit", has_text="Entry number n0077.")
    hit.get_by_role("link").focus()
    page.keyboard.press("Enter")
    entry = page.locator("#e-77")
    expect(entry).to_have_attribute("aria-current", "true")
    expect(entry).to_be_in_viewport()
    expect(entry.locator("mark")).to_have_text("n0077")
    check(page, f"session-entry-{scheme}-{width}")
    page.wait_for_load_state()
    page.keyboard.press("]")
    expect(page.locator("#e-100")).to_be_visible()
    # Keys are heard once the scripts of the page are there.
    page.wait_for_load_state()
    page.keyboard.press("[")
    expect(page.locator("#e-50")).to_be_visible()
    page.get_by_role("link", name="Back to what was found").click()
    expect(field).to_have_value("n0077 red")
    expect(page.locator(".hit")).to_have_count(2)


def test_an_address_without_a_fragment_leads_to_the_entry_too(enter: Enter, live: Live, lotta: User) -> None:
    talk = send_file(lotta, "~/pi/many.jsonl", many(60))
    page = enter(lotta)
    page.goto(f"{live.base}/sessions/{talk.ref}?entry=40")
    expect(page.locator("#e-40")).to_be_focused()
    expect(page.locator("#e-40")).to_be_in_viewport()


@pytest.mark.parametrize(("width", "scheme"), [("wide", "dark"), ("small", "light")])
def test_every_kind_of_entry_is_accessible_and_fits(
    enter: Enter, live: Live, lotta: User, check: Check, watch: Watch, width: str, scheme: str
) -> None:
    watch.expect(422)
    page = enter(lotta, width=width, scheme=scheme)
    for name in ("pi/trace_branch.jsonl", "pi/branched.jsonl", "claude-code/damaged.jsonl", "codex/wrapped.jsonl"):
        talk = send_fixture(lotta, name)
        page.goto(f"{live.base}/sessions/{talk.ref}?branches=all")
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
        check(page, f"session-{name.partition('/')[2]}-{scheme}-{width}")
    for query in ("q=%28&match=regex", "q=nothing", "q=a&since=x", "outcome=failed"):
        page.goto(f"{live.base}/sessions?{query}")
        check(page, f"sessions-{query[:9]}-{scheme}-{width}")


def test_a_belief_and_its_turn_lead_to_each_other(enter: Enter, live: Live, lotta: User, check: Check) -> None:
    talk = make_conversation(lotta, title="About staging")
    told(Rest(make_token(lotta)), talk.ref, turn("Staging is in Frankfurt."), turn("Noted.", "assistant"))
    item = said_in(lotta, talk, "Staging is in Frankfurt.", origin="automation")
    page = enter(lotta)
    page.goto(f"{live.base}/review")
    expect(page.locator("#review-source")).to_be_visible()
    page.keyboard.press("o")
    expect(page).to_have_url(f"{live.base}/sessions/{talk.ref}?from=r1%3A1#t-r1-1")
    learned = page.locator("#learned-t-r1-1")
    expect(learned).to_contain_text("1 belief from here")
    learned.locator("summary").click()
    check(page, "session-learned")
    learned.get_by_role("link").click()
    expect(page).to_have_url(f"{live.base}/items/{item.ref}")


def test_without_scripts(plain_page: Page, live: Live, lotta: User) -> None:
    send_file(lotta, "~/pi/shop.jsonl", canary())
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/sessions")
    page.get_by_label("Search every session").fill("rollback hour")
    page.get_by_label("How", exact=True).select_option("All of the words")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".hit")).to_have_count(1)
    page.locator(".hit .item-link").click()
    expect(page.locator("#e-0")).to_have_attribute("aria-current", "true")
