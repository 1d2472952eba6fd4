"""Kept replies are looked through before an owner's clock is taken, and nothing written meanwhile is missed."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from conversations.services import create_conversation, delete_conversation
from pawflow_web.identity import clock, idempotency
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.idempotency import Reply, forget_replies, look_through_replies, once
from pawflow_web.identity.models import IdempotentReply
from pawflow_web.identity.principal import Principal
from review import erase
from review.lifecycle import edit
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.factories import make_owner
from tests.review.beliefs import Parties, said
from tests.review.canary import keep_a_reply

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "The lantern hangs in the shed"


@pytest.fixture
def parties(transactional_db: None) -> Parties:
    return Parties.of(make_owner("alice"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each reply that was opened: whether the clock was held."""
    held: list[bool] = []
    unseal = idempotency.unseal

    def noting(purpose: str, body: str) -> str:
        held.append(clock._held.clock is not None)
        return unseal(purpose, body)

    monkeypatch.setattr(idempotency, "unseal", noting)
    return held


def kept() -> int:
    return IdempotentReply.objects.exclude(body="").count()


def keep_some(principal: Principal, *texts: str) -> None:
    for number, text in enumerate(texts):
        keep_a_reply(principal, {"text": text}, key=f"{number}")


def test_a_purge_reads_them_before_it_holds_the_clock(parties: Parties, opened: list[bool]) -> None:
    item = said(parties.coder, WORDS)
    keep_some(parties.coder, WORDS, "something else", f"and {WORDS}, he said")
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert (kept(), opened) == (1, [False] * 3)


def test_making_a_belief_secret_does_so_too(parties: Parties, opened: list[bool]) -> None:
    item = said(parties.coder, WORDS)
    keep_some(parties.coder, WORDS, "something else")
    edit(principal=parties.person, reference=item.ref, revision=item.revision, changes={"privacy": "secret"})
    assert (kept(), opened) == (1, [False] * 2)


def test_a_deletion_reads_them_once_for_all_slices(
    parties: Parties, opened: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "SLICE", 2)
    conversation, _ = create_conversation(principal=parties.person, title="Long")
    inside = parties.coder.within(conversation.pk, conversation.ref)
    for number in range(5):
        said(inside, f"{WORDS}, number {number}", scope="conversation")
    keep_some(parties.coder, f"{WORDS}, number 4", "something else", f"{WORDS}, number 0", f"in {conversation.ref}")
    delete_conversation(principal=parties.person, conversation=conversation)
    assert not GovernanceItem.objects.exists()
    # Once for the beliefs, and what is left once for the conversation itself.
    assert (kept(), opened) == (1, [False] * 6)


def test_what_is_moved_elsewhere_meanwhile_stays(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation, _ = create_conversation(principal=parties.person, title="Long")
    inside = parties.coder.within(conversation.pk, conversation.ref)
    moved, other = (said(inside, f"{WORDS}, {which}", scope="conversation") for which in ("one", "two"))
    look = erase.look_for_copies

    def and_somebody_moves(user_id: int, items: list[GovernanceItem]) -> idempotency.Looked:
        looked = look(user_id, items)
        edit(principal=parties.person, reference=moved.ref, revision=moved.revision, changes={"scope": "global"})
        return looked

    monkeypatch.setattr(erase, "look_for_copies", and_somebody_moves)
    delete_conversation(principal=parties.person, conversation=conversation)
    assert list(GovernanceItem.objects.values_list("ref", flat=True)) == [moved.ref]
    assert not GovernanceItem.objects.filter(ref=other.ref).exists()


# --- what is written in between -------------------------------------------------------------------------------


@pytest.fixture
def being_made(parties: Parties) -> Iterator[Callable[[], None]]:
    """A reply that has a row and no body yet, of a transaction under way; called, it is made and committed."""
    begun, go_on = threading.Event(), threading.Event()

    def write() -> Reply:
        begun.set()
        assert go_on.wait(30)
        return Reply(200, f'{{"text": "{WORDS}"}}')

    def send() -> None:
        try:
            once(parties.writer, "slow", "d" * 64, write)
        finally:
            connection.close()

    thread = threading.Thread(target=send)
    thread.start()
    assert begun.wait(30)

    def finish() -> None:
        go_on.set()
        thread.join(30)

    yield finish
    finish()


def forget(parties: Parties, looked: idempotency.Looked | None) -> None:
    with user_clock(parties.user.pk):
        forget_replies(parties.user.pk, [WORDS], looked=looked)


def test_one_that_was_being_made_while_we_looked_is_found(
    parties: Parties, being_made: Callable[[], None], opened: list[bool]
) -> None:
    keep_some(parties.coder, "something else", WORDS)
    looked = look_through_replies(parties.user.pk, [WORDS])
    assert opened == [False] * 2
    being_made()
    slow = IdempotentReply.objects.order_by("pk").first()
    assert slow is not None
    assert slow.body != ""
    assert slow.pk < max(looked.found)
    forget(parties, looked)
    assert kept() == 1
    assert not IdempotentReply.objects.filter(pk=slow.pk).exists()


def test_one_that_takes_over_an_old_row_is_found(parties: Parties) -> None:
    keep_some(parties.coder, "something else", "and another")
    IdempotentReply.objects.update(at=timezone.now() - timedelta(days=2))
    looked = look_through_replies(parties.user.pk, [WORDS])
    ids = set(IdempotentReply.objects.values_list("pk", flat=True))
    keep_a_reply(parties.coder, {"text": WORDS}, key="0")
    assert set(IdempotentReply.objects.values_list("pk", flat=True)) == ids
    forget(parties, looked)
    assert (kept(), looked.found) == (1, ())


def test_what_was_not_looked_for_before_is_looked_for_everywhere(parties: Parties, opened: list[bool]) -> None:
    keep_some(parties.coder, "something else", WORDS)
    for looked in (look_through_replies(parties.user.pk, ["something"]), None):
        keep_some(parties.coder, "something else", WORDS)
        opened.clear()
        forget(parties, looked)
        assert (kept(), opened) == (1, [True] * 2)
