"""What the server refuses is said beside the page, which keeps what stands on it; and so it is when nobody answers."""

from typing import Any

import pytest
from django.test import RequestFactory
from playwright.sync_api import Route, expect

from pawflow_web.identity.models import User
from pawflow_web.jobs.services import open_run
from pawflow_web.lib.errors import DatabaseAway
from pawflow_web.web.errors import refusal as refuse
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.browser.conftest import Check, Enter
from tests.browser.watch import Watch
from tests.factories import make_owner, make_person
from tests.live import Live
from tests.web.beliefs import propose, remember

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


def refusal() -> dict[str, Any]:
    """What the product answers to htmx while its database is away."""
    asked = RequestFactory().get("/jobs", headers={"HX-Request": "true"})
    answer = refuse(asked, DatabaseAway())
    assert answer.status_code == 503
    return {"status": 503, "headers": dict(answer.items()), "body": answer.content}


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_an_undo_of_what_was_erased_meanwhile_says_so_and_is_offered_no_more(
    enter: Enter, live: Live, lotta: User, watch: Watch, check: Check, width: str, scheme: str
) -> None:
    watch.expect(404)
    item = propose(lotta, "The canary is green.")
    propose(lotta, "The heron nests on the crane.")
    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/review?item={item.ref}")
    page.locator("#review-accept").click()
    expect(page.locator("#toasts")).to_contain_text("Accepted.")
    purge(principal=make_person(lotta), reference=item.ref, confirm=item.ref)
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing here.")
    expect(page.locator("#review-item")).to_contain_text("The heron nests on the crane.")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    check(page, f"refused-{scheme}-{width}")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_list_that_asks_by_itself_is_refused_once_and_goes_on_asking(
    enter: Enter, live: Live, lotta: User, watch: Watch
) -> None:
    watch.expect(503)
    run = open_run("rebuild", user=lotta)
    page = enter(lotta)
    page.goto(f"{live.base}/jobs")
    asked: list[str] = []

    def away(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(**refusal())

    page.route("**/jobs?open=*", away)
    expect(page.get_by_role("alert")).to_have_count(1)
    for _ in range(2):
        with page.expect_request("**/jobs?open=*"):
            pass
    assert len(asked) > 1
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.locator(f"#job-{run.ref}")).to_be_visible()
    page.unroute("**/jobs?open=*")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(f"#job-{run.ref}")).to_be_visible()


def test_a_refusal_in_a_dialog_keeps_what_was_typed_there(
    enter: Enter, live: Live, lotta: User, watch: Watch, check: Check
) -> None:
    watch.expect(503)
    item = remember(lotta, "The canary is green.")
    page = enter(lotta)
    page.goto(f"{live.base}/items/{item.ref}")
    page.get_by_role("link", name="Correct").click()
    page.get_by_role("dialog").get_by_role("textbox").first.fill("The canary is blue.")
    page.route("**/correct", lambda route: route.fulfill(**refusal()))
    for _ in range(2):
        page.get_by_role("dialog").get_by_role("button", name="Correct").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("dialog").get_by_role("textbox").first).to_have_value("The canary is blue.")
    check(page, "refused-in-a-dialog")
    page.unroute("**/correct")
    page.get_by_role("dialog").get_by_role("button", name="Correct").click()
    expect(page.locator("#toasts")).to_contain_text("Corrected.")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert GovernanceItem.objects.filter(text="The canary is blue.").exists()


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark")])
def test_when_nobody_answers_the_page_says_since_when_and_keeps_the_words(
    enter: Enter, live: Live, lotta: User, watch: Watch, check: Check, width: str, scheme: str
) -> None:
    propose(lotta, "The canary is green.")
    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/memories")
    page.locator("#memories-add-open").click()
    page.get_by_label("What is true").fill("The heron nests on the crane.")
    page.context.set_offline(offline=True)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("PawFlow cannot be reached since")
    expect(page.get_by_role("alert")).to_contain_text("what you type stays here")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_label("What is true")).to_have_value("The heron nests on the crane.")
    assert watch.take()
    check(page, f"away-{scheme}-{width}")
    page.context.set_offline(offline=False)
    page.reload()
    page.locator("#memories-add-open").click()
    expect(page.get_by_label("What is true")).to_have_value("The heron nests on the crane.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Remembered.")
    page.reload()
    page.locator("#memories-add-open").click()
    expect(page.get_by_label("What is true")).to_have_value("")


def test_a_draft_is_only_of_whom_it_is(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/memories")
    page.locator("#memories-add-open").click()
    page.get_by_label("What is true").fill("Lotta's words.")
    assert "Lotta's words." in page.evaluate("JSON.stringify(sessionStorage)")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login")
    assert page.evaluate("sessionStorage.length") == 0
