"""The main job with scripts switched off: forms and links alone."""

import pytest
from playwright.sync_api import Page, expect

from review.models import GovernanceItem
from tests.browser.people import sign_in
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import bring_file

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_accept_reject_and_be_refused_by_clicking(plain_page: Page, live: Live) -> None:
    lotta = make_owner("lotta")
    for n in range(30):
        bring_file(lotta, [f"Service {n:02} answers on port {8000 + n}."], f"service-{n:02}.md")
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/review")
    expect(page.locator("[data-count=needs_review]")).to_have_text("30")
    page.get_by_role("button", name="Accept a").click()
    expect(page.locator("#toasts")).to_contain_text("Accepted. It is in use: every agent of yours may read it.")
    expect(page.locator("[data-count=needs_review]")).to_have_text("29")
    page.get_by_label("Why").fill("closed")
    page.get_by_role("button", name="Reject r").click()
    expect(page.locator("#toasts")).to_contain_text("Rejected.")
    expect(page.locator("#review-heading")).to_contain_text("Item 1 of 28")
    page.get_by_label("Select").nth(0).check()
    page.get_by_label("Select").nth(1).check()
    page.locator("#review-bulk").get_by_role("button", name="Accept").click()
    expect(page.locator("#toasts")).to_contain_text("2 accepted.")
    page.get_by_role("link", name="Load more").click()
    expect(page.locator(".queue .item")).to_have_count(1)
    page.goto(f"{live.base}/memories")
    expect(page.locator("#memories-list .item")).to_have_count(3)
    page.locator("#memories-add-open").click()
    page.get_by_label("What is true").fill("Service 01 answers on port 8001")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert").first).to_contain_text("(“closed”), so it was not stored.")
    page.goto(f"{live.base}/memories")
    page.locator(".item summary").first.click()
    page.locator(".item").first.get_by_role("button", name="Forget").click()
    expect(page.locator("#toasts")).to_contain_text("Forgotten.")
    expect(page.locator("#memories-list .item")).to_have_count(2)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert GovernanceItem.objects.filter(status="rejected").count() == 1


def test_correct_end_and_take_back_by_clicking(plain_page: Page, live: Live) -> None:
    lotta = make_owner("lotta")
    bring_file(lotta, ["Service 0 is up.", "Service 1 is up."])
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/review")
    page.get_by_role("link", name="see what changes").click()
    expect(page.locator("h1")).to_have_text("What changes")
    page.go_back()
    page.get_by_role("link", name="Correct e").click()
    page.get_by_label("What is true").fill("")
    page.locator("form").filter(has=page.get_by_label("What is true")).evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("alert")).to_contain_text("A belief needs words")
    page.get_by_label("What is true").fill("Service 0 is down.")
    page.get_by_role("button", name="Correct").click()
    expect(page.locator("h1")).to_have_text("Service 0 is down.")
    expect(page.locator("#toasts")).to_contain_text("Corrected.")
    page.get_by_role("link", name="End", exact=True).click()
    page.get_by_role("button", name="End").click()
    expect(page.locator("main")).to_contain_text("You ended it")
    page.locator("[data-last-deed]").get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
    page.locator("[data-last-deed]").get_by_role("button", name="Undo").click()
    expect(page.locator("[data-last-deed]").get_by_role("button", name="Undo")).to_have_count(0)
    assert GovernanceItem.objects.get(text="Service 0 is up.").status == "needs_review"
    page.goto(f"{live.base}/review/journal")
    page.get_by_role("button", name="Verify now").click()
    expect(page.locator("#toasts")).to_contain_text("entries fit")
