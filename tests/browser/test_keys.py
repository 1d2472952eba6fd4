"""Single keys where they are promised, and what a person without a pointer is told."""

import re

import pytest
from playwright.sync_api import Page, expect

from pawflow_web.identity.models import User
from tests.browser.conftest import Enter
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import bring_file, propose, remember

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


def help_of(page: Page) -> list[str]:
    """The keys that the help of the page names; closes it again."""
    page.keyboard.press("?")
    expect(page.locator("#dialog")).to_be_visible()
    named = page.locator("#dialog dt").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()
    return [" ".join(keys.split()) for keys in named]


def test_escape_leads_from_the_desk_back_to_the_list(enter: Enter, live: Live, lotta: User) -> None:
    propose(lotta, "The canary is green.")
    page = enter(lotta)
    page.goto(f"{live.base}/review")
    page.locator("#review-correct").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#review-list .item-link")).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator("#review-list .item > input")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator("#review-list .item > input")).not_to_be_checked()


def test_a_bracket_goes_on_with_a_list(enter: Enter, live: Live, lotta: User) -> None:
    for number in range(20):
        remember(lotta, f"Service {number} is up.")
    page = enter(lotta)
    page.goto(f"{live.base}/memories")
    expect(page.locator("#memories-list .item")).to_have_count(18)
    assert "]" in help_of(page)
    page.keyboard.press("]")
    expect(page.locator("#memories-list .item")).to_have_count(20)
    assert "]" not in help_of(page)


def test_the_help_names_each_key_once_and_only_what_can_be_pressed(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/memories")
    assert {"n", "/", "t"} <= set(help_of(page))
    assert not {".", "e", "p", "u"} & set(help_of(page))
    remember(lotta, "The canary is green.")
    bring_file(lotta, ["The heron nests on the crane."])
    for path in ("/memories", "/review"):
        page.goto(live.base + path)
        named = help_of(page)
        assert len(named) == len(set(named)), path
    page.goto(f"{live.base}/memories")
    assert {".", "e", "p", "f", "r"} <= set(help_of(page))


def test_find_over_its_own_page_answers_in_the_dialog(enter: Enter, live: Live, lotta: User) -> None:
    remember(lotta, "The canary is green.")
    page = enter(lotta)
    page.goto(f"{live.base}/find?q=nothing")
    page.keyboard.press("Control+k")
    expect(page.locator("#dialog #find-q")).to_be_focused()
    page.keyboard.type("canary")
    expect(page.locator("#dialog .found .item")).to_have_count(1)
    expect(page.locator("main .found .item")).to_have_count(0)


def test_a_line_of_a_context_tells_its_reason_to_the_keyboard(enter: Enter, live: Live, lotta: User) -> None:
    remember(lotta, "The canary is green.")
    propose(lotta, "The canary is red.")
    page = enter(lotta)
    page.goto(f"{live.base}/memories/context?agent=ci-bot")
    line = page.locator(".lines a[title]").first
    page.keyboard.press("Tab")
    line.focus()
    content = line.evaluate("(link) => getComputedStyle(link, '::after').content")
    assert line.get_attribute("title")
    assert str(line.get_attribute("title")) in content
    assert re.fullmatch(
        "none|normal",
        page.locator(".lines a[title]").last.evaluate(
            "(link) => { link.blur(); return getComputedStyle(link, '::after').content }"
        ),
    )
