"""Refused words, wishes of agents and the whole journal, each a list of its own."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import User
from pawflow_web.lib.db import execute
from review.lifecycle import accept, forget, reject
from review.lifecycle.archiving import suggest
from review.models import ArchiveRequest, GovernanceItem, JournalPayload, Tombstone
from tests.factories import make_owner, make_person, make_principal
from tests.web.beliefs import fill, propose, remember
from tests.web.people import browser_of, htmx, text_of


@contextmanager
def without_guards(table: str) -> Iterator[None]:
    """As somebody with the rights of the database's owner."""
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


PAGES = ("/review/refused", "/review/archive", "/review/journal")


def rejected(lotta: User, text: str) -> GovernanceItem:
    item = remember(lotta, text)
    reject(principal=make_person(lotta), reference=item.ref, comment="wrong city")
    return item


def wish(lotta: User, text: str, reason: str = "it is old") -> ArchiveRequest:
    item = remember(lotta, text)
    return suggest(principal=make_principal(lotta, agent="tidy"), reference=item.ref, reason=reason)


# --- refused ------------------------------------------------------------------------------------------------------


def test_refusals_are_listed_with_their_hits_and_can_be_lifted(lotta: User, browser: Client) -> None:
    item = rejected(lotta, "The office is in Lisbon.")
    browser.post("/memories", {"text": "the office is in lisbon", "scope": "global"})
    told = text_of(browser.get("/review/refused"))
    assert "The office is in Lisbon." in told
    assert "turned away once" in told
    stone = Tombstone.objects.get(item_ref=item.ref)
    answer = browser.post(f"/review/refused/{stone.ref}/lift", headers=htmx(f"refused-{stone.ref}"))
    assert "its words may come again" in text_of(answer)
    assert "Nothing is refused" in text_of(browser.get("/review/refused"))
    assert browser.post("/memories", {"text": "The office is in Lisbon.", "scope": "global"}).status_code == 302


def test_lifting_without_a_script_comes_back_to_the_list(lotta: User, browser: Client) -> None:
    rejected(lotta, "The office is in Lisbon.")
    stone = Tombstone.objects.get()
    answer = browser.post(f"/review/refused/{stone.ref}/lift")
    assert answer["Location"] == "/review/refused"
    assert browser.post(f"/review/refused/{stone.ref}/lift").status_code == 404


def test_the_refusal_of_erased_words_tells_no_words(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The office is in Lisbon.")
    browser.post(f"/items/{item.ref}/purge", {"confirm": item.ref})
    told = text_of(browser.get("/review/refused"))
    assert "Erased for good" in told
    assert f"#{item.ref}" in told
    assert "Lisbon" not in told


# --- archive requests ---------------------------------------------------------------------------------------------


def test_a_wish_is_answered_either_way(lotta: User, browser: Client) -> None:
    old, kept = wish(lotta, "The office is in Lisbon."), wish(lotta, "The canary is green.", "nobody asks for it")
    assert 'data-count="archive_requests">2<' in browser.get("/review").content.decode()
    told = text_of(browser.get("/review/archive"))
    assert "tidy asked" in told
    assert "nobody asks for it" in told
    done = browser.post(f"/review/archive/{old.ref}/approve", headers=htmx(f"archive-{old.ref}"))
    assert "Archived." in text_of(done)
    assert f'action="/items/{old.item.ref}/undo"' in done.content.decode()
    assert browser.post(f"/review/archive/{kept.ref}/decline")["Location"] == "/review/archive"
    old.item.refresh_from_db(), kept.item.refresh_from_db()
    assert (old.item.status, kept.item.status) == ("stale", "active")
    assert "No agent asks for anything" in text_of(browser.get("/review/archive"))
    browser.post(f"/items/{old.item.ref}/undo")
    old.item.refresh_from_db()
    assert old.item.status == "active"


def test_a_wish_that_was_answered_elsewhere_says_so(lotta: User, browser: Client) -> None:
    request = wish(lotta, "The office is in Lisbon.")
    forget(principal=make_person(lotta), reference=request.item.ref)
    answer = browser.post(f"/review/archive/{request.ref}/approve", headers=htmx(f"archive-{request.ref}"))
    assert "already" in text_of(answer)


@pytest.mark.parametrize("script", [True, False])
def test_a_wish_that_cannot_be_approved_stays_and_says_why(lotta: User, browser: Client, *, script: bool) -> None:
    request = wish(lotta, "The office is in Lisbon.")
    # As it was left before beliefs that go out of use answered what was asked about them.
    forget(principal=make_person(lotta), reference=request.item.ref)
    ArchiveRequest.objects.filter(pk=request.pk).update(state="pending", decided_at=None)
    headers = htmx(f"archive-{request.ref}") if script else {}
    answer = browser.post(f"/review/archive/{request.ref}/approve", headers=headers)
    if script:
        assert (answer.status_code, answer["HX-Reswap"]) == (409, "none")
    else:
        answer = browser.get(answer["Location"])
    assert "Not done." in text_of(answer)
    request.refresh_from_db()
    assert request.state == "pending"
    assert "The office is in Lisbon." in text_of(browser.get("/review/archive"))
    declined = browser.post(f"/review/archive/{request.ref}/decline", headers=htmx(f"archive-{request.ref}"))
    assert "Kept." in text_of(declined)
    assert "It stays as it is, out of use." in text_of(declined)


# --- journal ------------------------------------------------------------------------------------------------------


def test_the_journal_tells_everything_in_sentences_the_newest_first(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    accept(principal=make_person(lotta), reference=item.ref, comment="seen it myself")
    told = text_of(browser.get("/review/journal"))
    assert told.index("You accepted it") < told.index("ci-bot brought it")
    assert "“ seen it myself ”" in told or "“seen it myself”" in told
    assert "The canary is green." in told


def test_the_journal_is_narrowed_by_who_and_what(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    accept(principal=make_person(lotta), reference=item.ref)
    assert "brought it" not in text_of(browser.get("/review/journal?event=transition"))
    assert "accepted it" in text_of(browser.get("/review/journal?event=transition"))
    assert "accepted it" not in text_of(browser.get("/review/journal?actor=agent"))
    assert "brought it" in text_of(browser.get("/review/journal?agent=ci-bot"))
    assert "No entry matches." in text_of(browser.get("/review/journal?agent=nobody"))
    assert browser.get("/review/journal?event=golden&actor=%00").status_code == 200


def test_the_journal_goes_on_below(lotta: User, browser: Client) -> None:
    for number in range(60):
        remember(lotta, f"Service {number} is up.")
    first = browser.get("/review/journal?actor=person").content.decode()
    more = re.search(r'id="journal-more">.*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    address = "/review/journal" + more[1].replace("&amp;", "&")
    assert "actor=person" in address
    rest = browser.get(address, headers=htmx("journal-more")).content.decode()
    assert first.count('<li class="item') == 50
    assert rest.count('<li class="item') == 10
    assert "journal-more" not in rest
    assert browser.get("/review/journal?cursor=forged").status_code == 422


def test_the_chain_is_verified_on_the_spot(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post("/review/journal/verify", headers=htmx("journal-seal"))
    assert "All 1 entries fit, and all 1 beliefs are as they say" in text_of(answer)
    GovernanceItem.objects.filter(pk=item.pk).update(confidence=1)
    broken = browser.post("/review/journal/verify", follow=True)
    assert f"1 things do not fit, the first at #{item.ref}." in text_of(broken)


def test_a_long_journal_is_a_commands_work(lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(lotta, "The canary is green."), remember(lotta, "The canary is yellow.")
    monkeypatch.setattr("review.pages.records.journal.AT_ONCE", 1)
    answer = browser.post("/review/journal/verify", headers=htmx("journal-seal"))
    assert "verify_journal --owner lotta" in text_of(answer)


def test_one_belief_is_proved_from_its_entries(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    accept(principal=make_person(lotta), reference=item.ref)
    part = browser.get(f"/items/{item.ref}/proof", headers=htmx("item-proof"))
    assert "All 2 entries fit, and the belief is as the last one says" in text_of(part)
    GovernanceItem.objects.filter(pk=item.pk).update(confidence=1)
    assert "The belief differs from what entry 2 says." in text_of(browser.get(f"/items/{item.ref}/proof"))
    with without_guards("review_journalpayload"):
        JournalPayload.objects.filter(item_id=item.pk, entry__verb="admit").update(body="{}")
    assert "What entry 1 tells was changed." in text_of(browser.get(f"/items/{item.ref}/proof"))


# --- all of them --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_sees_nothing_of_it(lotta: User, browser: Client, page: str) -> None:
    rejected(lotta, "The office is in Lisbon.")
    wish(lotta, "The canary is green.")
    assert re.search("Lisbon|canary", browser.get(page).content.decode())
    shown = browser_of(make_owner("bo")).get(page)
    assert shown.status_code == 200
    assert "Lisbon" not in shown.content.decode()
    assert "canary" not in shown.content.decode()


def test_a_stranger_answers_nothing(lotta: User) -> None:
    rejected(lotta, "The office is in Lisbon.")
    stone, request = Tombstone.objects.get(), wish(lotta, "The canary is green.")
    stranger = browser_of(make_owner("bo"))
    for path, ref in (("refused/{}/lift", stone.ref), ("archive/{}/approve", request.ref)):
        theirs, unknown = (stranger.post(f"/review/{path.format(each)}") for each in (ref, "aaaaaaaaaaaa"))
        assert theirs.status_code == unknown.status_code == 404
        assert theirs.content == unknown.content
    stone.refresh_from_db(), request.refresh_from_db()
    assert stone.lifted_at is None
    assert request.state == "pending"


@pytest.mark.parametrize("page", PAGES)
def test_more_rows_cost_no_more_queries(db: None, page: str) -> None:
    few, many = make_owner("few"), make_owner("many")
    for person, number in ((few, 1), (many, 40)):
        fill(person, 6)
        for n in range(number):
            rejected(person, f"Service {n} is up.")
            wish(person, f"Service {n} is down.")
    counts = []
    for person in (few, many):
        browser = browser_of(person)
        with CaptureQueriesContext(connection) as asked:
            answer = browser.get(page)
        counts.append(len(asked))
        assert len(answer.content) <= 60_000
    assert counts[1] <= counts[0] + 1
    assert counts[1] <= 15
