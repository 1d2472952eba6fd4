"""Projects worked through with the keyboard, and a conversation filed under one from its reader."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from conversations.models import Project
from pawflow_web.identity.models import User
from tests.browser.conftest import Check, Enter
from tests.browser.people import sign_in
from tests.browser.watch import Watch
from tests.factories import make_conversation, make_owner
from tests.live import Live

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_one_is_made_changed_and_put_away_by_keyboard(
    enter: Enter, live: Live, lotta: User, check: Check, watch: Watch, width: str, scheme: str
) -> None:
    watch.expect(422)
    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/projects")
    page.get_by_label("Name").fill("Web shop")
    page.get_by_label("Root").fill("/no/such/place")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.locator("#projects-add-root_error")).to_contain_text("must be an existing directory")
    check(page, f"projects-refused-{scheme}-{width}")
    page.get_by_label("Root").fill(str(Path.home()))
    page.keyboard.press("Enter")
    expect(page.locator("#projects-add-open")).to_be_focused()
    link = page.locator("#projects-web-shop-link")
    expect(link).to_have_text("Web shop")
    page.keyboard.press("j")
    expect(link).to_be_focused()
    page.keyboard.press("e")
    dialog = page.locator("#dialog")
    dialog.get_by_label("Name").fill("Tea shop")
    dialog.get_by_label("Root").fill("shop")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_be_focused()
    check(page, f"project-refused-{scheme}-{width}")
    dialog.get_by_label("Root").fill("")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(link).to_have_text("Tea shop")
    expect(link).to_be_focused()
    for archived in (True, False):
        page.keyboard.press("a")
        expect(page.locator("#projects-web-shop .badge")).to_have_count(int(archived))
        expect(link).to_be_focused()
        assert Project.objects.get().archived is archived
    assert (Project.objects.get().name, Project.objects.get().root) == ("Tea shop", "")


def test_a_conversation_is_filed_from_its_reader(enter: Enter, live: Live, lotta: User) -> None:
    talk = make_conversation(lotta, title="About staging")
    page = enter(lotta)
    page.goto(f"{live.base}/projects")
    page.get_by_label("Name").fill("Web shop")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#projects-web-shop")).to_contain_text("no conversation")
    page.goto(f"{live.base}/sessions/{talk.ref}")
    page.get_by_role("link", name="File under a project").click()
    page.locator("#dialog").get_by_label("Project").select_option("Web shop")
    page.locator("#dialog").get_by_role("button", name="File").click()
    expect(page.locator("#toasts")).to_contain_text("Filed under Web shop.")
    expect(page.get_by_role("link", name="File under another project")).to_be_visible()
    page.goto(f"{live.base}/projects")
    expect(page.locator("#projects-web-shop a.chip")).to_have_text("1 conversation")


def test_without_scripts(plain_page: Page, live: Live, lotta: User) -> None:
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/projects")
    page.get_by_label("Name").fill("Web shop")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Its slug is web-shop.")
    for verb, archived in (("Archive", True), ("Use again", False)):
        page.locator("#projects-web-shop summary").click()
        page.locator("#projects-web-shop").get_by_role("button", name=verb).click()
        expect(page.locator("#projects-web-shop .badge")).to_have_count(int(archived))
        assert Project.objects.get().archived is archived
    page.get_by_role("link", name="Web shop", exact=True).click()
    page.get_by_label("Name").fill("Tea shop")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Tea shop", exact=True)).to_be_visible()
