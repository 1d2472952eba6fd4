"""Undo is the inverse of the last decision, with everything that it did elsewhere, and nothing else."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from memory.notes.services import remember_note
from pawflow_web.identity.clock import now
from pawflow_web.lib.errors import Conflict, InvalidTransition, NotAllowed, NotFound, StaleRevision, Tombstoned
from review import lifecycle
from review.archiving import decide_archive, suggest
from review.erasing import purge
from review.feedback import vote
from review.ledger import Act, act
from review.lifecycle import undo
from review.models import GovernanceItem, JournalEntry, Tombstone
from review.sealing import seal_item
from review.snapshots import Snapshot, snapshot
from review.succession import retire_expired
from tests.factories import make_principal
from tests.review.beliefs import (
    Parties,
    again,
    between,
    differences,
    entries,
    let_expire,
    moment,
    readable,
    said,
    say,
    since,
)

KEY = "ada / works at"


def states(parties: Parties) -> dict[int, Snapshot]:
    """Everything that can change, of every belief of the owner."""
    rows = GovernanceItem.objects.owned_by(parties.user.pk).select_related(
        "memory", "contradicts", "supersedes", "scope_agent", "scope_conversation"
    )
    return {row.pk: snapshot(row) for row in rows}


# --- each decision, exactly -------------------------------------------------------------------------------------


def accepting(parties: Parties) -> GovernanceItem:
    item = said(parties.cron, "Lives in Porto")
    return lifecycle.accept(principal=parties.person, reference=item.ref, comment="yes").item


def accepting_against_a_rival(parties: Parties) -> GovernanceItem:
    said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    item = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2020))
    return lifecycle.accept(principal=parties.person, reference=item.ref).item


def accepting_a_later_value(parties: Parties) -> GovernanceItem:
    said(parties.coder, "Ada works at Acme", exclusive_key=KEY, valid=since(2010))
    item = said(parties.cron, "Ada works at Beta", exclusive_key=KEY, valid=since(2090))
    return lifecycle.accept(principal=parties.person, reference=item.ref).item


def rejecting(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto")
    return lifecycle.reject(principal=parties.person, reference=item.ref).item


def rejecting_what_waits(parties: Parties) -> GovernanceItem:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.cron, text="Lives in Berlin", supersedes=old.ref).admission.item
    assert item is not None
    return lifecycle.reject(principal=parties.person, reference=item.ref).item


def restoring(parties: Parties) -> GovernanceItem:
    item = rejecting(parties)
    return lifecycle.restore(principal=parties.person, reference=item.ref).item


def forgetting(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto")
    return lifecycle.forget(principal=parties.coder, reference=item.ref).item


def ending(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto", valid=since(2010))
    return lifecycle.end(principal=parties.person, reference=item.ref).item


def ending_once_more(parties: Parties) -> GovernanceItem:
    item = ending(parties)
    return lifecycle.end(principal=parties.person, reference=item.ref, ended_at=moment(2020), precision="year").item


def correcting(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto", valid=since(2010), tags=["home"])
    return lifecycle.correct(principal=parties.person, reference=item.ref, text="Lives in Braga").item


def correcting_what_waits_against_a_rival(parties: Parties) -> GovernanceItem:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.cron, text="Lives in Berlin", supersedes=old.ref).admission.item
    assert item is not None
    return lifecycle.correct(principal=parties.person, reference=item.ref, text="Lives in Bonn").item


def restating(parties: Parties) -> GovernanceItem:
    item = forgetting(parties)
    return said(parties.coder, item.text)


def replacing(parties: Parties) -> GovernanceItem:
    old = said(parties.coder, "Lives in Porto")
    item = remember_note(principal=parties.coder, text="Lives in Braga", supersedes=old.ref).admission.item
    assert item is not None
    return item


def voting(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto")
    vote(principal=parties.cron, reference=item.ref, helpful=False)
    return vote(principal=parties.writer, reference=item.ref, helpful=False).item


def archiving(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, "Lives in Porto")
    request = suggest(principal=parties.cron, reference=item.ref, reason="over")
    return decide_archive(principal=parties.person, ref=request.ref, approve=True).item


DECISIONS = [
    accepting,
    accepting_against_a_rival,
    accepting_a_later_value,
    rejecting,
    rejecting_what_waits,
    restoring,
    forgetting,
    ending,
    ending_once_more,
    correcting,
    correcting_what_waits_against_a_rival,
    restating,
    replacing,
    voting,
    archiving,
]


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda decide: decide.__name__)
def test_it_restores_every_belief_that_the_decision_moved(
    parties: Parties, decide: Callable[[Parties], GovernanceItem]
) -> None:
    item = decide(parties)
    last = JournalEntry.objects.filter(item_id=item.pk, moved=True).latest("seq").decision
    after = states(parties)
    moved = JournalEntry.objects.filter(decision=last, user=parties.user).values_list("item_id", flat=True)
    before = _before(parties, last)
    refused = Tombstone.objects.filter(lifted_at=None).count()

    done = undo(principal=parties.person, reference=item.ref, comment="a slip")

    restored = states(parties)
    for pk in after:
        created = pk in moved and pk not in before
        if created:
            assert (restored[pk]["status"], restored[pk]["reason"]) == ("stale", "undone")
        else:
            assert restored[pk] == before.get(pk, after[pk])
    assert set(moved) & before.keys()
    assert done.left == ()
    entry = JournalEntry.objects.filter(item_id=item.pk).latest("seq")
    assert (entry.verb, entry.undoes, entry.payload.note) == ("undo", last, "a slip")
    assert done.number == entry.decision
    change = {rejecting: -1, rejecting_what_waits: -1, restoring: 1}.get(decide, 0)
    assert Tombstone.objects.filter(lifted_at=None).count() == refused + change
    assert differences(parties.user) == []


def _before(parties: Parties, decision: int) -> dict[int, Snapshot]:
    """What the journal says of each belief below a decision."""
    known: dict[int, Snapshot] = {}
    for entry in JournalEntry.objects.filter(user=parties.user, seq__lt=decision).order_by("seq"):
        known[entry.item_id] = json.loads(entry.payload.body)
    return known


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


@pytest.mark.parametrize("step", [1, 2])
def test_what_fails_half_way_changes_nothing(parties: Parties, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    accepting_against_a_rival(parties)
    item = GovernanceItem.objects.get(text="Ada works at Beta")
    before, count = states(parties), entries(parties.user)
    write, calls = Act.write, []

    def failing(self: Act, *given: Any, **more: Any) -> bool:
        calls.append(given)
        if len(calls) == step:
            raise RuntimeError("the power went")
        return write(self, *given, **more)

    monkeypatch.setattr(Act, "write", failing)
    with pytest.raises(RuntimeError):
        undo(principal=parties.person, reference=item.ref)
    assert (states(parties), entries(parties.user)) == (before, count)
    monkeypatch.undo()
    undo(principal=parties.person, reference=item.ref)
    assert states(parties) != before
    assert differences(parties.user) == []


def test_what_was_only_made_cannot_be_undone(parties: Parties) -> None:
    item = said(parties.coder, "Lives in Porto")
    with pytest.raises(InvalidTransition):
        undo(principal=parties.person, reference=item.ref)
    assert again(item).status == "active"


# --- refusals ---------------------------------------------------------------------------------------------------


def test_the_words_of_an_undone_reject_may_be_said(parties: Parties) -> None:
    item = rejecting(parties)
    with pytest.raises(Tombstoned):
        remember_note(principal=parties.coder, text=item.text, scope="agent")
    undo(principal=parties.person, reference=item.ref)
    assert remember_note(principal=parties.coder, text=item.text, scope="agent").admission.status == "active"


def test_the_words_of_an_undone_restore_are_refused_as_before(parties: Parties) -> None:
    item = rejecting(parties)
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
    with act(parties.person) as current:
        seal_item(current, GovernanceItem.objects.locked().get(pk=sealed.pk))

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


# --- who may ------------------------------------------------------------------------------------------------------


def test_only_the_owner_takes_back(parties: Parties, strangers: Parties) -> None:
    item = forgetting(parties)
    calls: list[tuple[Any, type[Exception]]] = [
        (parties.coder, NotAllowed),
        (make_principal(parties.user, agent="other"), NotAllowed),
        (strangers.person, NotFound),
    ]
    for principal, error in calls:
        with pytest.raises(error):
            undo(principal=principal, reference=item.ref)
    with pytest.raises(StaleRevision):
        undo(principal=parties.person, reference=item.ref, revision=again(item).revision - 1)
    assert again(item).status == "stale"
    undo(principal=parties.person, reference=item.ref, revision=again(item).revision)
    assert again(item).status == "active"
