"""A live server, a Chromium, and pages that fail their test when they complain."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from pawflow_web.identity.models import User
from tests.browser.chromium import chromium
from tests.browser.people import sign_in
from tests.browser.server import serve
from tests.browser.watch import Watch
from tests.live import Live, live, live_server_process

__all__ = ["chromium", "live", "live_server_process"]

WIDTHS = {"wide": 1400, "phone": 390, "small": 320}
SCHEMES = ("light", "dark")
# axe's rules: WCAG 2.2 A and AA, and what it calls best practice.
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# pixels; Chromium draws no taller window
_TALLEST = 12_000

OpenPage = Callable[..., Page]
Enter = Callable[..., Page]
# a page and the name of its picture
Check = Callable[[Page, str], None]


@pytest.fixture(scope="package")
def development_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The product in development mode, where ``/styleguide/`` exists. It reads no row."""
    with serve({"PAWFLOW_DEBUG": "on"}, tmp_path_factory.mktemp("server") / "development.log") as base:
        yield base


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Fails the test when a page complained of anything that the test did not take or expect."""
    watching = Watch()
    yield watching
    assert watching.complaints == []


@pytest.fixture
def open_page(chromium: Browser, watch: Watch) -> Iterator[OpenPage]:
    """``open_page(url, width="phone", scheme="dark")``: a page in a browser profile of its own."""
    contexts = []

    def opened(url: str, *, width: str = "wide", scheme: str = "light") -> Page:
        context = chromium.new_context(
            viewport={"width": WIDTHS[width], "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]  # one of SCHEMES
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        watch.attach(page)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def enter(open_page: OpenPage, live: Live) -> Enter:
    """``enter(user, width="phone", scheme="dark")``: such a page after that person has signed in."""

    def entered(user: User, **look: str) -> Page:
        page = open_page(f"{live.base}/health", **look)
        sign_in(page, live.base, user)
        return page

    return entered


@pytest.fixture
def plain_page(chromium: Browser) -> Iterator[Page]:
    """A page whose scripts are switched off."""
    context = chromium.new_context(java_script_enabled=False, viewport={"width": WIDTHS["wide"], "height": 900})
    yield context.new_page()
    context.close()


@contextmanager
def _as_tall_as_it_is(page: Page) -> Iterator[None]:
    """What is fixed at an edge covers whatever lies there at this moment; scrolled by a line, it is something else."""
    before = page.viewport_size
    assert before is not None
    whole = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": before["width"], "height": max(before["height"], min(whole, _TALLEST))})
    yield
    page.set_viewport_size(before)


@pytest.fixture
def accessible() -> Callable[[Page], None]:
    """Asserts that axe finds nothing on the page as it is now."""

    def check(page: Page) -> None:
        options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": _RULES}}
        with _as_tall_as_it_is(page):
            results = Axe().run(page, options=options)
        assert results.violations_count == 0, results.generate_report()

    return check


@pytest.fixture
def picture() -> Callable[..., None]:
    """``picture(page, name, whole=True)``: ``NAME.png`` in the folder that the variable SCREENSHOTS names."""

    def save(page: Page, name: str, *, whole: bool = True) -> None:
        folder = os.environ.get("SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=whole)

    return save


@pytest.fixture
def check(accessible: Callable[[Page], None], picture: Callable[..., None]) -> Check:
    """A picture, axe, and no sideways scroll."""

    def checked(page: Page, name: str) -> None:
        # after a press the words of the next page may stand there before its style does
        page.wait_for_load_state()
        picture(page, name)
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name

    return checked
