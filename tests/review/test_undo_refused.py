"""Undo and the words that are refused: what may be said after it, and what stands in its way."""

import pytest

from memory.notes.services import remember_note
from pawflow_web.lib.errors import Conflict, Tombstoned
from review import lifecycle
from review.lifecycle import undo
from review.lifecycle.erasing import purge
from review.models import GovernanceItem, Tombstone
from tests.review.beliefs import (
    Parties,
    again,
    differences,
    entries,
    moment,
    readable,
    said,
    say,
    seal,
    since,
    states,
)

KEY = "ada / works at"


def rejected(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto")
    return lifecycle.reject(principal=parties.person, reference=item.ref).item


# --- refusals ---------------------------------------------------------------------------------------------------


def test_the_words_of_an_undone_reject_may_be_said(parties: Parties) -> None:
    item = rejected(parties)
    with pytest.raises(Tombstoned):
        remember_note(principal=parties.coder, text=item.text, scope="agent")
    undo(principal=parties.person, reference=item.ref)
    assert remember_note(principal=parties.coder, text=item.text, scope="agent").admission.status == "active"


def test_the_words_of_an_undone_restore_are_refused_as_before(parties: Parties) -> None:
    item = rejected(parties)
    stone = Tombstone.objects.get()
    lifecycle.restore(principal=parties.person, reference=item.ref)
    undo(principal=parties.person, reference=item.ref)
    assert Tombstone.objects.get(lifted_at=None) == stone
    assert say(parties.coder, item.text).outcome == "refused"


def test_a_refusal_goes_over_to_who_was_rejected_after(parties: Parties) -> None:
    first = said(parties.coder, "Lives in Porto")
    second = said(parties.coder, "Lives in Porto", scope="agent")
    for item in (first, second):
        lifecycle.reject(principal=parties.person, reference=item.ref)

    undo(principal=parties.person, reference=first.ref)
    assert Tombstone.objects.get(lifted_at=None).item_id == second.pk
    assert say(parties.writer, "Lives in Porto", scope="agent").outcome == "refused"
    undo(principal=parties.person, reference=second.ref)
    assert not Tombstone.objects.filter(lifted_at=None).exists()


def test_a_refusal_that_stood_before_outlives_the_undo(parties: Parties) -> None:
    first = said(parties.coder, "Lives in Porto")
    second = said(parties.coder, "Lives in Porto", scope="agent")
    for item in (first, second):
        lifecycle.reject(principal=parties.person, reference=item.ref)

    undo(principal=parties.person, reference=second.ref)
    assert Tombstone.objects.get(lifted_at=None).item_id == first.pk


# --- what stands in the way -------------------------------------------------------------------------------------


def test_words_that_were_said_again_meanwhile_stand_in_the_way(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto")
    new = remember_note(principal=parties.coder, text="Lives in Braga", supersedes=old.ref).admission.item
    assert new is not None
    twin = said(parties.coder, "Lives in Porto")
    before, count = states(parties), entries(parties.user)

    with pytest.raises(Conflict) as refused:
        undo(principal=parties.person, reference=new.ref)
    assert refused.value.fields == {"duplicate_of": twin.ref}
    assert (states(parties), entries(parties.user)) == (before, count)
    lifecycle.forget(principal=parties.person, reference=twin.ref)
    undo(principal=parties.person, reference=new.ref)
    assert readable(parties.coder) == {"Lives in Porto"}


def test_a_value_that_took_the_place_meanwhile_stands_in_the_way(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    lifecycle.forget(principal=parties.person, reference=old.ref)
    new = said(parties.coder, "Ada works at Beta", exclusive_key=KEY, valid=since(2005))

    with pytest.raises(Conflict) as refused:
        undo(principal=parties.person, reference=old.ref)
    assert refused.value.fields == {"contradicts": new.ref}
    assert again(old).status == "stale"
    lifecycle.end(principal=parties.person, reference=new.ref, ended_at=moment(2010))
    assert undo(principal=parties.person, reference=old.ref).item.status == "active"
    assert differences(parties.user) == []


def test_what_the_journal_forgot_cannot_come_back(parties: Parties) -> None:
    sealed, plain = (said(parties.coder, text) for text in ("The door code is kept here", "The door is blue"))
    for item in (sealed, plain):
        lifecycle.forget(principal=parties.person, reference=item.ref)
    seal(parties, sealed)

    with pytest.raises(Conflict) as refused:
        undo(principal=parties.person, reference=sealed.ref)
    assert refused.value.fields == {"erased": sealed.ref}
    assert again(sealed).status == "stale"
    assert undo(principal=parties.person, reference=plain.ref).item.status == "active"


def test_a_belief_that_was_purged_is_named_no_more(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.cron, text="Lives in Berlin", supersedes=old.ref).admission.item
    assert item is not None
    lifecycle.reject(principal=parties.person, reference=item.ref)
    purge(principal=parties.person, reference=old.ref, confirm=old.ref)

    assert undo(principal=parties.person, reference=item.ref).item.status == "needs_review"
    assert again(item).contradicts is None
    assert differences(parties.user) == []
