"""Undo is the inverse of the last decision, with everything that it did elsewhere, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from memory.notes.services import remember_note
from pawflow_web.lib.errors import InvalidTransition, NotAllowed, NotFound, StaleRevision
from review import lifecycle
from review.journal.acts import Act
from review.journal.snapshots import Snapshot
from review.lifecycle import undo
from review.lifecycle.archiving import decide_archive, suggest
from review.lifecycle.feedback import vote
from review.models import GovernanceItem, JournalEntry, Tombstone
from tests.factories import make_principal
from tests.review.beliefs import (
    Parties,
    again,
    differences,
    entries,
    moment,
    said,
    since,
    states,
)

KEY = "ada / works at"


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
