"""Correct, pin, end, reject and the way back in a real browser, by keys and in the dialog."""

import pytest
from playwright.sync_api import Page, expect

from pawflow_web.identity.models import User
from review.models import GovernanceItem
from tests.browser.conftest import Enter
from tests.browser.watch import Watch
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import bring_file, remember

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def signed_in(enter: Enter, lotta: User) -> Page:
    return enter(lotta)


def status(text: str) -> str:
    return str(GovernanceItem.objects.get(text=text).status)


def test_decisions_are_taken_back_by_key_also_after_a_reload(signed_in: Page, live: Live, lotta: User) -> None:
    page = signed_in
    bring_file(lotta, [f"Service {n} is up." for n in range(3)])
    page.goto(f"{live.base}/review")
    page.keyboard.press("a")
    expect(page.locator("[data-count=needs_review]")).to_have_text("2")
    page.keyboard.press("r")
    expect(page.locator("[data-count=needs_review]")).to_have_text("1")
    expect(page.locator("#toasts")).to_contain_text("Gone from all")
    page.keyboard.press("u")
    expect(page.locator("[data-count=needs_review]")).to_have_text("2")
    expect(page.locator("#review-heading")).to_be_focused()
    expect(page.locator("#review-item")).to_contain_text("Service 1 is up.")
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
    expect(page.locator("#toasts")).not_to_contain_text("Rejected.")
    assert status("Service 1 is up.") == "needs_review"
    page.reload()
    page.keyboard.press("u")
    expect(page.locator("[data-count=needs_review]")).to_have_text("3")
    assert status("Service 0 is up.") == "needs_review"
    expect(page.locator("[data-key=u]")).to_have_count(0)


def test_words_are_corrected_in_the_dialog_and_the_next_item_follows(
    signed_in: Page, live: Live, lotta: User, watch: Watch
) -> None:
    page = signed_in
    watch.expect(422)
    bring_file(lotta, ["Service 0 is up.", "Service 1 is up."])
    page.goto(f"{live.base}/review")
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Correct the words")
    words = dialog.get_by_label("What is true")
    expect(words).to_have_value("Service 0 is up.")
    dialog.get_by_role("button", name="Correct").click()
    expect(dialog.get_by_role("alert")).to_be_focused()
    words.fill("Service 0 is down.")
    dialog.get_by_role("button", name="Correct").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#review-item")).to_contain_text("Service 1 is up.")
    expect(page.locator("#toasts")).to_contain_text("Corrected.")
    assert (status("Service 0 is up."), status("Service 0 is down.")) == ("superseded", "active")
    page.keyboard.press("u")
    expect(page.locator("[data-count=needs_review]")).to_have_text("2")
    assert (status("Service 0 is up."), status("Service 0 is down.")) == ("needs_review", "stale")


def test_a_belief_is_pinned_ended_and_rejected_on_its_page(signed_in: Page, live: Live, lotta: User) -> None:
    page = signed_in
    item = remember(lotta, "The canary is green.")
    page.goto(f"{live.base}/items/{item.ref}")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    page.get_by_role("link", name="End", exact=True).click()
    dialog = page.get_by_role("dialog", name="When did it stop being true?")
    dialog.get_by_label("It stopped being true").fill("2024-05")
    dialog.get_by_role("button", name="End").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#toasts")).to_contain_text("It was true until 1 May 2024")
    expect(page.locator("h1")).to_be_focused()
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Reject this belief?")
    dialog.get_by_label("Why").fill("wrong bird")
    dialog.get_by_role("button", name="Reject").click()
    expect(page.locator(".badge.is-rejected").first).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("Gone from all")
    expect(page.locator("#item-readers")).to_contain_text("will be refused")
    expect(page.get_by_role("link", name="See the check")).to_be_visible()
    page.get_by_role("link", name="Verify this belief").click()
    expect(page.locator("#item-proof")).to_contain_text("All 4 entries fit")
    page.keyboard.press("u")
    expect(page.locator(".badge.is-active").first).to_be_visible()
    expect(page.get_by_role("link", name="See the check")).to_be_hidden()


def test_a_row_is_corrected_and_pinned_by_key(signed_in: Page, live: Live, lotta: User) -> None:
    page = signed_in
    item, other = remember(lotta, "The canary is green."), remember(lotta, "Staging is in Rome.")
    page.goto(f"{live.base}/memories")
    row = page.locator(f"#memories-{item.ref}")
    row.locator(".item-link").focus()
    page.keyboard.press("p")
    expect(row).to_contain_text("pinned")
    row.locator(".item-link").focus()
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Correct the words")
    dialog.get_by_label("What is true").fill("The canary is blue.")
    dialog.get_by_role("button", name="Correct").click()
    expect(page.locator("#memories-list")).to_contain_text("The canary is blue.")
    expect(page.locator("#memories-list")).not_to_contain_text("The canary is green.")
    expect(page.locator(f"#memories-{other.ref}")).to_be_visible()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.locator("#memories-list")).to_contain_text("The canary is green.")


def test_many_are_asked_about_decided_and_taken_back(signed_in: Page, live: Live, lotta: User) -> None:
    page = signed_in
    bring_file(lotta, [f"Service {n:02} is up." for n in range(30)])
    page.goto(f"{live.base}/review")
    page.keyboard.press("*")
    page.locator("#review-bulk").get_by_label("All 30 that match").check()
    page.locator("#review-bulk").get_by_role("button", name="Accept").click()
    dialog = page.get_by_role("dialog", name="Accept 30 beliefs?")
    dialog.get_by_role("button", name="Accept 30").click()
    expect(page.locator("#toasts")).to_contain_text("30 accepted.")
    expect(dialog).to_be_hidden()
    expect(page.locator("#review-heading")).to_have_text("That was the last one.")
    expect(page.locator("#review-item")).to_contain_text("30 accepted in 1 min.")
    page.keyboard.press("u")
    expect(page.locator("[data-count=needs_review]")).to_have_text("30", timeout=20_000)


def test_filters_are_chosen_by_number_and_the_queue_searched(signed_in: Page, live: Live, lotta: User) -> None:
    page = signed_in
    bring_file(lotta, ["Service 0 is up.", "The canary sings."])
    page.goto(f"{live.base}/review")
    page.keyboard.press("2")
    page.wait_for_url("**/review?reason=import_review")
    page.keyboard.press("1")
    page.wait_for_url("**/review")
    page.keyboard.press("/")
    page.keyboard.type("canary")
    page.keyboard.press("Enter")
    expect(page.locator(".queue .item")).to_have_count(1)
    expect(page.locator(".queue mark")).to_have_text("canary")
