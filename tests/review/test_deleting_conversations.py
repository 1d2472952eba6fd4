"""Deleting a conversation: what only it could read is purged, of the rest a label stays."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from conversations.erasers import erasers
from conversations.models import Conversation
from conversations.services import create_conversation, delete_conversation
from pawflow_web.env import CHECKOUT
from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.identity.models import UserClock
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, NotAllowed
from review import erase
from review.gate.proposals import Source
from review.models import Evidence, GovernanceItem, JournalEntry, Tombstone, UseEvent
from review.search.index import catch_up
from tests.factories import make_conversation, make_owner, make_person_token
from tests.live import database_url
from tests.review.beliefs import Parties, again, differences, said, say
from tests.review.canary import CANARY, WORDS, index_follows, places_of
from tests.startup.product import clean_environment, eventually


@pytest.fixture
def conversation(parties: Parties) -> Conversation:
    return make_conversation(parties.user, title=f"About the {CANARY}")


@pytest.fixture
def inside(parties: Parties, conversation: Conversation) -> Principal:
    """The agent within that conversation."""
    return parties.coder.within(conversation.pk, conversation.ref)


def test_what_only_it_could_read_is_nowhere(
    parties: Parties, conversation: Conversation, inside: Principal, django_capture_on_commit_callbacks: Any
) -> None:
    ours = said(inside, WORDS, scope="conversation")
    private = said(inside, f"{WORDS}, says the agent", scope="private")
    kept = said(inside, "The mat is brown", source=Source(quote=f"{WORDS} and the mat is brown", turn="r1:3"))
    UseEvent.objects.create(
        item=kept, user=parties.user, principal="agent:coder", conversation=conversation, reader="recall", rank=1,
        at=kept.recorded_at,
    )  # fmt: skip
    once(parties.coder, "k1", "d" * 64, lambda: Reply(201, json.dumps({"ref": conversation.ref, "title": CANARY})))
    catch_up(parties.user.pk)
    assert places_of(CANARY) == {
        "review_governanceitem", "review_evidence", "conversations_conversation", "kept reply", "terms of alice",
    }  # fmt: skip

    with django_capture_on_commit_callbacks(execute=True):
        delete_conversation(principal=parties.person, conversation=conversation)
        index_follows()

    assert places_of(CANARY) == set()
    assert list(GovernanceItem.objects.values_list("ref", flat=True)) == [kept.ref]
    evidence = Evidence.objects.get(item=kept)
    assert (evidence.principal, evidence.conversation_id, evidence.quote, evidence.turn) == (
        "agent:coder", None, "", "r1:3",
    )  # fmt: skip
    assert UseEvent.objects.get().conversation_id is None
    assert not Conversation.objects.exists()
    purged = JournalEntry.objects.filter(verb="purge").values_list("item_ref", flat=True)
    assert set(purged) == {ours.ref, private.ref}
    assert differences(parties.user) == []


def test_its_words_may_be_said_again_elsewhere(parties: Parties, conversation: Conversation, inside: Principal) -> None:
    said(inside, WORDS, scope="conversation")
    delete_conversation(principal=parties.person, conversation=conversation)
    assert not Tombstone.objects.exists()
    assert say(parties.coder, WORDS).outcome == "stored"


def test_other_conversations_stay_as_they_are(parties: Parties, conversation: Conversation, inside: Principal) -> None:
    other = make_conversation(parties.user)
    there = parties.coder.within(other.pk, other.ref)
    item = said(there, WORDS, scope="conversation", source=Source(quote=WORDS))
    delete_conversation(principal=parties.person, conversation=conversation)
    assert again(item).scope_conversation_id == other.pk
    assert Evidence.objects.get(item=item).quote == WORDS


def test_a_voice_heard_in_two_places_stays_one_a_day(
    parties: Parties, conversation: Conversation, inside: Principal
) -> None:
    other = make_conversation(parties.user)
    item = said(parties.coder, WORDS)
    said(inside, WORDS)
    said(parties.writer.within(conversation.pk, conversation.ref), WORDS)
    said(parties.writer.within(other.pk, other.ref), WORDS)
    assert Evidence.objects.filter(item=item).count() == 4
    for one in (conversation, other):
        delete_conversation(principal=parties.person, conversation=one)
    assert sorted(Evidence.objects.values_list("principal", "conversation")) == [
        ("agent:coder", None),
        ("agent:writer", None),
    ]


def test_only_a_person_may(parties: Parties, conversation: Conversation, inside: Principal) -> None:
    said(inside, WORDS, scope="conversation")
    for agent in (parties.coder, inside, parties.cron):
        with pytest.raises(NotAllowed):
            delete_conversation(principal=agent, conversation=conversation)
    assert GovernanceItem.objects.count() == 1


def test_a_neighbour_outside_lets_go(parties: Parties, conversation: Conversation, inside: Principal) -> None:
    ours = said(inside, WORDS, scope="conversation")
    rival = said(
        replace(parties.cron, conversation_id=conversation.pk, conversation_ref=conversation.ref),
        "The drawer is locked",
        replaces=ours,
    )
    assert again(rival).contradicts_id == ours.pk
    delete_conversation(principal=parties.person, conversation=conversation)
    assert again(rival).contradicts_id is None
    assert differences(parties.user) == []


def test_what_is_said_in_it_meanwhile_goes_too(
    parties: Parties, conversation: Conversation, inside: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last slice and the end somebody still speaks there."""
    said(inside, WORDS, scope="conversation")
    slices = iter(range(10))

    def and_somebody_speaks(principal: Principal, one: Conversation) -> bool:
        more = erase.erase_beliefs(principal, one)
        if not more and next(slices) == 0:
            said(inside, f"{WORDS} still", scope="conversation")
        return more

    monkeypatch.setitem(erasers._entries, "beliefs", and_somebody_speaks)
    delete_conversation(principal=parties.person, conversation=conversation)
    assert not GovernanceItem.objects.exists()
    assert differences(parties.user) == []


@pytest.mark.django_db(transaction=True)
def test_who_speaks_in_it_afterwards_is_told(transactional_db: None) -> None:
    parties = Parties.of(make_owner("alice"))
    conversation = make_conversation(parties.user)
    inside = parties.coder.within(conversation.pk, conversation.ref)
    delete_conversation(principal=parties.person, conversation=conversation)
    with pytest.raises(Conflict):
        said(inside, WORDS, scope="conversation")
    assert not GovernanceItem.objects.exists()
    assert differences(parties.user) == []


def test_what_stays_lets_go_of_it_in_parts(
    parties: Parties, conversation: Conversation, inside: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No one statement under the owner's clock is as long as a long conversation."""
    monkeypatch.setattr(erase, "LABELS", 2)
    elsewhere = make_conversation(parties.user)
    kept = [said(inside, f"The mat number {number} is brown") for number in range(5)]
    said(parties.coder, kept[0].text)
    said(parties.coder.within(elsewhere.pk, elsewhere.ref), kept[1].text)
    uses = {"user": parties.user, "principal": "agent:coder", "reader": "recall", "rank": 1, "at": kept[0].recorded_at}
    UseEvent.objects.bulk_create(UseEvent(**uses, item=item, conversation=conversation) for item in kept)
    UseEvent.objects.create(**uses, item=kept[0], conversation=elsewhere)
    with CaptureQueriesContext(connection) as asked:
        delete_conversation(principal=parties.person, conversation=conversation)
    told = [one["sql"].replace('"', "") for one in asked.captured_queries]
    held = next(number for number, sql in enumerate(told) if "UPDATE identity_userclock" in sql)
    labels = [number for number, sql in enumerate(told) if "UPDATE review_useevent SET conversation_id = NULL" in sql]
    # five in twos and a look that finds none before the clock; then one more look, and what the row itself lets go of
    assert len([number for number in labels if number < held]) == 4
    assert len(labels) == 4 + 2
    assert len([sql for sql in told if "UPDATE review_evidence SET conversation_id = NULL, quote" in sql]) == 3
    assert set(UseEvent.objects.values_list("conversation_id", flat=True)) == {None, elsewhere.pk}
    voices = list(Evidence.objects.order_by("item_id", "pk").values_list("item_id", "conversation_id"))
    assert sorted(voices, key=str) == sorted(
        [(kept[0].pk, None), (kept[1].pk, None), (kept[1].pk, elsewhere.pk), *((row.pk, None) for row in kept[2:])],
        key=str,
    )


# --- interrupted ----------------------------------------------------------------------------------------------

PROGRAM = """
import sys, django; django.setup()
from conversations.context import find_conversation
from conversations.services import delete_conversation
from pawflow_web.identity.auth import principal_of_token
person = principal_of_token("Bearer " + sys.argv[1])
delete_conversation(principal=person, conversation=find_conversation(person, sys.argv[2]))
"""


@pytest.fixture
def many(transactional_db: None) -> tuple[Parties, Conversation]:
    """A conversation with 500 beliefs of its own."""
    parties = Parties.of(make_owner("alice"))
    conversation, _ = create_conversation(principal=parties.person, title="Long")
    inside = parties.coder.within(conversation.pk, conversation.ref)
    with transaction.atomic():
        for number in range(500):
            said(inside, f"The {CANARY} number {number}", scope="conversation")
    return parties, conversation


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_deletion_that_is_killed_goes_on_when_it_is_asked_for_again(many: tuple[Parties, Conversation]) -> None:
    parties, conversation = many
    items = GovernanceItem.objects.filter(scope_conversation=conversation)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, make_person_token(parties.user), conversation.ref],
        cwd=CHECKOUT,
        env=clean_environment(
            settings.ENV.data_dir, DATABASE_URL=database_url(), DJANGO_SETTINGS_MODULE="pawflow_web.settings"
        ),
    )
    try:
        eventually(lambda: items.count() < 500, "a first slice")
        with transaction.atomic():
            # While the owner's clock is held here, the deletion waits in the middle of its work.
            UserClock.objects.select_for_update().get(user=parties.user)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    finally:
        process.kill()
        process.wait()
    left = items.count()
    assert 0 < left < 500
    # Half gone is whole as far as it is gone.
    assert differences(parties.user) == []
    assert JournalEntry.objects.filter(verb="purge").count() == 500 - left

    delete_conversation(principal=parties.person, conversation=conversation)

    assert not Conversation.objects.exists()
    assert places_of(CANARY) == set()
    assert JournalEntry.objects.filter(verb="purge").count() == 500
    assert differences(parties.user) == []
