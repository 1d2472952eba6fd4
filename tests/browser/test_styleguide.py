"""Every component, as a browser shows it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCHEMES, WIDTHS, Check, OpenPage
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser

RUN_INLINE = """() => {
    const script = document.createElement("script");
    script.textContent = "window.ranInline = true";
    document.head.append(script);
    return window.ranInline === true;
}"""


@pytest.fixture
def styleguide(development_server: str) -> str:
    return f"{development_server}/styleguide/"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_component_is_accessible_and_fits(
    open_page: OpenPage,
    styleguide: str,
    check: Check,
    width: str,
    scheme: str,
) -> None:
    check(open_page(styleguide, width=width, scheme=scheme), f"styleguide-{scheme}-{width}")


def test_axe_sees_what_is_wrong(open_page: OpenPage, styleguide: str, accessible: Callable[[Page], None]) -> None:
    page = open_page(styleguide)
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')")
    with pytest.raises(AssertionError, match="button-name"):
        accessible(page)


def test_an_inline_script_is_refused(open_page: OpenPage, styleguide: str, watch: Watch) -> None:
    page = open_page(styleguide)
    assert watch.take() == []
    assert page.evaluate(RUN_INLINE) is False
    assert any("Content Security Policy" in complaint for complaint in watch.take())


def test_the_page_says_which_row_is_current(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    current = page.locator("[data-ref][aria-current=true]")
    expect(current).to_have_count(1)
    expect(current).to_have_attribute("data-status", "active")


def test_a_dialog_takes_the_focus_and_gives_it_back(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    opener = page.get_by_role("button", name="Open a dialog")
    opener.click()
    dialog = page.get_by_role("dialog", name="End this belief?")
    expect(dialog.get_by_role("heading", name="End this belief?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    dialog.get_by_role("link", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert page.url == styleguide


def test_an_open_dialog_is_accessible(
    open_page: OpenPage, styleguide: str, accessible: Callable[[Page], None], picture: Callable[..., None]
) -> None:
    page = open_page(styleguide, width="small", scheme="dark")
    page.get_by_role("button", name="Open a dialog").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    picture(page, "dialog-dark-small", whole=False)
    accessible(page)


def test_question_mark_lists_the_keys(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys on this page")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_keys_walk_choose_and_let_go(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide, width="phone")  # no room for the detail, which Escape would close first
    rows = page.locator("[data-list] .item-link")
    page.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+X")
    expect(rows.nth(3)).to_be_focused()
    chosen = page.locator(".item > input:checked")
    expect(chosen).to_have_count(3)
    bulk = page.locator(".bulk")
    expect(bulk).to_be_visible()
    page.keyboard.press("Escape")
    expect(chosen).to_have_count(0)
    expect(bulk).to_be_hidden()


def test_escape_closes_the_menu_before_anything_else(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    page.locator(".item > input").first.check()
    page.get_by_text("More", exact=True).click()
    entry = page.get_by_role("link", name="Move to another project")
    expect(entry).to_be_visible()
    page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    expect(page.locator(".item > input:checked")).to_have_count(1)
    with page.expect_navigation():  # then the detail beside the list, by its own link
        page.keyboard.press("Escape")


def test_keys_are_off_in_fields_and_with_modifiers(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    search = page.get_by_role("searchbox", name="Search memories")
    page.keyboard.press("/")
    expect(search).to_be_focused()
    page.keyboard.type("j?")
    expect(search).to_have_value("j?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    search.blur()
    page.keyboard.press("Control+?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_keys_are_off_when_the_person_said_so(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    page.evaluate("document.documentElement.dataset.keys = 'off'")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.evaluate("delete document.documentElement.dataset.keys")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_toast_with_a_way_back_stays_and_others_go(open_page: OpenPage, styleguide: str) -> None:
    page = open_page(styleguide)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.clock.install()
    show = page.get_by_role("button", name="Show a toast")
    toast = page.locator("#toasts [data-toast]")
    show.click()
    show.click()
    expect(toast).to_have_count(1)
    page.get_by_role("button", name="Copy reference").click()
    expect(toast).to_have_count(2)
    assert page.evaluate("navigator.clipboard.readText()") == "#4f1c9a20be77"
    page.clock.fast_forward(60_000)
    expect(toast).to_have_count(1)
    expect(toast).to_contain_text("Rejected")
    toast.get_by_role("button", name="Close").click()
    expect(toast).to_have_count(0)
