"""Decisions over many: the question before them, what stays, and taking all of it back."""

import re

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from review.models import Batch, GovernanceItem
from tests.factories import make_owner
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose, remember
from tests.web.people import browser_of, htmx, text_of


def waiting() -> int:
    return GovernanceItem.objects.filter(status="needs_review").count()


def batch_undo(page: str) -> str:
    found = re.search(r'action="(/review/batches/\w+/undo)"', page)
    assert found is not None
    return found[1]


def test_many_are_taken_back_together(lotta: User, browser: Client) -> None:
    items = [propose(lotta, f"Service {n} is up.") for n in range(4)]
    chosen = [item.ref for item in items[:3]]
    answer = browser.post("/review/bulk", {"verb": "accept", "ref": chosen}, headers=htmx("review-list"))
    undo = batch_undo(answer.content.decode())
    assert waiting() == 1
    back = browser.post(undo, headers={**htmx(""), "HX-Current-URL": "http://127.0.0.1/review"})
    assert waiting() == 4
    assert "3 taken back." in text_of(back)
    assert back["HX-Retarget"] == "#review-list"
    again = browser.post(undo)
    assert again.status_code == 409
    assert Batch.objects.get().undone_at is not None


def test_what_moved_on_since_stays_and_is_counted(lotta: User, browser: Client) -> None:
    items = [propose(lotta, f"Service {n} is up.") for n in range(3)]
    browser.post("/review/bulk", {"verb": "accept", "ref": [item.ref for item in items]})
    undo = batch_undo(browser.get("/memories").content.decode())
    browser.post(f"/items/{items[0].ref}/reject", {})
    answer = browser.post(undo, follow=True)
    assert "2 taken back. 1 not:" in text_of(answer)
    items[0].refresh_from_db()
    assert items[0].status == "rejected"


def test_those_that_stayed_can_be_shown(lotta: User, browser: Client) -> None:
    plain = propose(lotta, "Service 1 is up.")
    flagged = propose(lotta, HOSTILE)
    _, rival = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    other = propose(lotta, "Service 2 is up.")
    refs = [item.ref for item in (plain, flagged, rival)]
    answer = browser.post("/review/bulk", {"verb": "accept", "ref": refs}, headers=htmx("review-list"))
    assert "1 accepted. 2 not: 1 flagged, 1 in contradiction." in text_of(answer)
    show = re.search(r'href="(/review\?among=[^"]+)">Show them', answer.content.decode())
    assert show is not None
    page = browser.get(show[1]).content.decode()
    listed = re.findall(r'<li class="item[^>]*data-ref="(\w+)" data-status', page)
    assert sorted(listed) == sorted([flagged.ref, rival.ref])
    assert other.ref not in listed
    assert "2 chosen ones" in page


@pytest.mark.parametrize("verb", ["accept", "reject", "forget"])
def test_more_than_twenty_are_asked_about_first(lotta: User, browser: Client, verb: str) -> None:
    items = bring_file(lotta, [f"Service {n} is up." for n in range(21)])
    refs = [f"{item.ref}:{item.revision}" for item in items]
    question = browser.post("/review/bulk", {"verb": verb, "ref": refs}, headers=htmx("review-list"))
    page = question.content.decode()
    assert (question["HX-Retarget"], question["HX-Reswap"]) == ("#dialog", "innerHTML")
    assert f"{verb.title()} 21 beliefs?" in text_of(question)
    assert page.count('name="ref"') == 21
    assert waiting() == 21
    assert browser.post("/review/bulk", {"verb": verb, "ref": refs}).status_code == 200
    assert waiting() == 21
    done = browser.post("/review/bulk", {"verb": verb, "ref": refs, "sure": "on"}, headers=htmx("review-list"))
    assert done["HX-Trigger"] == "dialog-close"
    assert waiting() == 0


def test_twenty_are_decided_at_once(lotta: User, browser: Client) -> None:
    items = bring_file(lotta, [f"Service {n} is up." for n in range(20)])
    browser.post("/review/bulk", {"verb": "accept", "ref": [item.ref for item in items]})
    assert waiting() == 0


def test_all_that_match_means_the_filter_and_not_the_page(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(40)])
    propose(lotta, HOSTILE)
    page = browser.get("/review?reason=import_review").content.decode()
    assert "All 40 that match" in page
    given = {"verb": "reject", "whole": "on", "ref": []}
    question = browser.post("/review/bulk?reason=import_review", given, headers=htmx("review-list"))
    assert "Reject 40 beliefs?" in text_of(question)
    assert 'name="whole"' in question.content.decode()
    browser.post("/review/bulk?reason=import_review", {**given, "sure": "on"})
    assert list(GovernanceItem.objects.filter(status="needs_review").values_list("text", flat=True)) == [HOSTILE]


def test_the_first_five_hundred_go_and_the_rest_is_counted(
    lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.pages.memories.views.BULK_MOST", 25)
    for n in range(30):
        remember(lotta, f"Service {n} is up.")
    question = browser.post("/memories/bulk", {"verb": "forget", "whole": "on"})
    assert "Forget 25 beliefs?" in text_of(question)
    assert "5 more match and stay for the next time." in text_of(question)


def test_the_question_counts_what_will_stay(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(25)])
    propose(lotta, HOSTILE)
    contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    told = text_of(browser.post("/review/bulk", {"verb": "accept", "whole": "on"}))
    assert "1 is flagged, 1 contradicts something." in told
    assert waiting() == 27
    assert "25 accepted. 2 not:" in text_of(
        browser.post("/review/bulk", {"verb": "accept", "whole": "on", "sure": "on"}, follow=True)
    )


@pytest.mark.parametrize("query", ["?q=service", "?tag=deploy", ""])
def test_all_that_match_in_the_list_of_memories(lotta: User, browser: Client, query: str) -> None:
    for n in range(30):
        remember(lotta, f"Service {n} is up.", tags=["deploy"])
    kept = remember(lotta, "The canary is green.")
    given = {"verb": "forget", "whole": "on", "back": f"/memories{query}"}
    number = 30 if query else 31
    question = browser.post("/memories/bulk", given, headers=htmx("memories-list"))
    assert f"Forget {number} beliefs?" in text_of(question)
    done = browser.post("/memories/bulk", {**given, "sure": "on"}, headers=htmx("memories-list"))
    assert f"{number} taken out of use." in text_of(done)
    kept.refresh_from_db()
    assert kept.status == ("active" if query else "stale")
    undo = batch_undo(done.content.decode())
    back = browser.post(undo, headers={**htmx(""), "HX-Current-URL": "http://127.0.0.1/memories"})
    assert back["HX-Trigger"] == "items-changed"
    assert GovernanceItem.objects.filter(status="active").count() == 31


def test_a_stranger_takes_nothing_back(lotta: User, browser: Client) -> None:
    item = propose(lotta, "Service 1 is up.")
    browser.post("/review/bulk", {"verb": "accept", "ref": [item.ref]})
    batch, stranger = Batch.objects.get(), browser_of(make_owner("bo"))
    theirs = stranger.post(f"/review/batches/{batch.ref}/undo")
    unknown = stranger.post("/review/batches/aaaaaaaaaaaa/undo")
    assert theirs.status_code == unknown.status_code == 404
    assert theirs.content == unknown.content
    item.refresh_from_db()
    assert item.status == "active"


def test_nothing_chosen_is_refused(lotta: User, browser: Client) -> None:
    for path in ("/review/bulk", "/memories/bulk"):
        assert browser.post(path, {"verb": "accept"}).status_code == 422
        assert browser.post(path, {"verb": "conjure", "ref": ["aaaaaaaaaaaa"]}).status_code == 422


def test_the_queue_is_searched_and_the_words_are_marked(lotta: User, browser: Client) -> None:
    found, other = propose(lotta, "Service 1 is up."), propose(lotta, "The canary is green.")
    page = browser.get("/review?q=CANARY").content.decode()
    listed = re.findall(r'<li class="item[^>]*data-ref="(\w+)" data-status', page)
    assert listed == [other.ref]
    assert "<mark>canary</mark>" in page
    assert 'value="CANARY"' in page
    assert found.ref not in page
    assert "Item 1 of 1" in text_of(browser.get(f"/review?q=canary&item={other.ref}"))
