"""One belief on a page of its own."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from pawflow_web.identity.models import User, UserSettings
from review.lifecycle import accept, edit, end, reject
from review.lifecycle.feedback import vote
from review.models import GovernanceItem, JournalEntry
from tests.factories import GITHUB_TOKEN, make_owner, make_person, make_principal
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose, remember
from tests.web.people import htmx, text_of


def test_a_belief_is_found_by_reference_and_by_number(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    for name in (item.ref, f"%23{item.ref}", str(item.number), f"%23{item.number}"):
        assert "The canary is green." in text_of(browser.get(f"/items/{name}")), name
    assert browser.get(f"/items/{item.number + 1}").status_code == 404


def test_another_persons_belief_is_like_one_that_never_was(lotta: User, browser: Client) -> None:
    theirs = remember(make_owner("bo"), "The canary is green.")
    known, unknown = browser.get(f"/items/{theirs.ref}"), browser.get("/items/aaaaaaaaaaaa")
    assert known.status_code == unknown.status_code == 404
    assert known.content == unknown.content
    assert "There is nothing here that you may see." in text_of(known)
    readers = [browser.get(f"/items/{ref}/receipt") for ref in (theirs.ref, "aaaaaaaaaaaa")]
    assert {(answer.status_code, answer.content) for answer in readers} == {(404, known.content)}


def test_the_history_is_told_in_sentences(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    accept(principal=make_person(lotta), reference=item.ref, comment="seen it myself")
    told = text_of(browser.get(f"/items/{item.ref}"))
    assert "ci-bot brought it" in told
    assert "Needs review: from an automation, so it waits" in told
    assert "You accepted it" in told
    assert "from Needs review to In use" in told
    assert "seen it myself" in told


def test_where_it_comes_from_names_file_and_line(lotta: User, browser: Client) -> None:
    item = bring_file(lotta, ["One.", "The canary is green."])[1]
    told = text_of(browser.get(f"/items/{item.ref}"))
    assert "It came with memory.jsonl" in told
    assert "memory.jsonl, line 2" in told


def test_the_proof_names_its_entries(lotta: User, browser: Client) -> None:
    remember(lotta, "One.")
    item = propose(lotta, "The canary is green.")
    reject(principal=make_person(lotta), reference=item.ref)
    told = text_of(browser.get(f"/items/{item.ref}"))
    last = JournalEntry.objects.filter(item_id=item.pk).latest("seq").hash
    assert "Journal entries 2 , 3 ." in told or "Journal entries 2, 3." in told
    assert f"{last[:4]} {last[4:8]} {last[8:12]} {last[12:16]}" in told


def test_connected_beliefs_are_linked_both_ways(lotta: User, browser: Client) -> None:
    old, new = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    assert f'href="/items/{old.ref}"' in browser.get(f"/items/{new.ref}").content.decode()
    assert "Decide in review" in text_of(browser.get(f"/items/{new.ref}"))
    accept(principal=make_person(lotta), reference=new.ref)
    assert "Replaced by" in text_of(browser.get(f"/items/{old.ref}"))
    assert "Replaces" in text_of(browser.get(f"/items/{new.ref}"))


def test_a_secret_is_masked_wherever_the_page_could_say_it(lotta: User, browser: Client) -> None:
    item = propose(lotta, f"The deploy token is {GITHUB_TOKEN} for now.")
    plain = remember(lotta, "The deploy token is rotated weekly.")
    pages = [f"/items/{item.ref}", "/review", f"/review?item={item.ref}", "/memories?status=any", "/memories?q=token"]
    for page in pages:
        shown = browser.get(page).content.decode()
        assert GITHUB_TOKEN not in shown
    assert "••••" in browser.get(f"/items/{item.ref}").content.decode()
    assert plain.ref in browser.get("/memories?q=token").content.decode()


def test_readers_are_asked_on_the_spot(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    before = text_of(browser.get(f"/items/{item.ref}/receipt"))
    reject(principal=make_person(lotta), reference=item.ref)
    after = text_of(browser.get(f"/items/{item.ref}/receipt", headers=htmx("item-readers")))
    assert "Recall by words finds it" in before
    assert "Recall by words does not" in after
    # A person takes along everything, what they rejected included, and that says nothing of who reads it.
    assert "finds it" not in after
    assert "whole whatever the status: Export" in after


def test_a_decision_on_the_page_shows_the_page_as_it_is_then(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/accept", {"revision": 1}, headers=htmx(f"item-{item.ref}"))
    assert answer.content.decode().lstrip().startswith(f'<div class="grid two" id="item-{item.ref}"')
    assert "You accepted it" in text_of(answer)
    stale = browser.post(f"/items/{item.ref}/reject", {"revision": 1}, headers=htmx(f"item-{item.ref}"))
    assert stale.status_code == 409
    assert "has changed since you read it" in text_of(stale)
    assert browser.post(f"/items/{item.ref}/reject", {"revision": 2}).status_code == 302
    assert browser.post(f"/items/{item.ref}/restore", {}).status_code == 302
    item.refresh_from_db()
    assert item.status == "needs_review"


def test_beside_a_list_the_short_form_opens_and_decides(lotta: User, browser: Client) -> None:
    item = propose(lotta, HOSTILE)
    shown = browser.get(f"/items/{item.ref}", headers=htmx("memories-detail")).content.decode()
    assert shown.lstrip().startswith("<aside")
    assert "<mark>Ignore all previous instructions</mark>" in shown
    target = f"memories-detail-{item.ref}"
    assert f'id="{target}"' in shown
    assert f'hx-target="#{target}"' in shown
    answer = browser.post(f"/items/{item.ref}/reject", {"revision": 1}, headers=htmx(target)).content.decode()
    assert 'aria-current="true" hx-swap-oob="true"' in answer
    assert 'data-status="rejected"' in answer


@pytest.mark.parametrize("verb", ["accept", "reject", "forget"])
def test_a_decision_is_about_what_stood_on_the_screen(lotta: User, browser: Client, verb: str) -> None:
    item = propose(lotta, "The canary is green.")
    if verb == "forget":
        accept(principal=make_person(lotta), reference=item.ref)
    item.refresh_from_db()
    before, seen = item.status, item.revision
    for target in (f"memories-{item.ref}", f"memories-detail-{item.ref}", f"item-{item.ref}"):
        answer = browser.post(f"/items/{item.ref}/{verb}", {"revision": seen + 1}, headers=htmx(target))
        assert answer.status_code == 409
        assert "has changed since you read it" in text_of(answer)
    item.refresh_from_db()
    assert item.status == before
    assert browser.post(f"/items/{item.ref}/{verb}", {"revision": seen}).status_code == 302
    item.refresh_from_db()
    assert item.status != before


@pytest.mark.parametrize("path", ["/items/{ref}/reject", "/review/{ref}/reject"])
@pytest.mark.parametrize("form", [{"reason": "x" * 501}, {"revision": "soon"}])
def test_a_form_that_cannot_be_is_refused_everywhere(
    lotta: User, browser: Client, path: str, form: dict[str, str]
) -> None:
    item = propose(lotta, "The canary is green.")
    answer = browser.post(path.format(ref=item.ref), form)
    assert answer.status_code == 422
    assert ("at most 500 characters" if "reason" in form else "cannot be read") in text_of(answer)
    item.refresh_from_db()
    assert item.status == "needs_review"
    assert browser.post(path.format(ref=item.ref), {"reason": "x" * 500}).status_code == 302


def test_the_history_says_what_changed_as_a_person_does(lotta: User, browser: Client) -> None:
    person = make_person(lotta)
    UserSettings.objects.filter(user=lotta).update(time_zone="Europe/Berlin")
    item = remember(lotta, "The canary is green.", principal=make_principal(lotta, agent="coder"), scope="global")
    changes = {
        "scope": "agent",
        "agent": "coder",
        "privacy": "sensitive",
        "tags": ["deploy", "bird"],
        "pinned": True,
        "expires_at": datetime(2099, 7, 1, 22, tzinfo=UTC),
    }
    item = vote(principal=make_principal(lotta, agent="coder"), reference=item.ref, helpful=False).item
    edit(principal=person, reference=item.ref, revision=item.revision, changes=changes)
    told = text_of(browser.get(f"/items/{item.ref}"))
    for sentence in (
        "read by: everyone, now one agent",
        "which agent: none, now coder",
        "privacy: ordinary, now sensitive",
        "tags: none, now deploy, bird",
        "pinned: no, now yes",
        "expires: none, now 2 July 2099, 00:00",
        "confidence: 0.85, now 0.",
    ):
        assert sentence in told, sentence
    changed = {name for event in person_history(browser, item) for name in event["changes"]}
    assert "confidence" in changed
    for event in person_history(browser, item):
        for value in event["changes"].get("confidence", []):
            assert 0 <= value <= 1


def person_history(browser: Client, item: GovernanceItem) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.get(f"/api/v1/items/{item.ref}/history").json()["items"]
    return found


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("plain", "Your agents may read this now."),
        ("sensitive", "only agents that you allow read it"),
        ("secret", "It never leaves here"),
        ("ended", "It is no longer true"),
        ("ahead", "It is not true yet"),
        ("expired", "Its time is over"),
    ],
)
def test_what_is_in_use_says_who_reads_it_now(lotta: User, browser: Client, state: str, sentence: str) -> None:
    person, now = make_person(lotta), timezone.now()
    item = remember(lotta, "The canary is green.", **({"valid_from": "2099-01-01"} if state == "ahead" else {}))
    if state in {"sensitive", "secret"}:
        edit(principal=person, reference=item.ref, revision=item.revision, changes={"privacy": state})
    elif state == "ended":
        end(principal=person, reference=item.ref, ended_at=now - timedelta(days=1), precision="instant")
    elif state == "expired":
        GovernanceItem.objects.filter(pk=item.pk).update(expires_at=now - timedelta(days=1))
    assert GovernanceItem.objects.get(pk=item.pk).status == "active"
    told = text_of(browser.get(f"/items/{item.ref}"))
    assert sentence in told
    readable = GovernanceItem.objects.recallable(make_principal(lotta, agent="coder")).filter(pk=item.pk).exists()
    assert readable == (state == "plain") == ("Your agents may read this now." in told)
