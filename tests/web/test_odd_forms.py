"""Form values that no page of ours sends."""

import pytest
from django.contrib.sessions.backends.base import SessionBase
from django.db import DatabaseError
from django.test import Client

from pawflow_web.identity.models import User
from pawflow_web.identity.services import create_sign_in_link
from review.models import GovernanceItem
from tests.factories import make_owner
from tests.web.beliefs import propose
from tests.web.people import browser_of, htmx


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


@pytest.mark.parametrize("path", ["/review/bulk", "/memories/bulk"])
@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "\x1b[2J"])
def test_a_row_that_no_page_shows_is_not_chosen(lotta: User, path: str, odd: str) -> None:
    item = propose(lotta, "The canary is green.")
    browser = browser_of(lotta)
    for headers in ({}, htmx("review-list")):
        alone = browser.post(path, {"ref": odd, "verb": "reject"}, headers=headers)
        assert alone.status_code in {302, 422}, alone.content
    beside = browser.post(path, {"ref": [odd, f"{item.ref}:{item.revision}"], "verb": "reject"})
    assert beside.status_code in {200, 302}
    assert GovernanceItem.objects.get().status == "rejected"


@pytest.mark.parametrize("odd", ["\x00", "x", "1e3", "٣"])
@pytest.mark.parametrize("action", ["accept", "reject"])
def test_admin_acts_on_rows_that_it_listed_and_on_nothing_else(lotta: User, action: str, odd: str) -> None:
    item = propose(lotta, "The canary is green.")
    browser = browser_of(lotta)
    answer = browser.post("/admin/review/governanceitem/", {"action": action, "_selected_action": odd}, follow=True)
    assert answer.status_code == 200
    assert "Nothing was done: choose rows of this list." in answer.content.decode()
    assert GovernanceItem.objects.get().status == "needs_review"
    browser.post("/admin/review/governanceitem/", {"action": action, "_selected_action": str(item.pk)})
    assert GovernanceItem.objects.get().status != "needs_review"


def test_a_link_is_used_up_only_together_with_its_session(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    path = create_sign_in_link(lotta).partition("//")[2].partition("/")[2]
    browser = Client(raise_request_exception=False)

    def full(*_: object, **__: object) -> None:
        raise DatabaseError("no room")

    with monkeypatch.context() as broken:
        broken.setattr(SessionBase, "cycle_key", full)
        assert browser.get(f"/{path}").status_code >= 500
    assert browser.get(f"/{path}").status_code == 302
    assert browser.get(f"/{path}").status_code == 410
