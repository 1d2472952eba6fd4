"""An agent asks a person to take a belief out of use; the person answers once."""

from typing import Any

import pytest

from pawflow_web.lib.errors import Conflict, InvalidTransition, NotAllowed, NotFound
from review import lifecycle
from review.lifecycle import sweeps
from review.lifecycle.archiving import decide_archive, suggest
from review.models import ArchiveRequest, JournalEntry
from review.queue.waiting import counts
from tests.review.beliefs import Parties, again, differences, entries, let_expire, put_into, readable, row, said

WORDS = "Lives in Porto"


def test_asked_again_the_same_request_answers(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    first = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    count = entries(parties.user)
    again_asked = suggest(principal=parties.writer, reference=item.ref, reason="really")
    assert (again_asked.pk, again_asked.reason, entries(parties.user)) == (first.pk, "moved away", count)
    assert readable(parties.coder) == {WORDS}
    assert counts(parties.person)["archive_requests"] == 1
    entry = JournalEntry.objects.filter(item_id=item.pk).latest("seq")
    assert (entry.event, entry.moved, entry.actor_name) == ("archive_request", False, "cron")


@pytest.mark.parametrize("status", ["needs_review", "stale", "superseded", "rejected"])
def test_only_what_is_in_use_is_asked_for(parties: Parties, status: str) -> None:
    item = put_into(status, parties.person, said(parties.coder, WORDS))
    with pytest.raises(InvalidTransition) as refused:
        suggest(principal=parties.coder, reference=item.ref, reason="over")
    assert refused.value.fields == {"status": status}
    assert not ArchiveRequest.objects.exists()


def test_approved_it_goes_out_of_use(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    done = decide_archive(principal=parties.person, ref=request.ref, approve=True, comment="yes")
    assert (done.item.status, done.item.reason) == ("stale", "archive_approved")
    request.refresh_from_db()
    assert request.state == "approved"
    assert request.decided_at is not None
    assert readable(parties.coder) == set()
    lifecycle.undo(principal=parties.person, reference=item.ref)
    request.refresh_from_db()
    assert (request.state, readable(parties.coder)) == ("approved", {WORDS})
    assert differences(parties.user) == []


def test_declined_it_stays(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    before = row(item)
    decide_archive(principal=parties.person, ref=request.ref, approve=False, comment="no")
    request.refresh_from_db()
    assert (request.state, row(item)) == ("declined", before)
    entry = JournalEntry.objects.filter(item_id=item.pk).latest("seq")
    assert (entry.verb, entry.actor_kind, entry.payload.note) == ("decline_archive", "person", "no")
    assert suggest(principal=parties.cron, reference=item.ref, reason="now?").pk != request.pk
    assert differences(parties.user) == []


def test_an_answer_is_given_once(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    decide_archive(principal=parties.person, ref=request.ref, approve=False)
    for approve in (True, False):
        with pytest.raises(Conflict) as refused:
            decide_archive(principal=parties.person, ref=request.ref, approve=approve)
        assert refused.value.fields == {"state": "declined"}
    assert again(item).status == "active"


def test_what_went_out_of_use_otherwise_cannot_be_approved(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    put_into("stale", parties.person, item)
    with pytest.raises(InvalidTransition):
        decide_archive(principal=parties.person, ref=request.ref, approve=True)
    decide_archive(principal=parties.person, ref=request.ref, approve=False)
    assert counts(parties.person)["archive_requests"] == 0


def test_only_the_owner_answers(parties: Parties, strangers: Parties) -> None:
    item = said(parties.coder, WORDS)
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    calls: list[tuple[Any, type[Exception]]] = [(parties.coder, NotAllowed), (strangers.person, NotFound)]
    for principal, error in calls:
        with pytest.raises(error):
            decide_archive(principal=principal, ref=request.ref, approve=True)
    with pytest.raises(NotFound):
        suggest(principal=strangers.coder, reference=item.ref, reason="over")
    assert again(item).status == "active"


@pytest.mark.parametrize("left_by", ["the sweep", "a newer value", "a correction"])
def test_what_left_use_by_itself_is_asked_about_no_more(parties: Parties, left_by: str) -> None:
    item, lasting = said(parties.coder, WORDS, scope="global"), said(parties.coder, "Likes rye", scope="global")
    request = suggest(principal=parties.cron, reference=item.ref, reason="moved away")
    other = suggest(principal=parties.cron, reference=lasting.ref, reason="who cares")
    if left_by == "the sweep":
        let_expire(parties.coder, item)
        sweeps.expire_beliefs(1e12)
    elif left_by == "a newer value":
        said(parties.person, "Lives in Faro", replaces=item)
    else:
        lifecycle.correct(principal=parties.person, reference=item.ref, text="Lives in Faro")
    request.refresh_from_db(), other.refresh_from_db()
    assert (request.state, other.state) == ("approved", "pending")
    assert counts(parties.person)["archive_requests"] == 1
    with pytest.raises(Conflict, match="approved already"):
        decide_archive(principal=parties.person, ref=request.ref, approve=True)
