"""The decisions that ask before they are made, and the way back from each, with and without a script."""

import re
import time

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pawflow_web.identity.models import User
from pawflow_web.lib.db import execute
from review.models import GovernanceItem, JournalEntry, Tombstone
from tests.factories import make_owner, make_principal
from tests.web.beliefs import HOSTILE, contradict, propose, remember
from tests.web.people import browser_of, htmx, text_of

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
QUESTIONS = ("correct", "reject", "end", "edit", "purge")


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def browser(lotta: User) -> Client:
    return browser_of(lotta)


def at(path: str, target: str = "dialog") -> dict[str, str]:
    """The headers of a form in the dialog over the page at ``path``."""
    return {**htmx(target), "HX-Current-URL": f"http://127.0.0.1{path}"}


def status(item: GovernanceItem) -> str:
    item.refresh_from_db()
    return str(item.status)


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, name
    return found[1]


# --- questions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_a_page_and_the_same_form_in_the_dialog(lotta: User, browser: Client, question: str) -> None:
    item = remember(lotta, "The canary is green.")
    page = browser.get(f"/items/{item.ref}/{question}").content.decode()
    part = browser.get(f"/items/{item.ref}/{question}", headers=htmx("dialog")).content.decode()
    assert page.startswith("<!doctype html>")
    assert part.lstrip().startswith("<form")
    for shown in (page, part):
        assert f'action="/items/{item.ref}/{question}"' in shown
        assert 'id="dialog-title"' in shown
        assert "data-dialog-close" in shown
    assert status(item) == "active"
    assert JournalEntry.objects.filter(item_id=item.pk).count() == 1


@pytest.mark.parametrize("question", [*QUESTIONS, "consequence", "proof", "receipt"])
def test_a_question_about_anothers_belief_reads_like_one_about_none(
    lotta: User, browser: Client, question: str
) -> None:
    theirs = remember(make_owner("bo"), "The canary is green.")
    mine = remember(lotta, "The canary is yellow.")
    answers = [browser.get(f"/items/{ref}/{question}") for ref in (theirs.ref, "aaaaaaaaaaaa")]
    assert {answer.status_code for answer in answers} == {404}
    assert answers[0].content == answers[1].content
    assert browser.get(f"/items/{mine.ref}/{question}").status_code == 200


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("correct", {"text": "Other words."}),
        ("reject", {}),
        ("end", {}),
        ("edit", {"privacy": "normal", "scope": "global", "tags": "x"}),
        ("purge", {"confirm": "{ref}"}),
        ("reveal", {}),
        ("pin", {}),
        ("undo", {}),
        ("forget", {}),
    ],
)
def test_nobody_decides_over_anothers_belief(lotta: User, path: str, given: dict[str, str]) -> None:
    item = remember(lotta, "The canary is green.")
    before = GovernanceItem.objects.filter(pk=item.pk).values().get()
    stranger = browser_of(make_owner("bo"))
    sent = {name: value.format(ref=item.ref) for name, value in given.items()}
    theirs, unknown = (
        stranger.post(f"/items/{item.ref}/{path}", sent),
        stranger.post(f"/items/aaaaaaaaaaaa/{path}", sent),
    )
    assert theirs.status_code == unknown.status_code == 404
    assert theirs.content == unknown.content
    assert GovernanceItem.objects.filter(pk=item.pk).values().get() == before


def test_a_question_says_what_follows(lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # a machine that runs other tests beside this one is slow
    monkeypatch.setattr("review.consequence.PATIENCE_MS", 20_000)
    make_principal(lotta, agent="claude-code")
    item = remember(lotta, "The canary is green.")
    told = text_of(browser.get(f"/items/{item.ref}/reject"))
    assert "If you reject: claude-code no longer reads it. Its words are refused from then on" in told
    old, new = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    part = browser.get(f"/items/{new.ref}/consequence?verb=accept&demote={old.ref}", headers=htmx("review-effect"))
    assert "If you accept:" in text_of(part)
    assert "may read it from the next turn." in text_of(part)
    assert f'<a href="/items/{old.ref}">#{old.number} Staging is in Dublin.</a> ends now.' in part.content.decode()
    assert (status(old), status(new)) == ("active", "needs_review")


def test_what_cannot_be_told_is_left_out(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    part = browser.get(f"/items/{item.ref}/consequence?verb=accept", headers=htmx("review-effect"))
    assert part.content.decode().strip() == ""
    assert "That cannot be told just now." in text_of(browser.get(f"/items/{item.ref}/consequence?verb=accept"))
    assert browser.get(f"/items/{item.ref}/consequence?verb=conjure").status_code == 200


def test_nobody_waits_for_a_sentence(lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    item = propose(lotta, "The canary is green.")
    address = f"/items/{item.ref}/consequence?verb=accept"

    def slow(**_given: object) -> None:
        with transaction.atomic():
            execute("SELECT pg_sleep(20)")

    with monkeypatch.context() as patched:
        patched.setattr("review.consequence.preview", slow)
        begun = time.monotonic()
        assert browser.get(address, headers=htmx("review-effect")).content.decode().strip() == ""
        assert time.monotonic() - begun < 10
    monkeypatch.setattr("review.consequence.PATIENCE_MS", 20_000)
    assert "If you accept:" in text_of(browser.get(address, headers=htmx("review-effect")))
    assert (status(item), JournalEntry.objects.filter(item_id=item.pk).count()) == ("needs_review", 1)


# --- correct ------------------------------------------------------------------------------------------------------


def test_correcting_makes_a_new_belief_and_shows_the_change(lotta: User, browser: Client) -> None:
    item = remember(lotta, "Deploys go through the new cluster.", tags=["deploy"])
    words = dict(GovernanceItem.objects.filter(pk=item.pk).values("text", "words_mac").get())
    page = browser.get(f"/items/{item.ref}/correct").content.decode()
    assert "Deploys go through the new cluster.</textarea>" in page
    sent = {"text": "Deploys go through the Frankfurt cluster.", "revision": field(page, "revision"), "reason": "moved"}
    answer = browser.post(f"/items/{item.ref}/correct", sent)
    new = GovernanceItem.objects.latest("pk")
    assert answer["Location"] == f"/items/{new.ref}"
    assert (status(item), new.status) == ("superseded", "active")
    assert GovernanceItem.objects.filter(pk=item.pk).values("text", "words_mac").get() == words
    shown = browser.get(answer["Location"])
    assert "You corrected the words" in text_of(shown)
    assert 'removed: </span>new</del> <ins><span class="vh">added: </span>Frankfurt</ins>' in shown.content.decode()
    assert f"Corrected. It is in use: every agent of yours may read it. #{item.ref} keeps" in text_of(shown)


def test_words_that_the_gate_stops_wait_and_the_old_ones_stay(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/correct", {"text": HOSTILE, "revision": "1"}, follow=True)
    new = GovernanceItem.objects.latest("pk")
    assert (status(item), new.status, new.contradicts_id) == ("active", "needs_review", item.pk)
    assert "Kept, but it waits." in text_of(answer)
    assert "Until then the old ones stay as they are." in text_of(answer)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("", 422, "A belief needs words; this one has none."),
        ("The canary is green.", 422, "says"),
        ("Staging is in Dublin.", 409, "#"),
        ("x" * 8001, 422, "8000"),
    ],
)
def test_words_that_cannot_be_come_back_with_the_reason(
    lotta: User, browser: Client, text: str, code: int, told: str
) -> None:
    item = remember(lotta, "The canary is green.")
    remember(lotta, "Staging is in Dublin.")
    answer = browser.post(f"/items/{item.ref}/correct", {"text": text}, headers=at(f"/items/{item.ref}"))
    page = answer.content.decode()
    assert answer.status_code == code
    assert told in text_of(answer)
    assert 'role="alert"' in page
    assert text in page
    assert status(item) == "active"


def test_rejected_words_are_said_all_the_same_when_the_person_insists(lotta: User, browser: Client) -> None:
    denied, item = remember(lotta, "Staging is in Dublin."), remember(lotta, "Staging is in Rome.")
    browser.post(f"/items/{denied.ref}/reject", {"reason": "never was"})
    sent = {"text": "Staging is in Dublin."}
    refused = browser.post(f"/items/{item.ref}/correct", sent, headers=at(f"/items/{item.ref}"))
    assert refused.status_code == 409
    assert "never was" in text_of(refused)
    assert 'type="checkbox" name="override"' in refused.content.decode()
    assert browser.post(f"/items/{item.ref}/correct", {**sent, "override": "on"}).status_code == 302
    assert GovernanceItem.objects.latest("pk").status == "active"


def test_correcting_from_the_queue_goes_on_to_the_next(lotta: User, browser: Client) -> None:
    first, second = propose(lotta, "The canary is green."), propose(lotta, "The canary is yellow.")
    answer = browser.post(f"/items/{first.ref}/correct", {"text": "The canary is blue."}, headers=at("/review"))
    page = answer.content.decode()
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#review-item", "innerHTML")
    assert answer["HX-Trigger"] == "dialog-close"
    assert answer["HX-Replace-Url"] == f"/review?item={second.ref}"
    assert "Item 1 of 1" in page
    assert page.count("hx-swap-oob") == 3
    assert GovernanceItem.objects.latest("pk").status == "active"


# --- end, edit, pin -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "until", "precision"),
    [
        ("2024", "2024-01-01T00:00", "year"),
        ("2024-05", "2024-05-01T00:00", "month"),
        ("2024-05-07", "2024-05-07T00:00", "day"),
        ("2024-05-07T10:30:00Z", "2024-05-07T10:30", "instant"),
    ],
)
def test_an_end_of_any_precision(lotta: User, browser: Client, given: str, until: str, precision: str) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/end", {"ended_at": given}, headers=at(f"/items/{item.ref}"))
    item.refresh_from_db()
    assert answer["HX-Retarget"] == f"#item-{item.ref}"
    assert item.status == "active"
    assert item.valid.upper.isoformat().startswith(until)
    assert item.valid_to_precision == precision
    assert "You ended it" in text_of(answer)
    assert "True until" in text_of(answer)


def test_an_end_without_a_date_is_now_and_one_that_is_no_date_comes_back(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    refused = browser.post(f"/items/{item.ref}/end", {"ended_at": "last spring"}, headers=at(f"/items/{item.ref}"))
    assert refused.status_code == 422
    assert 'value="last spring"' in refused.content.decode()
    assert 'aria-invalid="true"' in refused.content.decode()
    item.refresh_from_db()
    assert item.valid.upper is None
    before = timezone.now()
    assert browser.post(f"/items/{item.ref}/end", {}).status_code == 302
    item.refresh_from_db()
    assert before <= item.valid.upper <= timezone.now()


def test_what_belongs_to_it_is_changed_in_one_form(lotta: User, browser: Client) -> None:
    make_principal(lotta, agent="claude-code")
    item = remember(lotta, "The canary is green.", tags=["deploy"])
    page = browser.get(f"/items/{item.ref}/edit").content.decode()
    assert 'value="deploy"' in page
    sent = {
        "tags": "release, canary",
        "category": "events",
        "importance": "high",
        "durability": "project",
        "privacy": "sensitive",
        "scope": "agent",
        "agent": "claude-code",
        "expires_at": "2099-01-01",
        "pinned": "on",
        "revision": field(page, "revision"),
        "reason": "sorted",
    }
    answer = browser.post(f"/items/{item.ref}/edit", sent, headers=at(f"/items/{item.ref}"))
    item = GovernanceItem.objects.select_related("memory", "scope_agent").get(pk=item.pk)
    assert answer.status_code == 200
    assert item.memory.tags == ["release", "canary"]
    assert (item.memory.category, item.memory.importance, item.memory.durability) == ("events", "high", "project")
    assert (item.privacy, item.scope, item.scope_agent.name, item.pinned) == ("sensitive", "agent", "claude-code", True)
    assert item.expires_at.year == 2099
    again = browser.get(f"/items/{item.ref}/edit").content.decode()
    same = {**sent, "revision": field(again, "revision")}
    entries = JournalEntry.objects.count()
    assert browser.post(f"/items/{item.ref}/edit", same).status_code == 302
    assert JournalEntry.objects.count() == entries


def test_a_change_that_cannot_be_comes_back_with_what_was_typed(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    sent = {"tags": "a, b", "privacy": "normal", "scope": "agent", "importance": "medium", "durability": "durable"}
    answer = browser.post(f"/items/{item.ref}/edit", sent, headers=at(f"/items/{item.ref}"))
    assert answer.status_code == 422
    assert "Choose the agent that reads it." in text_of(answer)
    assert 'value="a, b"' in answer.content.decode()
    GovernanceItem.objects.filter(pk=item.pk).update(revision=5)
    stale = browser.post(
        f"/items/{item.ref}/edit", {**sent, "scope": "global", "revision": "1"}, headers=at(f"/items/{item.ref}")
    )
    assert stale.status_code == 409
    assert "has changed since you read it" in text_of(stale)


def test_pinning_is_one_press_each_way(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/pin", {"revision": "1"}, headers=htmx(f"item-{item.ref}"))
    item.refresh_from_db()
    assert item.pinned
    assert f'action="/items/{item.ref}/unpin"' in answer.content.decode()
    row = browser.post(f"/items/{item.ref}/unpin", {"revision": item.revision}, headers=htmx(f"memories-{item.ref}"))
    item.refresh_from_db()
    assert not item.pinned
    assert row.content.decode().lstrip().startswith("<li")


# --- secrets and erasing ------------------------------------------------------------------------------------------


def test_a_secret_is_shown_once_to_the_press_that_asks(lotta: User, browser: Client) -> None:
    item = propose(lotta, f"The deploy token is {TOKEN} for now.")
    assert TOKEN not in browser.get(f"/items/{item.ref}").content.decode()
    assert browser.get(f"/items/{item.ref}/reveal").status_code == 405
    shown = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"item-{item.ref}"))
    assert TOKEN in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    after = browser.get(f"/items/{item.ref}")
    assert TOKEN not in after.content.decode()
    assert "You looked at the secret words" in text_of(after)
    assert TOKEN not in str(dict(browser.session))
    assert TOKEN in browser.post(f"/items/{item.ref}/reveal").content.decode()
    beside = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"memories-detail-{item.ref}"))
    assert TOKEN in beside.content.decode()
    assert beside.content.decode().lstrip().startswith("<aside")
    assert "no-store" in beside["Cache-Control"]


def test_revealing_what_is_no_secret_says_so(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"item-{item.ref}"))
    assert answer.status_code == 409
    assert "is not secret" in text_of(answer)


def test_no_form_holds_the_words_of_a_secret(lotta: User, browser: Client) -> None:
    item = propose(lotta, f"The deploy token is {TOKEN} for now.", tags=["canarytag"])
    for question in QUESTIONS:
        page = browser.get(f"/items/{item.ref}/{question}").content.decode()
        assert TOKEN not in page
        assert "canarytag" not in page


def test_purging_needs_the_reference_and_leaves_a_refusal(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    wrong = browser.post(f"/items/{item.ref}/purge", {"confirm": "aaaaaaaaaaaa"}, headers=at(f"/items/{item.ref}"))
    assert wrong.status_code == 422
    assert browser.post(f"/items/{item.ref}/purge", {}).status_code == 422
    assert status(item) == "active"
    done = browser.post(f"/items/{item.ref}/purge", {"confirm": f"#{item.ref}"}, follow=True)
    assert not GovernanceItem.objects.filter(pk=item.pk).exists()
    assert "Purged. Gone from all" in text_of(done)
    assert "The words are refused from now on." in text_of(done)
    assert browser.get(f"/items/{item.ref}").status_code == 404
    assert Tombstone.objects.filter(item_ref=item.ref, lifted_at=None).exists()
    refused = browser.post("/memories", {"text": "The canary is green.", "scope": "global"})
    assert refused.status_code == 409


# --- the way back -------------------------------------------------------------------------------------------------


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
    sent = {"revision": field(done, "revision")}
    assert Tombstone.objects.filter(lifted_at=None).count() == 1
    answer = browser.post(f"/items/{first.ref}/undo", {"revision": 2}, headers=at(f"/review?item={second.ref}", ""))
    assert status(first) == "needs_review"
    assert Tombstone.objects.filter(lifted_at=None).count() == 0
    assert answer["HX-Retarget"] == "#review-item"
    assert answer["HX-Replace-Url"] == f"/review?item={first.ref}"
    assert "Item 1 of 2" in text_of(answer)
    assert "Taken back." in text_of(answer)
    assert f'action="/items/{first.ref}/undo"' not in answer.content.decode()
    assert sent


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


# --- cost ---------------------------------------------------------------------------------------------------------


def test_a_question_costs_the_same_for_one_belief_and_for_fifty(lotta: User, browser: Client) -> None:
    counts = {}
    for number in (1, 50):
        items = [remember(lotta, f"Service {number}-{n} is up.") for n in range(number)]
        for question in QUESTIONS:
            browser.get(f"/items/{items[0].ref}/{question}")
            with CaptureQueriesContext(connection) as asked:
                browser.get(f"/items/{items[0].ref}/{question}")
            counts[number, question] = len(asked)
    for question in QUESTIONS:
        assert counts[50, question] <= counts[1, question], question
    assert counts[50, "edit"] <= 15
    assert counts[50, "purge"] <= 15
    # with the decision made and taken back
    assert max(counts[50, question] for question in ("correct", "reject", "end")) <= 40
