"""What folds in the queue, its history by key, and decisions over more than a request waits for."""

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from pawflow_web.identity.models import User
from review.models import GovernanceItem
from review.queue.background import work
from tests.browser.conftest import SCHEMES, WIDTHS, Check, OpenPage
from tests.browser.people import sign_in
from tests.factories import make_owner
from tests.live import Live, live, live_server_process
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose

__all__ = ["live", "live_server_process"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MANY = 205


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    contradict(user, "The staging database is in Dublin.", "The staging database is in Frankfurt.")
    bring_file(user, [f"Service {n} is up." for n in range(8)])
    propose(user, "The canary has to be green before a release.")
    bring_file(user, [*(f"Host {n} is up." for n in range(30)), HOSTILE], "notes/everything that ops wrote down.md")
    return user


def signed_in(page: Page, live: Live, user: User) -> Page:
    sign_in(page, live.base, user)
    page.goto(f"{live.base}/review")
    return page


def rows(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(".queue .item-link").all_inner_texts()]


SHOWN = [
    "The staging database is in Frankfurt.",
    HOSTILE,
    "Service 0 is up.",
    "The canary has to be green before a release.",
    "Host 0 is up.",
]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_folded_queue_is_accessible_and_fits(
    open_page: OpenPage, live: Live, lotta: User, check: Check, width: str, scheme: str
) -> None:
    page = signed_in(open_page(f"{live.base}/login", width=width, scheme=scheme), live, lotta)
    assert rows(page) == SHOWN
    check(page, f"review-folded-{scheme}-{width}")
    page.goto(f"{live.base}/review/file?file=notes/everything%20that%20ops%20wrote%20down.md")
    check(page, f"review-accept-file-{scheme}-{width}")


def test_keys_walk_what_is_shown_and_open_the_history(open_page: OpenPage, live: Live, lotta: User) -> None:
    page = signed_in(open_page(f"{live.base}/login"), live, lotta)
    for text in SHOWN[1:]:
        page.keyboard.press("j")
        expect(page.locator("#review-item .words").first).to_contain_text(text)
    expect(page.locator("#review-heading")).to_contain_text("Item 12 of 41")
    page.keyboard.press("k")
    expect(page.locator("#review-item .words").first).to_contain_text(SHOWN[3])
    history = page.locator("#review-item details", has=page.locator("#review-history"))
    expect(history).not_to_have_attribute("open", "")
    page.keyboard.press("h")
    expect(history).to_have_attribute("open", "")
    expect(page.locator("#review-history")).to_be_focused()
    page.keyboard.press("h")
    expect(history).not_to_have_attribute("open", "")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("its history")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.wait_for_url(re.compile(r"reason="))


def test_a_file_is_accepted_where_it_folds(open_page: OpenPage, live: Live, lotta: User) -> None:
    page = signed_in(open_page(f"{live.base}/login"), live, lotta)
    page.get_by_role("button", name="Accept these 8").click()
    expect(page.locator("#toasts")).to_contain_text("8 accepted.")
    expect(page.locator("[data-count=needs_review]")).to_have_text("33")
    page.get_by_role("link", name="Look").click()
    expect(page.locator(".queue .item")).to_have_count(25)
    page.go_back()
    page.get_by_role("link", name="Accept these 30").click()
    dialog = page.get_by_role("dialog", name="Accept 30 beliefs from notes/everything that ops wrote down.md?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Accept 30").click()
    expect(page.locator("#toasts")).to_contain_text("30 accepted.")
    expect(dialog).to_be_hidden()
    expect(page.locator("[data-count=needs_review]")).to_have_text("3")
    page.keyboard.press("u")
    # Taking thirty back is a while's work on a busy machine.
    expect(page.locator("[data-count=needs_review]")).to_have_text("33", timeout=20_000)
    assert GovernanceItem.objects.filter(status="active").count() == 9


def test_a_file_is_looked_at_and_accepted_without_a_script(chromium: Browser, live: Live, lotta: User) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 1400, "height": 900})
    page = signed_in(context.new_page(), live, lotta)
    assert rows(page) == SHOWN
    page.get_by_role("link", name="Look").first.click()
    expect(page.locator(".queue .item")).to_have_count(8)
    page.go_back()
    page.get_by_role("button", name="Accept these 8").click()
    expect(page.locator("#toasts")).to_contain_text("8 accepted.")
    page.get_by_role("link", name="Accept these 30").click()
    page.get_by_role("button", name="Accept 30").click()
    expect(page.locator("#toasts")).to_contain_text("30 accepted.")
    assert len(rows(page)) == 3
    context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", "wide"), ("dark", "phone")])
def test_many_are_a_job_whose_line_goes_on_by_itself(
    open_page: OpenPage, live: Live, lotta: User, check: Check, scheme: str, width: str
) -> None:
    bring_file(lotta, [f"Port {n} is open." for n in range(MANY)], "ports.md")
    page = signed_in(open_page(f"{live.base}/login", width=width, scheme=scheme), live, lotta)
    page.get_by_role("link", name=f"Accept these {MANY}").click()
    page.get_by_role("button", name=f"Accept {MANY}", exact=True).click()
    line = page.locator("#review-many")
    expect(line).to_contain_text(f"Accepting {MANY} in the background.")
    expect(line).to_contain_text("it waits until one is")
    check(page, f"review-job-waits-{scheme}-{width}")
    assert work(time.monotonic() + 0.2)
    expect(line.locator("progress")).to_be_visible()
    check(page, f"review-job-runs-{scheme}-{width}")
    while work(time.monotonic() + 60):
        pass
    expect(line).to_contain_text(f"{MANY} accepted.")
    expect(page.locator("[data-nav-count=review]:visible").first).to_contain_text("41")
    check(page, f"review-job-done-{scheme}-{width}")
    line.get_by_role("button", name=f"Undo {MANY}").click()
    expect(line).to_contain_text(f"Taking back {MANY} in the background.")
    while work(time.monotonic() + 60):
        pass
    expect(line).to_contain_text(f"{MANY} taken back.")
    line.get_by_role("link", name="Look at what waits now").click()
    expect(page.locator("[data-count=needs_review]")).to_have_text(str(MANY + 41))
