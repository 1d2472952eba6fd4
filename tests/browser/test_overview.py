"""The Overview and what stands on every page: finding, keys, theme. Then the same without a script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pawflow_web.identity.models import Agent, User, UserSettings
from review.lifecycle import reject
from review.models import GovernanceItem
from tests.browser.conftest import SCHEMES, Enter
from tests.browser.people import in_focus, sign_in
from tests.factories import make_owner, make_person
from tests.live import Live
from tests.web.beliefs import fill, propose

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    fill(user, 12)
    return user


@pytest.fixture
def overview(enter: Enter, lotta: User) -> Page:
    return enter(lotta)


def test_what_was_used_comes_by_itself_and_older_news_on_request(overview: Page, lotta: User, live: Live) -> None:
    expect(overview.locator("#overview-at-work")).to_contain_text("No agent was shown any since yesterday.")
    for number in range(14):
        reject(principal=make_person(lotta), reference=propose(lotta, f"Service {number} was switched off.").ref)
    overview.goto(live.base)
    lines = overview.locator(".feed li:not(.more-rows)")
    expect(lines).to_have_count(12)
    overview.get_by_role("link", name="Load older").click()
    expect(lines).to_have_count(24)
    assert overview.url == f"{live.base}/"


def test_ctrl_k_finds_from_anywhere_and_escape_leads_back(
    overview: Page, live: Live, accessible: Callable[[Page], None], picture: Callable[..., None]
) -> None:
    overview.goto(f"{live.base}/memories")
    overview.locator("#memories-q").focus()
    overview.keyboard.press("Control+k")
    expect(overview.locator("#find-q")).to_be_focused()
    overview.keyboard.type("staging")
    expect(overview.locator(".found .item").first).to_contain_text("staging")
    accessible(overview)
    picture(overview, "find-dialog", whole=False)
    overview.keyboard.press("Escape")
    expect(overview.locator("#dialog")).to_be_hidden()
    overview.keyboard.press("Control+k")
    expect(overview.locator("#find-q")).to_be_focused()
    overview.keyboard.type("setti")
    expect(overview.locator(".found").get_by_role("link", name="Settings")).to_be_visible()
    overview.keyboard.type("ngs")
    overview.keyboard.press("Enter")
    overview.wait_for_url("**/settings")


def test_a_reference_leads_to_its_belief(overview: Page) -> None:
    item = GovernanceItem.objects.filter(status="active").earliest("pk")
    overview.keyboard.press("Control+k")
    expect(overview.locator("#find-q")).to_be_focused()
    overview.keyboard.type(f"#{item.number}")
    overview.keyboard.press("Enter")
    overview.wait_for_url(f"**/items/{item.ref}")


def test_two_letters_lead_to_a_page_and_a_question_mark_lists_them(overview: Page, live: Live) -> None:
    overview.keyboard.press("g")
    overview.keyboard.press("m")
    overview.wait_for_url("**/memories")
    overview.keyboard.press("?")
    expect(overview.locator("#dialog")).to_contain_text("find or go to")
    expect(overview.locator("#dialog")).to_contain_text("choose all on the page")
    overview.keyboard.press("Escape")
    overview.keyboard.press("g")
    overview.keyboard.press("o")
    overview.wait_for_url(f"{live.base}/")
    overview.keyboard.press("?")
    expect(overview.locator("#dialog")).not_to_contain_text("choose all on the page")


def test_switched_off_letters_do_nothing_and_ctrl_k_still_works(overview: Page, live: Live, lotta: User) -> None:
    overview.goto(f"{live.base}/settings")
    overview.get_by_label("Single letters are keys").uncheck()
    overview.get_by_role("button", name="Save").click()
    expect(overview.get_by_role("status").first).to_contain_text("Saved.")
    # Its words may stand there before its script runs.
    overview.wait_for_load_state()
    for key in ("?", "g", "m", "t"):
        overview.keyboard.press(key)
    assert overview.url == f"{live.base}/settings"
    expect(overview.locator("#dialog")).to_be_hidden()
    overview.keyboard.press("Control+k")
    expect(overview.locator("#find-q")).to_be_focused()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_account_menu_changes_theme_and_density_in_place(
    enter: Enter,
    live: Live,
    lotta: User,
    accessible: Callable[[Page], None],
    picture: Callable[..., None],
    scheme: str,
) -> None:
    page = enter(lotta, scheme=scheme)
    page.goto(f"{live.base}/memories?q=staging")
    other = "Dark" if scheme == "light" else "Light"
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator(".account summary").click()
    accessible(page)
    picture(page, f"account-{scheme}", whole=False)
    page.locator(".account").get_by_role("button", name=other).click()
    expect(page.locator("html")).to_have_attribute("data-theme", other.lower())
    assert page.url == f"{live.base}/memories?q=staging"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.locator(".account summary").click()
    page.locator(".account").get_by_role("button", name="Compact").click()
    expect(page.locator("html")).to_have_attribute("data-density", "compact")
    page.keyboard.press("Escape")
    assert UserSettings.objects.get(user=lotta).theme == other.lower()


def test_escape_closes_the_account_menu_and_keeps_its_place(overview: Page) -> None:
    overview.locator(".account summary").click()
    expect(overview.locator(".account .menu")).to_have_attribute("open", "")
    overview.keyboard.press("Escape")
    expect(overview.locator(".account .menu")).not_to_have_attribute("open", "")
    assert in_focus(overview) == "lotta"


def test_an_agent_is_changed_in_the_dialog(overview: Page, live: Live, accessible: Callable[[Page], None]) -> None:
    overview.goto(f"{live.base}/settings/agents")
    overview.get_by_role("link", name="ci-bot").click()
    expect(overview.locator("#dialog-title")).to_be_focused()
    accessible(overview)
    overview.get_by_label("the same, and what it writes waits for you").check()
    overview.get_by_role("button", name="Save").click()
    expect(overview.locator("#agents-list")).to_contain_text("demo: what it writes waits for you")
    assert Agent.objects.get(name="ci-bot").profile == "demo"


def test_the_first_page_looks_through_what_is_pasted_and_keeps_nothing(enter: Enter, transactional_db: None) -> None:
    page = enter(make_owner("fresh"))
    expect(page.locator(".sum")).to_have_text("Nothing here yet. What does your agent already believe?")
    page.locator("#checkup-text").fill("- Deploys go through Frankfurt.\n- Tests run on PostgreSQL.\n")
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("#checkup-result")).to_contain_text("2 beliefs")
    assert GovernanceItem.objects.count() == 0


def test_a_sign_that_something_is_broken_can_be_copied(overview: Page) -> None:
    health = overview.get_by_role("region", name="Health")
    expect(health).to_contain_text("none is running")
    expect(health.locator("code")).to_have_text(".venv/bin/python manage.py worker")
    assert overview.locator(".grid > .stack").nth(1).locator("section").first.inner_text().startswith("Health")


def test_everything_can_be_done_without_a_script(plain_page: Page, live: Live, lotta: User) -> None:
    page = plain_page
    sign_in(page, live.base, lotta)
    page.get_by_role("link", name="See which were used").click()
    expect(page.locator("h1")).to_have_text("Beliefs at work")
    page.goto(live.base)
    page.get_by_role("link", name="Find or go to").click()
    page.get_by_label("A page, a reference or words").fill("settings")
    page.get_by_role("button", name="Find").click()
    page.wait_for_url("**/settings")
    page.get_by_label("dark").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator(".account summary").click()
    page.locator(".account").get_by_role("button", name="System").click()
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")
    page.get_by_role("link", name="Agents").click()
    page.get_by_role("link", name="ci-bot").click()
    page.get_by_label("what it looks for itself").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#agents-list")).to_contain_text("secure")


def test_the_menu_of_a_phone_leads_everywhere(enter: Enter, lotta: User, picture: Callable[..., None]) -> None:
    page = enter(lotta, width="phone")
    tabs = page.locator(".tabs a")
    assert [" ".join(text.split()) for text in tabs.all_inner_texts()][:1] == ["Overview"]
    assert tabs.count() == 4
    page.locator(".tabs").get_by_role("link", name="Menu").click()
    for path in ("review", "memories", "jobs", "imports", "settings"):
        expect(page.locator(f".menu-page .nav a[href='/{path}']")).to_be_visible()
    page.locator(".menu-page .account").get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator(".menu-page .account").get_by_role("link", name="Admin").click()
    page.wait_for_url("**/admin/")
    page.get_by_role("link", name="Back to the dashboard").click()
    page.get_by_role("link", name="Menu").click()
    page.locator(".menu-page").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login")
