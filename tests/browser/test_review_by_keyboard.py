"""The main job in a real browser: thirty beliefs wait, and a person decides over them."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Page, Route, expect

from pawflow_web.identity.models import User
from review.models import GovernanceItem
from tests.browser.conftest import Enter
from tests.browser.holding import hold_first, let_go
from tests.browser.people import in_focus
from tests.browser.watch import Watch
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import bring_file, contradict, remember

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WAITING = 30


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    # Of one file they would fold under the first.
    for n in range(WAITING):
        bring_file(user, [f"Service {n:02} answers on port {8000 + n}."], f"service-{n:02}.md")
    return user


@pytest.fixture
def review(enter: Enter, lotta: User) -> Page:
    """The page, from the Overview after signing in."""
    page = enter(lotta)
    page.locator("#panel-overview .btn.primary").click()
    page.wait_for_url("**/review")
    return page


def status(text: str) -> str:
    return str(GovernanceItem.objects.get(text=text).status)


def test_accept_and_reject_by_key_and_what_follows(review: Page, live: Live, watch: Watch) -> None:
    page, first, second = review, "Service 00 answers on port 8000.", "Service 01 answers on port 8001."
    expect(page.locator("[data-count=needs_review]")).to_have_text("30")
    page.keyboard.press("a")
    expect(page.locator("[data-count=needs_review]")).to_have_text("29")
    expect(page.locator("#toasts")).to_contain_text("Accepted.")
    expect(page.locator("#review-heading")).to_be_focused()
    assert in_focus(page).startswith("Item 1 of 29, imported")
    expect(page.locator("[data-ref][data-status][aria-current=true]")).to_contain_text("Service 01")
    expect(page.locator(".side [data-nav-count=review]")).to_contain_text("29")
    assert status(first) == "active"
    page.get_by_label("Why").fill("that port is closed")
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("[data-count=needs_review]")).to_have_text("28")
    expect(page.locator("#review-heading")).to_contain_text("Item 1 of 28")
    expect(page.locator("#review-heading")).to_be_focused()
    assert status(second) == "rejected"
    page.goto(f"{live.base}/memories")
    expect(page.locator("#memories-list")).to_contain_text("Service 00")
    expect(page.locator("#memories-list")).not_to_contain_text("Service 01")
    watch.expect(409)
    page.keyboard.press("n")
    page.get_by_label("What is true").fill("service 01 answers on port 8001")
    page.get_by_role("button", name="Add", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("You rejected this on")
    expect(alert).to_contain_text("(“that port is closed”), so it was not stored.")
    expect(page.get_by_label("What is true")).to_have_value("service 01 answers on port 8001")
    expect(alert).to_be_focused()


def test_what_counts_follows_a_decision(review: Page) -> None:
    page = review
    expect(page.locator(".side [data-nav-count=memories]")).to_contain_text("0")
    page.keyboard.press("a")
    expect(page.locator(".side [data-nav-count=memories]")).to_contain_text("1")
    expect(page.locator(".side [data-nav-count=review]")).to_contain_text("29")
    expect(page.locator(".side .seal")).to_contain_text("Journal intact, 31 entries")
    expect(page).to_have_title("Review (29) · PawFlow")


def test_the_line_of_a_slow_answer_ends_with_it(review: Page) -> None:
    page = review
    hold_first(page, "item=")
    page.keyboard.press("j")
    expect(page.locator("#panel-review")).to_have_attribute("aria-busy", "true")
    let_go(page)
    expect(page.locator("#review-heading")).to_contain_text("Item 2 of 30")
    expect(page.locator("#panel-review")).not_to_have_attribute("aria-busy", "true")


def test_one_press_waits_for_the_answer_to_the_one_before(review: Page) -> None:
    page = review
    hold_first(page, "/accept")
    page.evaluate("window.kept = true")
    for _ in range(3):
        page.keyboard.press("a")
    expect(page.locator("#panel-review")).to_have_attribute("aria-busy", "true")
    expect(page.locator("[data-count=needs_review]")).to_have_text("30")
    let_go(page)
    expect(page.locator("[data-count=needs_review]")).to_have_text("28")
    expect(page.locator("#panel-review")).not_to_have_attribute("aria-busy", "true")
    page.keyboard.press("a")
    expect(page.locator("[data-count=needs_review]")).to_have_text("27")
    assert page.evaluate("window.kept") is True


def test_the_row_that_is_shown_is_chosen_by_key(review: Page) -> None:
    page = review
    page.keyboard.press("x")
    expect(page.locator("[data-chosen]")).to_have_text("1 chosen")
    page.keyboard.press("j")
    expect(page.locator("#review-heading")).to_contain_text("Item 2 of 30")
    page.keyboard.press("j")
    expect(page.locator("#review-heading")).to_contain_text("Item 3 of 30")
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-chosen]")).to_have_text("3 chosen")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("choose, choose up to here")
    expect(page.get_by_role("dialog")).to_contain_text("search")
    expect(page.get_by_role("dialog")).not_to_contain_text("forget the row")


def test_next_and_back_walk_the_queue(review: Page) -> None:
    page = review
    page.keyboard.press("j")
    expect(page.locator("#review-heading")).to_contain_text("Item 2 of 30")
    expect(page.locator("#review-heading")).to_be_focused()
    expect(page.locator("[data-ref][data-status][aria-current=true]")).to_contain_text("Service 01")
    page.keyboard.press("j")
    expect(page.locator("#review-heading")).to_contain_text("Item 3 of 30")
    page.keyboard.press("k")
    expect(page.locator("#review-heading")).to_contain_text("Item 2 of 30")
    page.reload()
    expect(page.locator("#review-heading")).to_contain_text("Item 2 of 30")


def test_chosen_rows_are_decided_together(review: Page) -> None:
    page = review
    for number in (0, 1, 2):
        page.locator(".queue .item-link").nth(number).focus()
        page.keyboard.press("x")
    page.locator("#review-bulk").get_by_role("button", name="Reject").click()
    expect(page.locator("#toasts")).to_contain_text("3 rejected.")
    expect(page.locator("[data-count=needs_review]")).to_have_text("27")
    assert GovernanceItem.objects.filter(status="rejected").count() == 3


def test_load_more_and_decide_far_down(review: Page) -> None:
    page = review
    page.get_by_role("link", name="Load more").click()
    row = page.locator(".queue .item", has_text="Service 28")
    row.locator(".item-link").click()
    expect(page.locator("#review-heading")).to_contain_text("Item 29 of 30")
    page.keyboard.press("a")
    expect(page.locator("#review-heading")).to_contain_text("Item 29 of 29")
    expect(page.locator("[data-ref][data-status][aria-current=true]")).to_contain_text("Service 29")


def test_a_decision_on_what_changed_meanwhile_shows_it(review: Page, watch: Watch) -> None:
    page = review
    watch.expect(409)
    GovernanceItem.objects.filter(text__startswith="Service 00").update(revision=7)
    page.keyboard.press("a")
    expect(page.get_by_role("alert")).to_contain_text("has changed since you read it")
    expect(page.locator("#review-heading")).to_be_focused()
    assert in_focus(page).startswith("Item 1 of 30")
    page.keyboard.press("a")
    expect(page.locator("[data-count=needs_review]")).to_have_text("29")


def test_a_contradiction_is_settled_with_both_in_view(review: Page, live: Live, lotta: User) -> None:
    page = review
    old, new = contradict(lotta, "The staging database is in Dublin.", "The staging database is in Frankfurt.")
    page.goto(f"{live.base}/review?reason=contradicts_active")
    expect(page.get_by_role("region", name="In use now")).to_contain_text("Dublin")
    expect(page.get_by_role("region", name="Waiting", exact=True)).to_contain_text("Frankfurt")
    page.keyboard.press("a")
    expect(page.locator("#toasts")).to_contain_text(f"#{old.ref} gave way")
    old.refresh_from_db(), new.refresh_from_db()
    assert (old.status, new.status) == ("superseded", "active")


def test_a_memory_opens_beside_the_list_and_goes_again(review: Page, live: Live, lotta: User, watch: Watch) -> None:
    page = review
    kept = remember(lotta, "The canary is yellow.")
    remember(lotta, "The canary is green.")
    page.goto(f"{live.base}/memories")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    detail = page.locator("#memories-detail aside")
    expect(detail).to_contain_text("The canary is green.")
    expect(detail.locator(".words")).to_be_focused()
    page.keyboard.press("Escape")
    expect(detail).to_have_count(0)
    expect(page.locator(".item-link").first).to_be_focused()
    page.keyboard.press("r")
    expect(page.locator("#toasts")).to_contain_text("Rejected.")
    expect(page.locator(".item").first).to_have_attribute("data-status", "rejected")
    kept.refresh_from_db()
    assert kept.status == "active"
    GovernanceItem.objects.filter(pk=kept.pk).update(revision=7)
    watch.expect(409)
    row = page.locator(f"#memories-{kept.ref}")
    row.locator(".item-link").focus()
    page.keyboard.press("f")
    expect(page.locator("#toasts")).to_contain_text("has changed since you read it")
    expect(row).to_have_attribute("data-revision", "7")
    row.locator(".item-link").focus()
    page.keyboard.press("f")
    expect(row).to_have_attribute("data-status", "stale")


def test_typing_searches_and_keeps_the_focus(review: Page, live: Live, lotta: User) -> None:
    page = review
    remember(lotta, "The canary is yellow.")
    remember(lotta, "Staging is in Frankfurt.")
    page.goto(f"{live.base}/memories")
    page.keyboard.press("/")
    page.keyboard.type("canary")
    expect(page.locator("#memories-list mark")).to_have_text("canary")
    expect(page.locator("#memories-coverage")).to_contain_text("1 of")
    expect(page.locator("#memories-q")).to_be_focused()
    assert page.url.endswith(
        "q=canary&status=&scope=&category=&agent=&tag=&kind=&origin=&privacy=&pinned=&used=&as_of=&known_at="
    )
    expect(page.get_by_label("What is true")).to_be_hidden()
    page.locator("#memories-add-open").click()
    page.get_by_label("What is true").fill("A canary sings.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Remembered.")
    expect(page.locator("#memories-list .item")).to_have_count(2)


def test_a_deed_under_way_of_a_search_shows_what_is_searched_for(review: Page, live: Live, lotta: User) -> None:
    page = review
    remember(lotta, "The canary is yellow.")
    remember(lotta, "Staging is in Frankfurt.")
    page.goto(f"{live.base}/memories")
    held: list[Route] = []
    page.route(re.compile("q=canary"), lambda route: route.continue_() if held else held.append(route))
    with page.expect_request(re.compile("q=canary")):
        page.locator("#memories-q").fill("canary")
    while not held:
        page.wait_for_timeout(20)
    before = held[0].fetch()
    page.locator("#memories-add-open").click()
    page.get_by_label("What is true").fill("A canary sings.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#memories-list mark")).to_have_count(2)
    with suppress(Error):  # nobody waits for it any more
        held[0].fulfill(response=before)
    page.wait_for_timeout(300)
    expect(page.locator("#memories-list .item")).to_have_count(2)
    expect(page).to_have_url(re.compile("q=canary"))


def test_leaving_the_search_field_asks_nothing_again(review: Page, live: Live, lotta: User) -> None:
    page = review
    remember(lotta, "The canary is yellow.")
    page.goto(f"{live.base}/memories")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "q=canary" in request.url else None)
    page.locator("#memories-q").press_sequentially("canary")
    expect(page.locator("#memories-coverage")).to_contain_text("1 of")
    page.locator("#memories-q").blur()
    page.wait_for_timeout(400)
    assert len(asked) == 1
    page.locator("#memories-status").select_option("any")
    expect(page).to_have_url(re.compile("status=any"))
    assert len(asked) == 2
