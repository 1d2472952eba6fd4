"""Nothing that ``/admin`` is sent writes, but the services behind its actions."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from pawflow_web.identity.models import ApiToken, User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import open_run
from review.gate import tombstones
from review.journal.chain import verify
from review.models import ArchiveRequest, GovernanceItem, JournalEntry, Tombstone
from tests.web.admin_rows import MODELS, lotta, mallory, rows_of, url_of
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose
from tests.web.people import text_of

__all__ = ["lotta", "mallory"]


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

MOVING = {"accept", "reject", "restore", "forget", "approve"}

# what is told of the others' deeds
TOLD = {"revoke": r"\b\d+ tokens? (is|are) revoked\.", "cancel": r"#\w+ is asked to stop\."}


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
    assert bool(moved) is (action in MOVING)
    assert moved <= told
    assert moved.isdisjoint(foreign)
    assert texts() == words
    assert list(rows_of(model, mallory).values()) == others
    assert verify(lotta).ok
    assert verify(mallory).ok
    assert (ArchiveRequest.objects.get(user=lotta).state == "declined") is (action == "decline")
    assert re.search(TOLD.get(action, r"\b\d+ done\."), text_of(browser.get(url_of(model))))


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
