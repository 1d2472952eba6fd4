"""Ending says until when a belief was true; it moves no status."""

from datetime import timedelta
from typing import Any

import pytest

from memory.notes.services import remember_note
from pawflow_web.lib.errors import Conflict, Invalid, InvalidTransition, NotAllowed, NotFound, StaleRevision
from review import lifecycle
from review.lifecycle import end
from review.models import JournalEntry
from tests.review.beliefs import (
    Parties,
    again,
    between,
    differences,
    entries,
    moment,
    put_into,
    readable,
    row,
    said,
    since,
)

KEY = "ada / works at"


def test_an_ended_belief_is_read_for_the_time_before_only(parties: Parties) -> None:
    ended, kept = (said(parties.coder, text, valid=since(2010)) for text in ("Lives in Porto", "Likes tea"))
    done = end(principal=parties.person, reference=ended.ref, ended_at=moment(2020), precision="year")
    assert (done.item.status, done.item.valid, done.item.valid_to_precision) == (
        "active", between((2010,), (2020,)), "year",
    )  # fmt: skip
    assert readable(parties.coder) == {kept.text}
    before = moment(2020) - timedelta(microseconds=1)
    assert readable(parties.coder, at=before) == {ended.text, kept.text}
    assert readable(parties.coder, at=moment(2020)) == {kept.text}
    entry = JournalEntry.objects.get(decision=done.number)
    assert (entry.verb, entry.event, entry.moved) == ("end", "transition", True)
    assert differences(parties.user) == []


def test_without_a_time_it_ends_now(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    done = end(principal=parties.person, reference=item.ref)
    entry = JournalEntry.objects.get(decision=done.number)
    assert (again(item).valid.upper, again(item).valid_to_precision) == (entry.at, "instant")
    assert readable(parties.coder) == set()
    # what was ended may be said again, as something new
    assert said(parties.coder, "Lives in Porto").pk != item.pk


def test_an_end_ahead_leaves_it_in_use_until_then(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    end(principal=parties.person, reference=item.ref, ended_at=moment(2090), precision="year")
    assert readable(parties.coder) == {"Lives in Porto"}
    assert readable(parties.coder, at=moment(2090)) == set()


@pytest.mark.parametrize("when", [moment(2010), moment(2009)])
def test_it_cannot_end_before_it_began(parties: Parties, when: Any) -> None:
    item = said(parties.coder, "Lives in Porto", valid=since(2010))
    count = entries(parties.user)
    with pytest.raises(Invalid) as refused:
        end(principal=parties.person, reference=item.ref, ended_at=when)
    assert (list(refused.value.fields), entries(parties.user)) == (["ended_at"], count)
    end(principal=parties.person, reference=item.ref, ended_at=moment(2010) + timedelta(microseconds=1))


def test_what_held_at_no_time_does_not_end(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    lifecycle.correct(principal=parties.person, reference=item.ref, text="Lives in Braga")
    with pytest.raises(Invalid):
        end(principal=parties.person, reference=item.ref)


def test_an_end_is_moved_as_far_as_the_next_value_lets_it(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    new = said(parties.coder, "Ada works at Beta", exclusive_key=KEY, valid=since(2020))
    assert again(old).status == "superseded"
    end(principal=parties.person, reference=old.ref, ended_at=moment(2015))
    before = row(old)
    with pytest.raises(Conflict) as refused:
        end(principal=parties.person, reference=old.ref, ended_at=moment(2020) + timedelta(microseconds=1))
    assert (refused.value.fields, row(old)) == ({"contradicts": new.ref}, before)
    done = end(principal=parties.person, reference=old.ref, ended_at=moment(2020))
    assert (done.item.status, done.item.valid) == ("superseded", between((2010,), (2020,)))
    assert differences(parties.user) == []


def test_the_same_end_twice_is_said_once(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    end(principal=parties.person, reference=item.ref, ended_at=moment(2020), precision="year")
    count = entries(parties.user)
    with pytest.raises(InvalidTransition):
        end(principal=parties.person, reference=item.ref, ended_at=moment(2020), precision="year")
    assert entries(parties.user) == count


@pytest.mark.parametrize("status", ["needs_review", "stale", "rejected", "candidate"])
def test_only_what_is_or_was_in_use_ends(parties: Parties, status: str) -> None:
    item = put_into(status, parties.person, said(parties.coder, "Lives in Porto"))
    before = row(item)
    with pytest.raises(InvalidTransition) as refused:
        end(principal=parties.person, reference=item.ref)
    assert (refused.value.fields, row(item)) == ({"status": status}, before)


def test_only_the_owner_ends(parties: Parties, strangers: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    calls: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        (parties.coder, {}, NotAllowed),
        (strangers.person, {}, NotFound),
        (parties.person, {"revision": 9}, StaleRevision),
    ]
    for principal, more, error in calls:
        with pytest.raises(error):
            end(principal=principal, reference=item.ref, **more)
    assert readable(parties.coder) == {"Lives in Porto"}


def test_an_ended_note_that_replaced_another_does_not_bring_it_back(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto")
    new = remember_note(principal=parties.coder, text="Lives in Braga", supersedes=old.ref).admission.item
    assert new is not None
    end(principal=parties.person, reference=new.ref)
    assert readable(parties.coder) == set()
