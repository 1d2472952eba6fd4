"""Undo after other decisions: which one is taken back, and what came later stays."""

from datetime import timedelta

import pytest
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from memory.notes.services import remember_note
from pawflow_web.identity.clock import now
from pawflow_web.lib.errors import InvalidTransition
from review import lifecycle
from review.gate.succession import retire_expired
from review.journal.acts import act
from review.lifecycle import undo
from review.models import GovernanceItem
from tests.review.beliefs import (
    Parties,
    again,
    between,
    differences,
    let_expire,
    moment,
    readable,
    said,
    since,
    states,
)

KEY = "ada / works at"


# --- more than one ------------------------------------------------------------------------------------------------


def test_asked_again_it_takes_back_the_decision_before(parties: Parties) -> None:
    item = said(parties.cron, "Lives in Porto")
    waiting = states(parties)
    lifecycle.accept(principal=parties.person, reference=item.ref)
    lifecycle.end(principal=parties.person, reference=item.ref)
    lifecycle.reject(principal=parties.person, reference=item.ref)

    for status in ("active", "active", "needs_review"):
        assert undo(principal=parties.person, reference=item.ref).item.status == status
    assert states(parties) == waiting
    with pytest.raises(InvalidTransition) as nothing:
        undo(principal=parties.person, reference=item.ref)
    assert nothing.value.fields == {"status": "needs_review"}
    assert differences(parties.user) == []


def test_a_decision_after_an_undo_is_taken_back_before_the_older_ones(parties: Parties) -> None:
    item = said(parties.cron, "Lives in Porto")
    lifecycle.accept(principal=parties.person, reference=item.ref)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    undo(principal=parties.person, reference=item.ref)
    lifecycle.forget(principal=parties.person, reference=item.ref)

    for status in ("active", "needs_review"):
        assert undo(principal=parties.person, reference=item.ref).item.status == status


def test_what_came_later_survives(parties: Parties) -> None:
    item = said(parties.cron, "Lives in Porto")
    lifecycle.accept(principal=parties.person, reference=item.ref)
    said(parties.coder, "Lives in Porto", tags=["home"])
    lifecycle.edit(
        principal=parties.person, reference=item.ref, revision=again(item).revision, changes={"pinned": True}
    )

    undo(principal=parties.person, reference=item.ref)

    found = again(item)
    assert (found.status, found.confidence, found.memory.tags, found.pinned) == ("needs_review", 65, ["home"], True)
    assert not found.decided


def test_what_an_agent_replaced_comes_back_wherever_it_is_asked_for(parties: Parties) -> None:
    for at_the_loser in (True, False):
        old = said(parties.coder, f"Lives in Porto {at_the_loser}")
        new = remember_note(principal=parties.coder, text=f"Lives in Braga {at_the_loser}", supersedes=old.ref)
        item = new.admission.item
        assert item is not None
        done = undo(principal=parties.person, reference=(old if at_the_loser else item).ref)
        assert (again(old).status, again(item).status, again(item).reason) == ("active", "stale", "undone")
        assert again(item).supersedes is None
        assert done.restored == (None if at_the_loser else old)


def test_a_sibling_that_moved_on_is_left_and_named(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    new = said(parties.coder, "Ada works at Beta", exclusive_key=KEY, valid=since(2020))
    lifecycle.end(principal=parties.person, reference=old.ref, ended_at=moment(2015))

    done = undo(principal=parties.person, reference=new.ref)

    assert (done.left, done.restored) == ((old.ref,), None)
    assert again(old).valid == between((2010,), (2015,))
    assert again(new).status == "stale"
    # its own end goes back to the cut, and the cut after it
    undo(principal=parties.person, reference=old.ref)
    assert again(old).valid == between((2010,), (2020,))
    undo(principal=parties.person, reference=old.ref)
    assert (again(old).status, again(old).valid) == ("active", since(2010))
    assert differences(parties.user) == []


def test_undoing_the_winner_does_not_bring_back_what_was_rejected_since(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Porto")
    new = remember_note(principal=parties.coder, text="Lives in Braga", supersedes=old.ref).admission.item
    assert new is not None
    lifecycle.reject(principal=parties.person, reference=old.ref)
    assert undo(principal=parties.person, reference=new.ref).left == (old.ref,)
    assert (again(old).status, again(new).status, readable(parties.coder)) == ("rejected", "stale", set())


def test_an_end_that_was_known_before_comes_back_as_it_was(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    lifecycle.end(principal=parties.person, reference=old.ref, ended_at=moment(2020), precision="year")
    new = said(parties.coder, "Ada works at Beta", exclusive_key=KEY, valid=since(2015))
    assert again(old).valid == between((2010,), (2015,))
    undo(principal=parties.person, reference=new.ref)
    assert (again(old).valid, again(old).valid_to_precision) == (between((2010,), (2020,)), "year")


# --- expiry -------------------------------------------------------------------------------------------------------


def test_what_expired_comes_back_without_its_end(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto", ttl_days=3)
    let_expire(parties.person, item)
    with act(parties.person) as current:
        retire_expired(current, GovernanceItem.objects.locked().get(pk=item.pk))
    assert again(item).status == "stale"

    undo(principal=parties.person, reference=item.ref)
    assert (again(item).status, again(item).expires_at) == ("active", None)
    assert readable(parties.coder) == {"Lives in Porto"}


def test_an_end_ahead_is_kept(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto", ttl_days=3)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    undo(principal=parties.person, reference=item.ref)
    assert again(item).expires_at is not None
    assert again(item).expires_at > now() + timedelta(days=2)


def test_what_expired_while_something_else_was_decided_stays_expired(parties: Parties) -> None:
    old = said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    new = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2020))
    let_expire(parties.person, old)
    lifecycle.accept(principal=parties.person, reference=new.ref)
    assert (again(old).status, again(old).reason) == ("stale", "expired")

    undo(principal=parties.person, reference=new.ref)
    assert (again(old).status, again(new).status) == ("stale", "needs_review")
    undo(principal=parties.person, reference=old.ref)
    assert (again(old).status, again(old).valid) == ("active", DateTimeTZRange(moment(2010), None))
