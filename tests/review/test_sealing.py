"""Secret words: sealed at rest, opened by a person with an entry, sealed anew with a newer key."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from memory.notes.services import remember_note
from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.lib import crypto
from pawflow_web.lib.errors import Conflict, InvalidTransition, NotAllowed, NotFound
from review import lifecycle
from review.display.shape import MASK, present_all
from review.gate.proposals import Source
from review.journal.acts import act
from review.journal.chain import history
from review.lifecycle.sealing import open_item, reveal, seal_item
from review.models import ArchiveRequest, Evidence, Feedback, GovernanceItem, JournalEntry
from review.plaintext import words_of
from review.search.filters import ItemFilter
from review.search.find import find_items
from review.search.index import catch_up
from tests.factories import GITHUB_TOKEN
from tests.review.beliefs import Parties, again, differences, entries, said, say
from tests.review.canary import CANARY, WORDS, index_follows, places_of

HELD = {
    "review_governanceitem",
    "review_evidence",
    "review_feedback",
    "review_archiverequest",
    "review_journalpayload",
    "kept reply",
    "terms of alice",
}
Commit = Callable[..., Any]


def make_secret(parties: Parties, item: GovernanceItem) -> GovernanceItem:
    with act(parties.person) as current, current.decision():
        seal_item(current, GovernanceItem.objects.locked().get(pk=item.pk))
    return again(item)


def make_open(parties: Parties, item: GovernanceItem) -> GovernanceItem:
    with act(parties.person) as current, current.decision():
        open_item(current, GovernanceItem.objects.locked().get(pk=item.pk))
    return again(item)


@pytest.fixture
def item(parties: Parties) -> GovernanceItem:
    """A belief whose words stand in the row, a quote, a comment, a vote, a wish, a kept reply and the index."""
    item = said(parties.cron, WORDS, source=Source(quote=WORDS, span=(0, 3)))
    lifecycle.accept(principal=parties.person, reference=item.ref, comment=f"yes, the {CANARY}")
    beside = {"item": item, "user": parties.user, "at": item.recorded_at, "principal": "agent:coder"}
    Feedback.objects.create(**beside, helpful=True, note=f"the {CANARY} helped")
    ArchiveRequest.objects.create(**beside, reason=f"no {CANARY} there")
    once(parties.coder, "k1", "d" * 64, lambda: Reply(200, json.dumps({"text": WORDS})))
    catch_up(parties.user.pk)
    return again(item)


def test_a_secret_that_is_remembered_is_in_the_clear_nowhere(
    parties: Parties, caplog: pytest.LogCaptureFixture
) -> None:
    words = f"The token of the build is {GITHUB_TOKEN}"
    item = said(parties.coder, words, source=Source(quote=words), tags=["build"])
    assert item.privacy == "secret"
    say(parties.writer, words)
    say(parties.coder, words)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    say(parties.coder, words)
    catch_up(parties.user.pk)
    assert places_of(GITHUB_TOKEN, parties.person, parties.coder) == set()
    assert GITHUB_TOKEN not in caplog.text
    assert words_of(again(item)) == words
    assert differences(parties.user) == []
    # the control: what is no secret is found by the same look
    said(parties.coder, WORDS)
    assert places_of(CANARY) == {"review_governanceitem"}


def test_what_becomes_secret_is_in_the_clear_nowhere(
    parties: Parties, item: GovernanceItem, django_capture_on_commit_callbacks: Commit
) -> None:
    exports = {f"export of {one.name}" for one in (parties.person, parties.coder)}
    assert places_of(CANARY, parties.person, parties.coder) == HELD | exports

    with django_capture_on_commit_callbacks(execute=True):
        sealed = make_secret(parties, item)
        index_follows()

    assert places_of(CANARY, parties.person, parties.coder) == set()
    assert words_of(sealed) == WORDS
    assert CANARY not in sealed.text
    assert (sealed.status, sealed.privacy, sealed.words_mac) == ("active", "secret", item.words_mac)
    assert differences(parties.user) == []
    row = Evidence.objects.get(item=item)
    assert (row.quote, row.span_start, row.span_end) == ("", None, None)
    # the vote and the wish stand, without what was said beside them
    assert (Feedback.objects.get(item=item).helpful, ArchiveRequest.objects.get(item=item).state) == (True, "pending")


def test_the_journal_says_that_it_was_sealed_and_keeps_what_came_after(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    lifecycle.forget(principal=parties.person, reference=item.ref, comment="not needed")
    told = [(one.entry.verb, one.entry.event, one.status_after, one.comment) for one in history(item)]
    assert told == [
        ("admit", "created", None, ""),
        ("accept", "transition", None, ""),
        ("seal", "sealed", "active", ""),
        ("forget", "transition", "stale", "not needed"),
    ]
    assert differences(parties.user) == []


def test_what_was_decided_before_cannot_be_undone_any_more(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    with pytest.raises(Conflict):
        lifecycle.undo(principal=parties.person, reference=item.ref)
    lifecycle.forget(principal=parties.person, reference=item.ref)
    assert lifecycle.undo(principal=parties.person, reference=item.ref).item.status == "active"
    assert differences(parties.user) == []


def test_what_the_same_edit_takes_away_goes_too(parties: Parties) -> None:
    item = said(parties.coder, WORDS, tags=["quagga", "drawer"])
    assert "review_journalpayload" in places_of("quagga")
    lifecycle.edit(
        principal=parties.person,
        reference=item.ref,
        revision=1,
        changes={"privacy": "secret", "tags": ["drawer"]},
        comment="the quagga says it",
    )
    assert places_of("quagga") == set()
    assert [one.entry.verb for one in history(item)] == ["admit", "edit", "seal"]
    assert differences(parties.user) == []


def test_a_secret_is_masked_and_found_by_nobody(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    shown = present_all(list(GovernanceItem.objects.for_display().filter(pk=item.pk)))[0]
    assert shown.text == MASK
    for query in (WORDS, again(item).text):
        found = find_items(parties.person, narrowed_to=ItemFilter(), query=query, sort="relevance")
        assert found.hits == []
    make_open(parties, item)
    assert [hit.item.pk for hit in find_items(parties.person, narrowed_to=ItemFilter(), query=WORDS).hits] == [item.pk]


def test_a_secret_that_is_none_any_more_reads_as_before(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    opened = make_open(parties, item)
    assert (opened.text, opened.privacy, opened.words_mac) == (WORDS, "normal", item.words_mac)
    assert opened.revision == item.revision + 2
    assert opened.changed_seq > item.changed_seq
    while catch_up(parties.user.pk):
        pass
    assert "terms of alice" in places_of(CANARY)
    assert differences(parties.user) == []


def test_sealing_twice_and_opening_what_is_open_do_nothing(parties: Parties, item: GovernanceItem) -> None:
    make_open(parties, item)
    assert entries(parties.user) == 2
    sealed = make_secret(parties, item)
    assert make_secret(parties, item).text == sealed.text
    assert entries(parties.user) == 3


def test_its_words_are_a_duplicate_and_a_refusal_as_before(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    assert say(parties.coder, WORDS).duplicate_of == item
    lifecycle.reject(principal=parties.person, reference=item.ref)
    assert say(parties.coder, WORDS.lower()).outcome == "refused"
    reworded = remember_note(principal=parties.coder, text=f"{WORDS} now", scope="global").admission
    assert (reworded.status, reworded.reason) == ("needs_review", "near_tombstone")
    far = remember_note(principal=parties.coder, text="The coffee machine is cleaned daily", scope="global").admission
    assert far.status == "active"
    assert Evidence.objects.filter(item=item, quote="").count() == Evidence.objects.filter(item=item).count()


def test_the_database_lets_words_change_only_as_far_as_sealing_needs(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    GovernanceItem.objects.filter(pk=item.pk).update(text=crypto.seal("words", "Something else"))
    assert [one["field"] for one in differences(parties.user)] == ["words"]


# --- looking at them ------------------------------------------------------------------------------------------


def test_a_person_may_look_and_the_journal_says_so(parties: Parties, item: GovernanceItem) -> None:
    make_secret(parties, item)
    assert reveal(principal=parties.person, reference=f"#{item.number}") == WORDS
    entry = JournalEntry.objects.latest("seq")
    assert (entry.event, entry.verb, entry.actor_kind, entry.item_ref) == ("reveal", "reveal", "person", item.ref)
    assert places_of(CANARY) - {"terms of alice"} == set()
    assert differences(parties.user) == []


def test_nobody_else_may_and_nothing_is_written(parties: Parties, strangers: Parties, item: GovernanceItem) -> None:
    before = entries(parties.user)
    with pytest.raises(InvalidTransition):
        reveal(principal=parties.person, reference=item.ref)
    make_secret(parties, item)
    for agent in (parties.coder, parties.cron):
        with pytest.raises(NotAllowed):
            reveal(principal=agent, reference=item.ref)
    with pytest.raises(NotFound):
        reveal(principal=strangers.person, reference=item.ref)
    assert entries(parties.user) == before + 1
