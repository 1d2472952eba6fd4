"""The decisions that ask before they are made: the question, what would follow, and who may ask."""

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import User
from pawflow_web.lib.db import execute
from review.models import GovernanceItem, JournalEntry
from tests.factories import GITHUB_TOKEN, make_owner, make_principal
from tests.web.beliefs import contradict, propose, remember
from tests.web.people import browser_of, htmx, status, text_of

QUESTIONS = ("correct", "reject", "end", "edit", "purge")


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
    monkeypatch.setattr("review.pages.item.consequence.PATIENCE_MS", 20_000)
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
        patched.setattr("review.pages.item.consequence.preview", slow)
        assert browser.get(address, headers=htmx("review-effect")).content.decode().strip() == ""
    monkeypatch.setattr("review.pages.item.consequence.PATIENCE_MS", 20_000)
    assert "If you accept:" in text_of(browser.get(address, headers=htmx("review-effect")))
    assert (status(item), JournalEntry.objects.filter(item_id=item.pk).count()) == ("needs_review", 1)


def test_no_form_holds_the_words_of_a_secret(lotta: User, browser: Client) -> None:
    secret = propose(lotta, f"The deploy token is {GITHUB_TOKEN} for now.", tags=["canarytag"])
    plain = propose(lotta, "The deploy host is called heron.", tags=["herontag"])

    def asked(item: GovernanceItem, question: str) -> str:
        answer = browser.get(f"/items/{item.ref}/{question}")
        assert answer.status_code == 200
        return answer.content.decode()

    for question in QUESTIONS:
        assert GITHUB_TOKEN not in asked(secret, question)
        assert "canarytag" not in asked(secret, question)
    assert plain.text in asked(plain, "correct")
    assert "herontag" in asked(plain, "edit")


def test_a_question_costs_the_same_for_one_belief_and_for_fifty(
    lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review.pages.item.consequence.PATIENCE_MS", 20_000)
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
