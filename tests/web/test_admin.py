"""``/admin`` shows owners their rows, and changes nothing but by the services."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import open_run
from pawflow_web.web.admin import ListedPaginator, OwnersAdmin
from review import tombstones
from review.journal import verify
from review.models import ArchiveRequest, GovernanceItem, JournalEntry, JournalPayload, Tombstone
from tests.factories import make_owner
from tests.web.admin_rows import OWNED, SECRET, SHARED, fill_records
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose, remember
from tests.web.people import browser_of, text_of

MODELS = (*OWNED, *SHARED)
WORDS, OTHERS = "Quincewood", "Palimpsest"


@pytest.fixture
def lotta(db: None) -> User:
    user = make_owner("lotta")
    fill_records(user, WORDS)
    return user


@pytest.fixture
def mallory(db: None) -> User:
    user = make_owner("mallory")
    fill_records(user, OTHERS)
    return user


@pytest.fixture
def browser(lotta: User) -> Client:
    return browser_of(lotta)


def url_of(model: type[Model], page: str = "changelist", *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def rows_of(model: type[Model], user: User) -> Any:
    """Rows of that owner, found without the admin's own narrowing."""
    entry: OwnersAdmin = admin.site._registry[model]  # type: ignore[assignment]  # all of ours are
    rows = model._base_manager.order_by("pk")
    return rows.filter(**{entry.owner: user}) if entry.owner else rows


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of ours, to compare with."""
    ours = {model._meta.app_label for model in MODELS}
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models()
        if model._meta.app_label in ours
    }


def changed_at(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {label for label in before if before[label] != after[label]}


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


# --- nothing is written but by services -----------------------------------------------------------------------


def admin_routes(patterns: list[Any], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from admin_routes(pattern.url_patterns, before + str(pattern.pattern))
        elif isinstance(pattern, URLPattern):
            yield before + str(pattern.pattern)


ROUTES = [
    route.replace("^", "").replace("$", "")
    for resolver in get_resolver().url_patterns
    if isinstance(resolver, URLResolver) and resolver.app_name == "admin"
    for route in admin_routes(resolver.url_patterns, "/admin/")
]


def test_only_lists_and_rows_have_routes() -> None:
    ends = {route.rsplit("/", 2)[-2] for route in ROUTES if "<path:object_id>" in route}
    assert len(ROUTES) > 2 * len(MODELS)
    assert ends == {"change"}
    assert not [route for route in ROUTES if any(word in route for word in ("add/", "delete/", "password"))]


POSTS: dict[str, dict[str, Any]] = {
    "save": {"_save": "Save", "status": "active", "text": "Owned.", "state": "approved", "profile": "secure"},
    "add": {"_addanother": "1", "status": "active", "text": "Owned."},
    "edit in the list": {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-status": "active",
        "_save": "Save",
    },
    "delete": {"action": "delete_selected", "index": "0", "post": "yes"},
    "unknown": {"action": "make_active", "index": "0"},
}


@pytest.mark.parametrize("post", POSTS)
def test_no_form_of_the_admin_writes(browser: Client, lotta: User, mallory: User, post: str) -> None:
    before = everything()
    for model in MODELS:
        pks = [str(pk) for pk in rows_of(model, lotta).values_list("pk", flat=True)]
        wanted = {**POSTS[post], "_selected_action": pks}
        base = url_of(model)
        for path in (base, f"{base}add/", f"{base}{pks[0]}/change/", f"{base}{pks[0]}/delete/", f"{base}{pks[0]}/"):
            answer = browser.post(path, wanted)
            assert answer.status_code in {200, 302, 403, 404}, (path, answer.status_code)
    assert changed_at(before, everything()) == set()


ACTIONS = [
    (model, name)
    for model, entry in admin.site._registry.items()
    for name in (entry.actions or ())
    if isinstance(name, str)
]


def statuses() -> dict[int, str]:
    return dict(GovernanceItem.objects.values_list("pk", "status"))


def texts() -> dict[int, str]:
    return dict(GovernanceItem.objects.values_list("pk", "text"))


@pytest.mark.parametrize(("model", "action"), ACTIONS, ids=lambda part: getattr(part, "__name__", part))
@pytest.mark.parametrize("across", ["0", "1"])
def test_an_action_moves_only_ones_own_and_each_move_stands_in_the_journal(
    browser: Client, lotta: User, mallory: User, model: type[Model], action: str, across: str
) -> None:
    before, words, last = statuses(), texts(), JournalEntry.objects.latest("pk").pk
    foreign = set(GovernanceItem.objects.filter(user=mallory).values_list("pk", flat=True))
    others = list(rows_of(model, mallory).values())
    pks = [*rows_of(model, lotta).values_list("pk", flat=True), *rows_of(model, mallory).values_list("pk", flat=True)]
    wanted = {"action": action, "index": "0", "select_across": across, "_selected_action": [str(pk) for pk in pks]}
    answer = browser.post(url_of(model), wanted)
    assert answer.status_code == 302
    moved = {pk for pk, status in statuses().items() if before[pk] != status}
    told = set(JournalEntry.objects.filter(pk__gt=last, moved=True).values_list("item_id", flat=True))
    assert moved <= told
    assert moved.isdisjoint(foreign)
    assert texts() == words
    assert list(rows_of(model, mallory).values()) == others
    assert verify(lotta).ok
    assert verify(mallory).ok
    said = text_of(browser.get(url_of(model)))
    assert "done" in said or "revoked" in said or "asked to stop" in said


def test_there_are_actions_to_try() -> None:
    assert {name for _, name in ACTIONS} == {
        "accept", "reject", "restore", "forget", "lift", "approve", "decline", "revoke", "cancel",
    }  # fmt: skip


def act_on(browser: Client, action: str, *rows: Model) -> str:
    wanted = {"action": action, "index": "0", "_selected_action": [str(row.pk) for row in rows]}
    return text_of(browser.post(url_of(type(rows[0])), wanted, follow=True))


def test_what_is_flagged_or_contradicts_is_not_accepted_with_others(browser: Client, lotta: User) -> None:
    plain = propose(lotta, "The canary is green.")
    flagged = propose(lotta, HOSTILE)
    _, rival = contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    said = act_on(browser, "accept", plain, flagged, rival)
    assert "1 done." in said
    assert f"Not #{flagged.ref}:" in said
    assert f"Not #{rival.ref}:" in said
    assert [GovernanceItem.objects.get(pk=row.pk).status for row in (plain, flagged, rival)] == [
        "active",
        "needs_review",
        "needs_review",
    ]


def test_too_many_at_once_are_refused_whole(browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("review.admin.deeds.BULK_MOST", 2)
    items = bring_file(lotta, [f"Service {n} is up." for n in range(3)])
    assert "Nothing was done: at most 2 at once." in act_on(browser, "accept", *items)
    assert set(GovernanceItem.objects.filter(pk__in=[item.pk for item in items]).values_list("status", flat=True)) == {
        "needs_review"
    }
    assert "2 done." in act_on(browser, "accept", *items[:2])


def test_a_refusal_is_lifted_a_wish_answered_a_token_revoked_a_job_cancelled(browser: Client, lotta: User) -> None:
    tombstone = Tombstone.objects.get(user=lotta)
    act_on(browser, "lift", tombstone)
    assert tombstones.standing(lotta.pk, tombstone.digest) is None
    wish = ArchiveRequest.objects.get(user=lotta)
    act_on(browser, "approve", wish)
    assert GovernanceItem.objects.get(pk=wish.item_id).status == "stale"
    assert "was approved already" in act_on(browser, "decline", wish)
    token = ApiToken.objects.filter(user=lotta).earliest("pk")
    assert "1 token is revoked." in act_on(browser, "revoke", token)
    assert ApiToken.objects.get(pk=token.pk).revoked_at is not None
    run = open_run("import", user=lotta)
    assert f"#{run.ref} is asked to stop." in act_on(browser, "cancel", run)
    assert JobRun.objects.get(pk=run.pk).state == "cancelled"
    assert "can no longer be cancelled" in act_on(browser, "cancel", run)


# --- what it shows --------------------------------------------------------------------------------------------


def test_a_secret_is_masked_in_every_list_and_row(browser: Client, lotta: User) -> None:
    secret = remember(lotta, f"The deploy token is {SECRET} for now.", tags=["vault-deploy"])
    open_one = remember(lotta, "The deploy host is called heron.", tags=["vault-open"])
    assert secret.privacy == "secret"
    pages = [url_of(model) for model in MODELS]
    pages += [url_of(model, "change", row.pk) for model in MODELS for row in rows_of(model, lotta).reverse()[:4]]
    shown = "".join(browser.get(page).content.decode() for page in pages)
    assert SECRET not in shown
    assert "deploy token" not in shown
    assert "vault-deploy" not in shown
    assert "••••" in shown
    assert open_one.text in shown
    assert "vault-open" in shown
    assert SECRET not in browser.get(url_of(GovernanceItem), {"q": "deploy token"}).content.decode()


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
