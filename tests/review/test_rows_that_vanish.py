"""Between two statements of one answer a belief may be erased: what is left is told, and nothing fails."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pawflow_web.lib.errors import NotFound
from review import lifecycle, replies
from review.api import archive_requests as api_requests
from review.gate import assess, look_up
from review.journal.proof import prove
from review.lifecycle.archiving import suggest
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from review.pages.records import views as record_pages
from tests.factories import make_person_token
from tests.review.beliefs import Parties, note, said

Statement = Callable[..., Any]


def first(parties: Parties, item: GovernanceItem, then: Statement) -> Statement:
    """The same statement, after the belief was erased by somebody else."""

    def erase_and_go_on(*args: Any) -> Any:
        if GovernanceItem.objects.filter(pk=item.pk).exists():
            purge(principal=parties.person, reference=item.ref, confirm=item.ref)
        return then(*args)

    return erase_and_go_on


def last(parties: Parties, item: GovernanceItem, then: Statement) -> Statement:
    """The other way round: erased once the statement has answered."""

    def go_on_and_erase(*args: Any) -> Any:
        found = then(*args)
        if GovernanceItem.objects.filter(pk=item.pk).exists():
            purge(principal=parties.person, reference=item.ref, confirm=item.ref)
        return found

    return go_on_and_erase


def test_a_dry_run_goes_on_without_it(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    item = said(parties.coder, "The office is in Porto")
    asked = [note(parties.coder, item.text), note(parties.coder, "The office is in Braga", replaces=None)]
    assert [one.outcome for one in assess(asked, parties.coder)] == ["duplicate", "stored"]
    monkeypatch.setattr(look_up, "execute", last(parties, item, look_up.execute))
    assert len(list(assess(asked, parties.coder))) == 2
    assert not GovernanceItem.objects.exists()


def test_a_list_of_wishes_leaves_it_out(parties: Parties, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, kept = said(parties.coder, "The office is in Porto"), said(parties.coder, "The mat is brown")
    for item in (gone, kept):
        suggest(principal=parties.cron, reference=item.ref, reason="old")
    bearer = {"Authorization": f"Bearer {make_person_token(parties.user)}"}
    for module in (api_requests, record_pages):
        monkeypatch.setattr(module, "load_for_display", first(parties, gone, module.load_for_display))
    answer = client.get("/api/v1/review/archive-requests", headers=bearer)
    assert answer.status_code == 200
    assert [row["item"]["ref"] for row in answer.json()["items"]] == [kept.ref]


def test_so_does_the_page_of_them(parties: Parties, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, kept = said(parties.coder, "The office is in Porto"), said(parties.coder, "The mat is brown")
    for item in (gone, kept):
        suggest(principal=parties.cron, reference=item.ref, reason="old")
    client.force_login(parties.user)
    monkeypatch.setattr(record_pages, "load_for_display", first(parties, gone, record_pages.load_for_display))
    answer = client.get(reverse("archive-requests"))
    assert answer.status_code == 200
    assert "The mat is brown" in answer.content.decode()


def test_a_decision_over_it_answers_that_it_is_gone(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    item = said(parties.coder, "The office is in Porto")
    done = lifecycle.end(principal=parties.person, reference=item.ref)
    assert replies.decision_out(done).item.ref == item.ref
    monkeypatch.setattr(replies, "load_for_display", first(parties, item, replies.load_for_display))
    with pytest.raises(NotFound) as gone:
        replies.decision_out(done)
    assert item.ref in gone.value.message


def test_a_proof_is_of_the_belief_as_it_is_now(parties: Parties) -> None:
    """Whoever asks for it read the belief before somebody else decided."""
    item = said(parties.coder, "The office is in Porto")
    lifecycle.forget(principal=parties.person, reference=item.ref)
    assert prove(item).broken == ""
    GovernanceItem.objects.filter(pk=item.pk).update(confidence=1)
    assert prove(item).broken == "The belief differs from what entry 2 says."
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    with pytest.raises(NotFound):
        prove(item)
