"""The queue: what it shows, what a decision does, and what stands in its way."""

import re

import pytest
from django.test import Client

from pawflow_web.identity.models import User, UserClock
from review.lifecycle import reject
from review.models import GovernanceItem, JournalEntry
from tests.factories import make_owner, make_person
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose, remember
from tests.web.people import browser_of, htmx, rows, text_of


def count(page: str) -> str:
    found = re.search(r'data-count="needs_review">([\d,]+)<', page)
    assert found is not None
    return found[1]


def test_the_longest_waiting_stands_first_and_is_open(lotta: User, browser: Client) -> None:
    first, second = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    answer = browser.get("/review")
    page = answer.content.decode()
    assert rows(page) == [first.ref, second.ref]
    assert re.search(rf'id="review-{first.ref}"[^>]*aria-current="true"', page)
    assert "Item 1 of 2, from an automation, so it waits" in text_of(answer).replace(" ,", ",")
    assert count(page) == "2"


def test_what_presses_stands_in_front_and_is_walked_in_that_order(lotta: User, browser: Client) -> None:
    plain = propose(lotta, "The canary is green.")
    _, rival = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    flagged = propose(lotta, HOSTILE)
    assert rows(browser.get("/review").content.decode()) == [rival.ref, flagged.ref, plain.ref]
    page = browser.get(f"/review?item={flagged.ref}").content.decode()
    assert "Item 2 of 3" in page
    assert re.search(rf'id="review-next"[^>]*item={plain.number}"', page)
    assert re.search(rf'id="review-back"[^>]*item={rival.number}"', page)
    answer = browser.post(f"/review/{flagged.ref}/reject", {"revision": 1})
    assert answer["Location"] == f"/review?item={plain.ref}#review-heading"


def test_accepting_with_htmx_brings_the_next_item(lotta: User, browser: Client) -> None:
    first, second = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    answer = browser.post(f"/review/{first.ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    page = answer.content.decode()
    first.refresh_from_db()
    assert first.status == "active"
    assert answer["HX-Replace-Url"] == f"/review?item={second.ref}"
    assert page.index("data-focus") < page.index("Item 1 of 1")
    assert rows(page) == [second.ref]
    for part in (
        'id="review-list" hx-swap-oob="true"',
        'id="toasts" hx-swap-oob',
        'id="shell-news" hx-swap-oob',
        "<title>Review (1) · PawFlow</title>",
        'data-nav-count="memories"',
    ):
        assert part in page
    assert page.count("hx-swap-oob") == 3


def test_deciding_without_a_script_leads_to_the_next_item(lotta: User, browser: Client) -> None:
    first, second = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    answer = browser.post(f"/review/{first.ref}/reject?reason=automation_review", {"revision": 1, "reason": "no"})
    assert answer.status_code == 302
    assert answer["Location"] == f"/review?reason=automation_review&item={second.ref}#review-heading"
    first.refresh_from_db()
    assert first.status == "rejected"
    assert JournalEntry.objects.get(item_id=first.pk, verb="reject").payload.note == "no"
    assert "Rejected. Gone from all" in text_of(browser.get(answer["Location"]))


def test_the_last_decision_ends_the_queue(lotta: User, browser: Client) -> None:
    only = propose(lotta, "The canary is green.")
    answer = browser.post(f"/review/{only.ref}/accept", {}, headers=htmx("review-item"))
    assert "That was the last one." in text_of(answer)
    assert "Nothing waits for you." in text_of(browser.get("/review"))


def test_a_stale_revision_shows_the_item_as_it_is_now(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    GovernanceItem.objects.filter(pk=item.pk).update(revision=2)
    answer = browser.post(
        f"/review/{item.ref}/accept", {"revision": 1, "reason": "looks fine"}, headers=htmx("review-item")
    )
    page = answer.content.decode()
    item.refresh_from_db()
    assert answer.status_code == 409
    assert item.status == "needs_review"
    assert "has changed since you read it" in page
    assert 'name="revision" value="2"' in page
    assert 'value="looks fine"' in page
    plain = browser.post(f"/review/{item.ref}/accept", {"revision": 1})
    assert plain.status_code == 409
    assert "<html" in plain.content.decode()
    assert browser.post(f"/review/{item.ref}/accept", {"revision": 2}).status_code == 302


def test_what_was_decided_elsewhere_says_so(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    reject(principal=make_person(lotta), reference=item.ref)
    answer = browser.post(f"/review/{item.ref}/accept", {}, headers=htmx("review-item"))
    assert answer.status_code == 409
    assert 'id="review-heading" tabindex="-1" data-focus>Rejected<' in answer.content.decode()
    assert "It no longer waits for you." in text_of(answer)
    assert "review-accept" not in answer.content.decode()


def test_two_that_contradict_stand_side_by_side(lotta: User, browser: Client) -> None:
    old, new = contradict(lotta, "The staging database is in Dublin.", "The staging database is in Frankfurt.")
    page = browser.get("/review").content.decode()
    assert "removed: </span>Dublin</del>" in page
    assert "added: </span>Frankfurt</ins>" in page
    assert f'name="demote" value="{old.ref}"' in page
    answer = browser.post(f"/review/{new.ref}/accept", {"demote": old.ref}, headers=htmx("review-item"))
    old.refresh_from_db(), new.refresh_from_db()
    assert (old.status, new.status) == ("superseded", "active")
    assert f"#{old.ref} gave way" in text_of(answer)


def test_a_finding_is_marked_and_named(lotta: User, browser: Client) -> None:
    propose(lotta, HOSTILE)
    answer = browser.get("/review?reason=injection_flagged")
    assert "<mark>Ignore all previous instructions</mark>" in answer.content.decode()
    assert "This reads like an instruction to the agent" in text_of(answer)


def test_chips_narrow_and_count(lotta: User, browser: Client) -> None:
    flagged, plain = propose(lotta, HOSTILE), propose(lotta, "The canary is green.")
    _, rival = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    page = browser.get("/review").content.decode()
    assert 'data-count="contradicts_active">1<' in page
    assert 'data-count="injection_flagged">1<' in page
    assert rows(browser.get("/review?reason=contradicts_active").content.decode()) == [rival.ref]
    assert rows(browser.get("/review?reason=injection_flagged").content.decode()) == [flagged.ref]
    assert rows(browser.get("/review?reason=automation_review").content.decode()) == [plain.ref]


def test_the_page_and_the_api_agree_on_why_something_waits(lotta: User, browser: Client) -> None:
    _, plain = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    _, flagged = contradict(lotta, "Nobody approves.", HOSTILE)
    propose(lotta, "The canary is green.")
    assert plain.reason != "contradicts_active"
    assert flagged.contradicts is not None
    page = browser.get("/review").content.decode()
    chips = {reason: int(number) for reason, number in re.findall(r'data-count="(\w+)">(\d+)<', page)}
    counts = browser.get("/api/v1/review").json()["counts"]
    assert chips.pop("needs_review") == counts["needs_review"] == 3
    assert chips == counts["by_reason"] == {"contradicts_active": 1, "injection_flagged": 1, "automation_review": 1}
    for reason in chips:
        asked = browser.get(f"/api/v1/review?reason={reason}").json()["items"]
        searched = browser.get(f"/api/v1/review?reason={reason}&q=staging+canary+instructions").json()["items"]
        listed = rows(browser.get(f"/review?reason={reason}").content.decode())
        assert [item["ref"] for item in asked] == [item["ref"] for item in searched] == listed
        assert len(listed) == 1


def test_load_more_goes_on_where_the_list_ended(lotta: User, browser: Client) -> None:
    refs = [item.ref for item in bring_file(lotta, [f"Service {n} is up." for n in range(30)])]
    first = browser.get("/review?file=memory.jsonl").content.decode()
    assert rows(first) == refs[:25]
    more = re.search(r'<li class="more-rows".*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    part = browser.get(more[1].replace("&amp;", "&"), headers=htmx("review-more")).content.decode()
    assert rows(part) == refs[25:]
    assert "review-more" not in part
    assert rows(browser.get(more[1].replace("&amp;", "&")).content.decode()) == refs[25:]


def test_many_at_once_are_told_in_a_sentence(lotta: User, browser: Client) -> None:
    plain = [propose(lotta, f"Service {n} is up.") for n in range(3)]
    flagged = propose(lotta, HOSTILE)
    _, rival = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    stale = propose(lotta, "The canary is green.")
    GovernanceItem.objects.filter(pk=stale.pk).update(revision=2)
    refs = [f"{item.ref}:1" for item in (*plain, flagged, rival, stale)]
    answer = browser.post("/review/bulk", {"verb": "accept", "ref": refs})
    assert answer.status_code == 302
    told = text_of(browser.get("/review"))
    assert "3 accepted. 3 not: 1 flagged, 1 in contradiction, 1 changed meanwhile." in told
    assert GovernanceItem.objects.filter(status="needs_review").count() == 3


def test_many_at_once_with_htmx_bring_list_and_item(lotta: User, browser: Client) -> None:
    items = [propose(lotta, f"Service {n} is up.") for n in range(3)]
    chosen = [item.ref for item in items[:2]]
    page = browser.post("/review/bulk", {"verb": "reject", "ref": chosen}, headers=htmx("review-list")).content.decode()
    assert rows(page) == [items[2].ref]
    assert "2 rejected." in page
    assert 'id="review-item" class="desk" hx-swap-oob="innerHTML"' in page


def test_a_small_import_is_accepted_by_one_button(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(8)] + [HOSTILE])
    page = browser.get("/review")
    assert "… 7 more from memory.jsonl" in text_of(page)
    assert "Accept these 8" in text_of(page)
    assert browser.post("/review/file", {"file": "memory.jsonl"}).status_code == 302
    assert GovernanceItem.objects.filter(status="active").count() == 8
    assert list(GovernanceItem.objects.filter(status="needs_review").values_list("text", flat=True)) == [HOSTILE]


def test_a_large_import_asks_first(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(21)])
    page = browser.get("/review").content.decode()
    assert 'hx-get="/review/file?file=memory.jsonl"' in page
    assert "Accept 21 beliefs from memory.jsonl?" in text_of(browser.get("/review/file?file=memory.jsonl"))
    assert GovernanceItem.objects.filter(status="active").count() == 0
    answer = browser.post("/review/file", {"file": "memory.jsonl"}, headers=htmx("review-list"))
    assert answer["HX-Trigger"] == "dialog-close"
    assert GovernanceItem.objects.filter(status="active").count() == 21


def test_another_person_cannot_decide(lotta: User) -> None:
    item = propose(lotta, "The canary is green.")
    stranger = browser_of(make_owner("bo"))
    theirs = stranger.post(f"/review/{item.ref}/accept")
    unknown = stranger.post("/review/aaaaaaaaaaaa/accept")
    assert theirs.status_code == unknown.status_code == 404
    assert theirs.content == unknown.content
    assert stranger.post("/review/bulk", {"verb": "accept", "ref": [item.ref]}).status_code == 302
    item.refresh_from_db()
    assert item.status == "needs_review"
    assert "canary" not in stranger.get("/review").content.decode()
    assert browser_of(lotta).post(f"/review/{item.ref}/accept").status_code == 302


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_decision_is_a_post(lotta: User, browser: Client, verb: str) -> None:
    item = propose(lotta, "The canary is green.")
    assert browser.get(f"/review/{item.ref}/{verb}").status_code == 405


def test_the_seal_tells_a_broken_journal(lotta: User, browser: Client) -> None:
    for n in range(3):
        remember(lotta, f"Service {n} is up.")
    assert "Journal intact, 3 entries checked just now" in text_of(browser.get("/menu"))
    UserClock.objects.filter(user=lotta).update(head="f" * 64)
    broken = text_of(browser.get("/menu"))
    assert "Journal broken at entry 3" in broken
    assert ".venv/bin/python manage.py verify_journal --owner lotta" in broken
