"""Votes: one for each party, the last one counts, and what a person decided does not move."""

from typing import Any

import pytest

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, InvalidTransition, NotFound
from review import lifecycle
from review.lifecycle.feedback import vote
from review.models import Feedback, GovernanceItem, JournalEntry
from tests.factories import make_principal
from tests.review.beliefs import Parties, again, differences, entries, put_into, readable, row, said

WORDS = "Lives in Porto"


@pytest.fixture
def item(parties: Parties) -> GovernanceItem:
    return said(parties.coder, WORDS)


def voted(principal: Principal, item: GovernanceItem, *, helpful: bool, note: str = "") -> tuple[str, int, int, int]:
    """Status, confidence and the two counts after a vote."""
    done = vote(principal=principal, reference=item.ref, helpful=helpful, note=note)
    return done.item.status, done.item.confidence, done.helpful, done.unhelpful


def test_a_vote_moves_the_confidence(parties: Parties, item: GovernanceItem) -> None:
    assert voted(parties.writer, item, helpful=True) == ("active", 95, 1, 0)
    assert voted(parties.cron, item, helpful=False, note="out of date") == ("active", 80, 1, 1)
    entry = JournalEntry.objects.filter(item_id=item.pk).latest("seq")
    assert (entry.verb, entry.event, entry.actor_name, entry.payload.note) == (
        "feedback", "feedback", "cron", "out of date",
    )  # fmt: skip
    assert again(item).revision == 1
    assert differences(parties.user) == []


def test_each_party_has_one_vote_and_the_last_one_counts(parties: Parties, item: GovernanceItem) -> None:
    voted(parties.writer, item, helpful=False)
    count = entries(parties.user)
    assert voted(parties.writer, item, helpful=False, note="still") == ("active", 70, 0, 1)
    assert entries(parties.user) == count
    assert Feedback.objects.get().note == "still"
    assert voted(parties.writer, item, helpful=True) == ("active", 95, 1, 0)
    assert voted(parties.writer, item, helpful=False) == ("active", 70, 0, 1)


def test_at_the_ends_exactly_what_counted_is_taken_back(parties: Parties, item: GovernanceItem) -> None:
    voters = [make_principal(parties.user, agent=f"voter-{number}") for number in range(8)]
    for voter in voters[:3]:
        voted(voter, item, helpful=True)
    assert again(item).confidence == 100
    assert voted(voters[2], item, helpful=False)[1] == 85
    assert voted(voters[1], item, helpful=False)[1] == 65


def test_found_unhelpful_by_two_it_waits_for_a_person(parties: Parties, item: GovernanceItem) -> None:
    control = said(parties.coder, "Likes tea")
    assert voted(parties.writer, item, helpful=False) == ("active", 70, 0, 1)
    assert voted(parties.cron, item, helpful=False) == ("needs_review", 55, 0, 2)
    assert (again(item).reason, again(item).revision) == ("feedback_below_floor", 2)
    assert readable(parties.coder) == {control.text}
    # nobody but a person brings it back
    assert voted(parties.cron, item, helpful=True)[:2] == ("needs_review", 80)
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert again(item).status == "active"
    assert differences(parties.user) == []


def test_one_voter_alone_does_not_send_it_there(parties: Parties) -> None:
    item = said(parties.coder, WORDS, confidence=60)
    with_low_trust = said(parties.coder, "Likes tea", confidence=60)
    GovernanceItem.objects.filter(pk__in=[item.pk, with_low_trust.pk]).update(confidence=60)
    assert voted(parties.writer, item, helpful=False) == ("active", 45, 0, 1)
    assert voted(parties.person, item, helpful=False)[0] == "needs_review"


def test_what_a_person_decided_or_pinned_does_not_move_by_votes_of_agents(parties: Parties) -> None:
    decided = said(parties.cron, WORDS)
    lifecycle.accept(principal=parties.person, reference=decided.ref)
    pinned = said(parties.coder, "Likes tea")
    lifecycle.edit(principal=parties.person, reference=pinned.ref, revision=1, changes={"pinned": True})
    voters = [make_principal(parties.user, agent=f"voter-{number}") for number in range(100)]
    for item in (decided, pinned):
        before = row(item)
        for number, voter in enumerate(voters):
            done = vote(principal=voter, reference=item.ref, helpful=number % 3 == 0)
        assert (done.helpful, done.unhelpful) == (34, 66)
        assert row(item) == before
    assert differences(parties.user) == []
    assert voted(parties.person, pinned, helpful=False)[:2] == (
        "needs_review" if pinned.confidence < 70 else "active",
        70,
    )


def test_an_agent_does_not_praise_what_it_said(parties: Parties, item: GovernanceItem) -> None:
    said(parties.writer, WORDS)
    before = row(item)
    for principal in (parties.coder, parties.coder.narrowed()):
        with pytest.raises(Conflict) as refused:
            voted(principal, item, helpful=True)
        assert refused.value.fields == {"author": "coder"}
    assert row(item) == before
    # who only said it again may, and everybody may doubt their own words
    assert voted(parties.writer, item, helpful=True)[2] == 1
    assert voted(parties.coder, item, helpful=False)[3] == 1


@pytest.mark.parametrize("status", ["stale", "superseded", "rejected", "candidate"])
def test_only_what_is_in_use_or_waits_is_voted_on(parties: Parties, status: str) -> None:
    item = put_into(status, parties.person, said(parties.coder, WORDS))
    before = row(item)
    for principal in (parties.writer, parties.person):
        with pytest.raises(InvalidTransition) as refused:
            voted(principal, item, helpful=False)
        assert refused.value.fields == {"status": status}
    assert (row(item), Feedback.objects.count()) == (before, 0)


def test_what_an_agent_may_not_name_does_not_exist(parties: Parties, strangers: Parties) -> None:
    waiting = said(parties.cron, "Waits")
    others = said(parties.writer, "Of the writer", scope="agent")
    theirs = said(strangers.coder, "Of bob", scope="agent")
    hidden: list[Any] = [others.ref, f"#{waiting.number}", theirs.ref, "0123456789ab"]
    for reference in hidden:
        with pytest.raises(NotFound):
            vote(principal=parties.coder, reference=reference, helpful=False)
    # the reference that remember gave may be spoken of
    assert voted(parties.coder, waiting, helpful=False)[0] == "needs_review"
    assert Feedback.objects.count() == 1


def test_a_secret_in_a_note_is_taken_out(parties: Parties, item: GovernanceItem) -> None:
    voted(parties.writer, item, helpful=False, note="see AKIAIOSFODNN7EXAMPLE")
    entry = JournalEntry.objects.filter(item_id=item.pk).latest("seq")
    assert "AKIA" not in Feedback.objects.get().note + entry.payload.note
    assert Feedback.objects.get().note.startswith("see ")


def test_undoing_a_fall_leaves_the_votes_and_takes_back_what_the_last_one_did(
    parties: Parties, item: GovernanceItem
) -> None:
    voted(parties.writer, item, helpful=False)
    voted(parties.cron, item, helpful=False)
    done = lifecycle.undo(principal=parties.person, reference=item.ref)
    assert (done.item.status, done.item.confidence) == ("active", 70)
    assert Feedback.objects.filter(item=item, helpful=False).count() == 2
    assert voted(parties.cron, item, helpful=True)[:2] == ("active", 80)
    assert differences(parties.user) == []
