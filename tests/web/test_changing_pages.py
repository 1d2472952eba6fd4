"""Correct, end, change and pin from the page of a belief, with and without a script."""

import pytest
from django.test import Client
from django.utils import timezone

from pawflow_web.identity.models import User
from review.models import GovernanceItem, JournalEntry
from tests.factories import make_principal
from tests.web.beliefs import HOSTILE, propose, remember
from tests.web.people import at, field, htmx, status, text_of

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
