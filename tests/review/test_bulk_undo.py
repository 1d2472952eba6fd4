"""Taking back a bulk action: each decision by itself, and what moved on since is left and named."""

from typing import Any

import pytest

from pawflow_web.lib.errors import InvalidTransition, NotAllowed, NotFound
from review import lifecycle
from review.lifecycle import decide_many, undo_batch
from review.models import Batch, JournalEntry, Tombstone
from tests.review.beliefs import Parties, again, differences, readable, said

WORDS = ["Lives in Porto", "Likes tea", "Owns a boat", "Speaks Welsh"]


def decided(parties: Parties, action: str) -> tuple[Batch, list[Any]]:
    by = parties.coder if action == "forget" else parties.cron
    items = [said(by, text) for text in WORDS]
    batch, results = decide_many(
        principal=parties.person, action=action, references=[item.ref for item in items], comment="all"
    )
    assert all(result.error is None for result in results)
    return batch, items


@pytest.mark.parametrize(
    ("action", "status"), [("accept", "needs_review"), ("reject", "needs_review"), ("forget", "active")]
)
def test_all_of_it_goes_back(parties: Parties, action: str, status: str) -> None:
    batch, items = decided(parties, action)
    undone, results = undo_batch(principal=parties.person, ref=batch.ref, comment="a slip")
    assert undone.undone_at is not None
    assert [(result.ref, result.status, result.error) for result in results] == [
        (item.ref, status, None) for item in items
    ]
    assert {again(item).status for item in items} == {status}
    assert not Tombstone.objects.filter(lifted_at=None).exists()
    entry = JournalEntry.objects.filter(item_id=items[0].pk).latest("seq")
    assert (entry.verb, entry.undoes in batch.decisions, entry.payload.note) == ("undo", True, "a slip")
    assert differences(parties.user) == []


def test_it_is_taken_back_once(parties: Parties) -> None:
    batch, items = decided(parties, "accept")
    undo_batch(principal=parties.person, ref=batch.ref)
    lifecycle.accept(principal=parties.person, reference=items[0].ref)
    with pytest.raises(InvalidTransition) as refused:
        undo_batch(principal=parties.person, ref=batch.ref)
    assert refused.value.fields == {"batch": batch.ref}
    assert again(items[0]).status == "active"


def test_what_moved_on_since_is_left_and_named(parties: Parties) -> None:
    batch, items = decided(parties, "accept")
    lifecycle.end(principal=parties.person, reference=items[0].ref)
    lifecycle.undo(principal=parties.person, reference=items[1].ref)
    lifecycle.edit(
        principal=parties.person, reference=items[2].ref, revision=again(items[2]).revision, changes={"pinned": True}
    )
    _batch, results = undo_batch(principal=parties.person, ref=batch.ref)
    assert [result.error.code if result.error else "" for result in results] == [
        "stale_revision", "stale_revision", "", "",
    ]  # fmt: skip
    assert [again(item).status for item in items] == ["active", "needs_review", "needs_review", "needs_review"]
    assert again(items[2]).pinned
    assert readable(parties.coder) == set()


def test_decisions_that_failed_are_not_taken_back(parties: Parties) -> None:
    waiting, decided_before = said(parties.cron, WORDS[0]), said(parties.coder, WORDS[1])
    batch, results = decide_many(
        principal=parties.person, action="accept", references=[waiting.ref, decided_before.ref, "0123456789ab"]
    )
    assert [result.error.code if result.error else "" for result in results] == ["", "invalid_transition", "not_found"]
    _batch, undone = undo_batch(principal=parties.person, ref=batch.ref)
    assert [result.ref for result in undone] == [waiting.ref]
    assert (again(waiting).status, again(decided_before).status) == ("needs_review", "active")


def test_only_the_owner_takes_it_back(parties: Parties, strangers: Parties) -> None:
    batch, items = decided(parties, "accept")
    calls: list[tuple[Any, str, type[Exception]]] = [
        (parties.coder, batch.ref, NotAllowed),
        (strangers.person, batch.ref, NotFound),
        (parties.person, "0123456789ab", NotFound),
    ]
    for principal, ref, error in calls:
        with pytest.raises(error):
            undo_batch(principal=principal, ref=ref)
    assert {again(item).status for item in items} == {"active"}
