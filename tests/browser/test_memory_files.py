"""A memory file in the browser: looked through, sent to review, imported; with and without scripts."""

from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Page, expect

from memory.importers import background
from pawflow_web.identity.models import User
from review.models import GovernanceItem
from tests.browser.conftest import SCHEMES, WIDTHS, Check, Enter
from tests.browser.people import sign_in
from tests.browser.watch import Watch
from tests.factories import GITHUB_TOKEN, make_owner
from tests.live import Live
from tests.web.beliefs import remember
from tests.web.memory_files import CANARY, SMALL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLAIN = SMALL.replace(GITHUB_TOKEN, "in the vault")


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    remember(user, "Indent with 8 spaces.")
    return user


def work() -> None:
    while background.work(monotonic() + 30):
        pass


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_pages_are_accessible_and_fit(
    enter: Enter,
    live: Live,
    lotta: User,
    watch: Watch,
    check: Check,
    width: str,
    scheme: str,
) -> None:
    watch.expect(422)

    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/imports")
    check(page, f"imports-empty-{scheme}-{width}")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_be_focused()
    check(page, f"imports-refused-{scheme}-{width}")
    page.goto(f"{live.base}/checkup")
    check(page, f"checkup-{scheme}-{width}")
    page.get_by_label("Paste what your agent believes").fill(SMALL)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("status").filter(has_text="9 beliefs.")).to_be_visible()
    check(page, f"checkup-found-{scheme}-{width}")
    page.get_by_role("button", name="Send 8 to review").click()
    expect(page.get_by_role("heading", name="Importing pasted text")).to_be_visible()
    check(page, f"imports-queued-{scheme}-{width}")
    work()
    expect(page.get_by_role("heading", name="What came of pasted text")).to_be_visible()
    expect(page.locator("#imports-earlier")).to_contain_text("8 wait in review")
    check(page, f"imports-done-{scheme}-{width}")


def test_the_text_stays_in_the_browser_until_it_is_sent(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/checkup")
    page.get_by_label("Paste what your agent believes").fill(SMALL)
    with page.expect_response("**/imports/check") as answered:
        page.get_by_role("button", name="Check it").click()
    assert GITHUB_TOKEN not in answered.value.text()
    assert page.get_by_label("Paste what your agent believes").input_value() == SMALL
    page.locator("a[href='#checkup-contradictions']").click()
    expect(page.locator("#checkup-contradictions")).to_be_in_viewport()

    page.get_by_role("link", name="Close, keep nothing").click()

    expect(page.get_by_label("Paste what your agent believes")).to_have_value("")
    assert GovernanceItem.objects.count() == 1


def test_a_file_is_looked_through_and_sent(enter: Enter, live: Live, lotta: User, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(SMALL)
    page = enter(lotta)
    page.goto(f"{live.base}/checkup")
    page.get_by_label("or choose a file").set_input_files(path)
    page.get_by_role("button", name="Check it").click()
    page.get_by_role("button", name="Send 8 to review").click()
    expect(page.get_by_role("heading", name="Importing CLAUDE.md")).to_be_visible()
    work()
    page.get_by_role("link", name="Review them").click()

    expect(page.locator("main")).to_contain_text("CLAUDE.md")
    assert GovernanceItem.objects.filter(status="needs_review").count() == 8


def test_it_all_works_without_scripts(plain_page: Page, live: Live, lotta: User) -> None:
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/checkup")
    page.get_by_label("Paste what your agent believes").fill(SMALL)
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("main")).to_contain_text("the page does not repeat the text")
    assert GITHUB_TOKEN not in page.content()
    page.get_by_label("Paste what your agent believes").fill(PLAIN)
    page.get_by_role("button", name="Check it").click()
    page.get_by_role("button", name="Send 8 to review").click()
    expect(page.get_by_role("heading", name="Importing pasted text")).to_be_visible()
    work()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("heading", name="What came of pasted text")).to_be_visible()
    assert GovernanceItem.objects.filter(text__contains=CANARY).count() == 1
