"""``/admin`` shows owners their rows, and changes nothing but by the services."""

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.web.admin import ListedPaginator
from review.models import GovernanceItem, JournalEntry, JournalPayload, Tombstone
from tests.factories import GITHUB_TOKEN, make_owner
from tests.web.admin_rows import MODELS, OTHERS, OWNED, fill_records, lotta, mallory, rows_of, url_of
from tests.web.beliefs import remember
from tests.web.people import browser_of, text_of

__all__ = ["lotta", "mallory"]


def test_every_model_is_here_and_nothing_else(db: None) -> None:
    assert set(admin.site._registry) == set(MODELS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_list_and_a_row_show_what_is_ones_own(
    browser: Client, lotta: User, mallory: User, model: type[Model]
) -> None:
    page = browser.get(url_of(model))
    assert page.status_code == 200
    row = rows_of(model, lotta).last()
    assert url_of(model, "change", row.pk) in page.content.decode()
    assert browser.get(url_of(model, "change", row.pk)).status_code == 200
    assert OTHERS.lower() not in page.content.decode().lower()
    if model in OWNED:
        foreign = rows_of(model, mallory).first()
        assert url_of(model, "change", foreign.pk) not in page.content.decode()
        there, never = (browser.get(url_of(model, "change", pk)) for pk in (foreign.pk, 999_999_999))
        assert (there.status_code, never.status_code) == (404, 404)
        assert there.content == never.content


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_without_a_person_every_page_leads_to_our_sign_in(lotta: User, model: type[Model]) -> None:
    stranger = browser_of()
    for page in (reverse("admin:index"), url_of(model), url_of(model, "change", 1)):
        answer = stranger.get(page)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/?next=")
        onward = stranger.get(answer["Location"])
        assert onward["Location"] == f"/login?next={page}"


# --- what it shows --------------------------------------------------------------------------------------------


def test_a_secret_is_masked_in_every_list_and_row(browser: Client, lotta: User) -> None:
    secret = remember(lotta, f"The deploy token is {GITHUB_TOKEN} for now.", tags=["vault-deploy"])
    open_one = remember(lotta, "The deploy host is called heron.", tags=["vault-open"])
    assert secret.privacy == "secret"
    pages = [url_of(model) for model in MODELS]
    pages += [url_of(model, "change", row.pk) for model in MODELS for row in rows_of(model, lotta).reverse()[:4]]
    shown = "".join(browser.get(page).content.decode() for page in pages)
    assert GITHUB_TOKEN not in shown
    assert "deploy token" not in shown
    assert "vault-deploy" not in shown
    assert "••••" in shown
    assert open_one.text in shown
    assert "vault-open" in shown
    assert GITHUB_TOKEN not in browser.get(url_of(GovernanceItem), {"q": "deploy token"}).content.decode()


def test_no_digest_is_shown_or_can_be_guessed_at(browser: Client, lotta: User) -> None:
    for model in (ApiToken, Tombstone):
        row = rows_of(model, lotta).first()
        assert row.digest not in browser.get(url_of(model, "change", row.pk)).content.decode()
        assert browser.get(url_of(model), {"digest__startswith": row.digest[0]}).status_code == 400
    assert browser.get(url_of(GovernanceItem), {"user__username__startswith": "m"}).status_code == 400
    assert browser.get(url_of(GovernanceItem), {"text__contains": "deploy"}).status_code == 400
    assert browser.get(url_of(GovernanceItem), {"status__exact": "rejected"}).status_code == 200


def test_a_reference_a_number_and_words_find_a_belief(browser: Client, lotta: User, mallory: User) -> None:
    item = remember(lotta, "The heron nests on the old crane.")
    stranger = GovernanceItem.objects.filter(user=mallory).latest("pk")
    other = remember(lotta, "Nothing of the kind.")

    def found(words: str, model: type[Model] = GovernanceItem) -> str:
        return browser.get(url_of(model), {"q": words}).content.decode()

    for words in (item.ref, f"#{item.ref}", f"#{item.number}", "heron"):
        assert item.ref in found(words), words
        assert other.ref not in found(words), words
    assert "0 rows" in found(stranger.ref)
    assert "1 row" in found(item.ref, JournalEntry)
    assert "0 rows" in found(stranger.ref, JournalEntry)


def test_the_journal_is_verified_from_its_list(browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    check = reverse("admin:review_journalentry_verify")
    assert browser.get(check).status_code == 405
    assert "Intact:" in text_of(browser.post(check, follow=True))
    monkeypatch.setattr("review.admin.journal.VERIFIED_MOST", 1)
    told = text_of(browser.post(check, follow=True))
    assert ".venv/bin/python manage.py verify_journal --owner lotta" in told
    monkeypatch.undo()
    GovernanceItem.objects.filter(user=lotta, status="needs_review").update(confidence=1)
    assert "things do not fit" in text_of(browser.post(check, follow=True))


def test_a_payload_that_was_erased_says_so(browser: Client, lotta: User) -> None:
    entry = JournalEntry.objects.filter(user=lotta).latest("seq")
    assert "&quot;status&quot;:" in browser.get(url_of(JournalEntry, "change", entry.pk)).content.decode()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('pawflow.erase', %s, true)", [f"item:{entry.item_id}"])
    JournalPayload.objects.filter(entry=entry).delete()
    assert "erased" in text_of(browser.get(url_of(JournalEntry, "change", entry.pk)))


# --- what it costs --------------------------------------------------------------------------------------------


def counted(browser: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert browser.get(page).status_code == 200
    return len(asked)


def test_more_rows_cost_no_more_statements(browser: Client, lotta: User) -> None:
    few = {model: counted(browser, url_of(model)) for model in MODELS}
    before = {model: rows_of(model, lotta).count() for model in OWNED}
    for number in range(3):
        fill_records(make_owner(f"other-{number}"), f"{OTHERS} {number}")
        fill_records(lotta, f"Further {number}", agent=f"bot-{number}")
    assert [model for model in OWNED if rows_of(model, lotta).count() <= before[model]] == []
    assert {model: counted(browser, url_of(model)) for model in MODELS} == few
    assert max(few.values()) <= 7
    for model in MODELS:
        assert counted(browser, url_of(model, "change", rows_of(model, lotta).last().pk)) <= 8


def test_a_long_list_is_counted_to_a_bound_and_says_so(
    browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "can be paged through" not in text_of(browser.get(url_of(GovernanceItem)))
    monkeypatch.setattr(ListedPaginator, "MOST", 3)
    assert "Only the first 3 can be paged through" in text_of(browser.get(url_of(GovernanceItem)))
