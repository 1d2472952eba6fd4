"""``/admin`` in a browser: our policy holds, axe finds nothing, and an action works."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pawflow_web.identity.models import User
from review.models import GovernanceItem, JournalEntry
from tests.browser.conftest import SCHEMES, Enter
from tests.browser.watch import Watch
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import fill

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    fill(user, 8)
    return user


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_the_pages_are_accessible_and_break_no_policy(
    enter: Enter,
    live: Live,
    lotta: User,
    watch: Watch,
    accessible: Callable[[Page], None],
    picture: Callable[..., None],
    width: str,
    scheme: str,
) -> None:
    page = enter(lotta, width=width, scheme=scheme)
    item = GovernanceItem.objects.filter(status="rejected").earliest("pk")
    entry = JournalEntry.objects.latest("pk")
    for name, path in {
        "index": "",
        "items": "review/governanceitem/",
        "item": f"review/governanceitem/{item.pk}/change/",
        "journal": "review/journalentry/",
        "entry": f"review/journalentry/{entry.pk}/change/",
        "tokens": "identity/apitoken/",
    }.items():
        page.goto(f"{live.base}/admin/{path}")
        picture(page, f"admin-{name}-{scheme}-{width}")
        assert watch.complaints == [], name
        accessible(page)
        # axe follows the imports of Django's style sheets by inline styles of its own, which our policy refuses.
        watch.take()


def test_what_is_chosen_is_rejected_by_an_action(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/admin/review/governanceitem/?status__exact=active")
    item = GovernanceItem.objects.filter(status="active").latest("pk")
    row = page.locator("#result_list tbody tr", has_text=item.ref)
    row.locator("input[type=checkbox]").check()
    expect(page.locator(".action-counter")).to_contain_text("1 of")
    page.locator("select[name=action]").select_option("reject")
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".messagelist")).to_contain_text("1 done.")
    assert GovernanceItem.objects.get(pk=item.pk).status == "rejected"
    assert JournalEntry.objects.latest("pk").verb == "reject"
    page.goto(f"{live.base}/admin/review/journalentry/")
    page.get_by_role("button", name="Verify all of it now").click()
    expect(page.locator(".messagelist")).to_contain_text("Intact:")


def test_signing_out_of_the_records_is_signing_out(enter: Enter, live: Live, lotta: User) -> None:
    page = enter(lotta)
    page.goto(f"{live.base}/admin/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login")
    page.goto(f"{live.base}/admin/review/governanceitem/")
    page.wait_for_url("**/login?next=/admin/review/governanceitem/")
