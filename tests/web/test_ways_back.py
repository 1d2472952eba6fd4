"""The way back from each decision, on every page, with and without a script."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from pawflow_web.identity.models import User
from review.lifecycle.erasing import purge
from review.models import GovernanceItem, Tombstone
from tests.factories import make_person
from tests.web.beliefs import contradict, propose, remember
from tests.web.people import at, browser_of, field, htmx, status, text_of


def test_the_way_back_stands_on_every_page_for_ten_minutes(
    lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, other = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    undo = f'action="/items/{item.ref}/undo"'
    assert undo not in browser.get("/review").content.decode()
    answer = browser.post(f"/review/{item.ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    assert undo in answer.content.decode()
    for page in ("/review", "/memories", "/menu", f"/items/{other.ref}"):
        assert undo in browser.get(page).content.decode(), page
    now = timezone.now().timestamp()
    monkeypatch.setattr("pawflow_web.web.ways_back.time.time", lambda: now + 601)
    assert undo not in browser.get("/memories").content.decode()


def test_no_words_of_a_belief_are_kept_in_the_session(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    browser.post(f"/items/{item.ref}/reject", {})
    kept = str(dict(browser.session))
    assert f"#{item.number}" in kept
    assert "canary" not in kept


def test_undo_from_the_queue_brings_the_item_back(lotta: User, browser: Client) -> None:
    first, second = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    done = browser.post(f"/review/{first.ref}/reject", {"revision": 1}, headers=htmx("review-item")).content.decode()
    sent = {"revision": field(done.partition(f'action="/items/{first.ref}/undo"')[2], "revision")}
    assert Tombstone.objects.filter(lifted_at=None).count() == 1
    answer = browser.post(f"/items/{first.ref}/undo", sent, headers=at(f"/review?item={second.ref}", ""))
    assert status(first) == "needs_review"
    assert Tombstone.objects.filter(lifted_at=None).count() == 0
    assert answer["HX-Retarget"] == "#review-item"
    assert answer["HX-Replace-Url"] == f"/review?item={first.ref}"
    assert "Item 1 of 2" in text_of(answer)
    assert "Taken back." in text_of(answer)
    assert f'action="/items/{first.ref}/undo"' not in answer.content.decode()


def test_decisions_are_taken_back_one_by_one(lotta: User, browser: Client) -> None:
    items = [propose(lotta, f"Service {n} is up.") for n in range(3)]
    for item in items:
        browser.post(f"/review/{item.ref}/accept", {"revision": 1})
    page = browser.get("/review").content.decode()
    assert f'action="/items/{items[2].ref}/undo"' in page
    for item in reversed(items):
        assert f'action="/items/{item.ref}/undo"' in browser.get("/review").content.decode()
        browser.post(f"/items/{item.ref}/undo", {"revision": 2})
        assert status(item) == "needs_review"
    assert "/undo" not in browser.get("/review").content.decode()


def test_several_decisions_over_one_belief_are_taken_back_in_turn(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    browser.post(f"/review/{item.ref}/accept", {"revision": 1})
    browser.post(f"/items/{item.ref}/end", {"revision": 2})
    for expected in (("active", None), ("needs_review", None)):
        page = browser.get("/memories").content.decode()
        form = page.partition(f'action="/items/{item.ref}/undo"')[2]
        browser.post(f"/items/{item.ref}/undo", {"revision": field(form, "revision")})
        item.refresh_from_db()
        assert (item.status, item.valid.upper) == expected


def test_undo_of_an_accept_brings_both_back(lotta: User, browser: Client) -> None:
    old, new = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    browser.post(f"/review/{new.ref}/accept", {"demote": old.ref})
    assert (status(old), status(new)) == ("superseded", "active")
    answer = browser.post(f"/items/{new.ref}/undo", headers=at("/memories", ""))
    assert (status(old), status(new)) == ("active", "needs_review")
    assert (answer["HX-Reswap"], answer["HX-Trigger"]) == ("none", "dialog-close, items-changed")
    assert f"#{old.ref} is as it was before: in use." in text_of(answer)


def test_a_way_that_closed_says_so_and_is_offered_no_more(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    browser.post(f"/review/{item.ref}/accept", {"revision": 1})
    GovernanceItem.objects.filter(pk=item.pk).update(revision=9)
    answer = browser.post(f"/items/{item.ref}/undo", {"revision": 2}, headers=at("/memories", ""))
    assert answer.status_code == 409
    assert "has changed since you read it" in text_of(answer)
    assert status(item) == "active"
    assert f'action="/items/{item.ref}/undo"' not in browser.get("/memories").content.decode()


def test_undo_on_the_items_own_page_needs_no_session(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    browser.post(f"/review/{item.ref}/accept", {"revision": 1})
    later = browser_of(lotta)
    page = later.get(f"/items/{item.ref}").content.decode()
    assert f'action="/items/{item.ref}/undo"' in page
    answer = later.post(f"/items/{item.ref}/undo", {"revision": 2}, headers=htmx(f"item-{item.ref}"))
    assert answer.content.decode().lstrip().startswith(f'<div class="grid two" id="item-{item.ref}"')
    assert status(item) == "needs_review"
    assert f'action="/items/{item.ref}/undo"' not in answer.content.decode()


def test_the_end_of_the_queue_says_what_was_done(lotta: User, browser: Client) -> None:
    items = [propose(lotta, f"Service {n} is up.") for n in range(4)]
    for item in items[:2]:
        browser.post(f"/review/{item.ref}/accept", {}, headers=htmx("review-item"))
    browser.post(f"/items/{items[2].ref}/correct", {"text": "Service 2 is down."}, headers=at("/review"))
    last = browser.post(f"/review/{items[3].ref}/reject", {}, headers=htmx("review-item"))
    assert "That was the last one." in text_of(last)
    assert "2 accepted, 1 corrected, 1 rejected in 1 min." in text_of(last)
    assert "Undo them one by one" in text_of(last)


def test_no_way_leads_back_to_what_was_erased(lotta: User, browser: Client) -> None:
    item, other = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    for each in (other, item):
        browser.post(f"/items/{each.ref}/reject", {})
        browser.post(f"/items/{each.ref}/restore", {})
    assert f'action="/items/{item.ref}/undo"' in browser.get("/menu").content.decode()
    browser.post(f"/items/{item.ref}/purge", {"confirm": item.ref})
    page = browser.get("/menu").content.decode()
    assert f"/items/{item.ref}/undo" not in page
    assert f'action="/items/{other.ref}/undo"' in page


@pytest.mark.parametrize("script", [True, False])
def test_an_undo_of_what_is_gone_is_offered_no_more(lotta: User, browser: Client, *, script: bool) -> None:
    item = propose(lotta, "The canary is green.")
    browser.post(f"/items/{item.ref}/accept", {})
    purge(principal=make_person(lotta), reference=item.ref, confirm=item.ref)
    assert f'action="/items/{item.ref}/undo"' in browser.get("/menu").content.decode()
    headers = at("/menu", "") if script else {}
    answer = browser.post(f"/items/{item.ref}/undo", {"revision": 2}, headers=headers)
    assert answer.status_code == 404
    assert "Nothing here" in text_of(answer)
    if script:
        assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#toasts", "beforeend")
        assert 'id="shell-news" hx-swap-oob' in answer.content.decode()
    assert f"/items/{item.ref}/undo" not in browser.get("/menu").content.decode()


@pytest.mark.parametrize(("place", "follows"), [("/memories", False), ("/review?reason=flagged", False), ("/", True)])
def test_many_decisions_taken_back_are_seen_on_any_page(
    lotta: User, browser: Client, place: str, *, follows: bool
) -> None:
    items = [propose(lotta, f"Service {number} is up.") for number in range(2)]
    refs = [f"{item.ref}:1" for item in items]
    browser.post("/review/bulk", {"verb": "accept", "ref": refs})
    undo = re.search(r'action="(/review/batches/\w+/undo)"', browser.get("/menu").content.decode())
    assert undo is not None
    answer = browser.post(undo[1], {}, headers=at(place, ""))
    assert {status(item) for item in items} == {"needs_review"}
    assert answer.headers.get("HX-Refresh") == ("true" if follows else None)
    told = text_of(browser.get("/menu")) if follows else text_of(answer)
    assert "2 " in told
    assert "taken back" in told.lower()
