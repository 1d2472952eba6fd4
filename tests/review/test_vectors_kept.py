"""Which beliefs have a vector, from when and how long."""

import threading

import pytest
from django.db import connection, transaction

from pawflow_web.identity.clock import now
from pawflow_web.jobs.models import Task
from pawflow_web.jobs.services import plan_task
from pawflow_web.llm.binding import bind
from review import lifecycle
from review.lifecycle.erasing import purge
from review.models import GovernanceItem, ItemVector, VectorMark
from review.search import embedding
from review.search.vectors import RETRY
from tests.factories import make_owner
from tests.llm.fixtures import no_local_model, server
from tests.llm.server import EmbeddingServer, Reply, Request
from tests.review.beliefs import Parties
from tests.review.embedded import SOON, embedded, follow, tell

__all__ = ["no_local_model", "server"]


def test_only_what_may_be_read_is_sent_away(parties: Parties, server: EmbeddingServer) -> None:
    tell(parties.coder, "The puppy sleeps upstairs")
    tell(parties.cron, "The hound waits for a person")
    secret = tell(parties.person, "The door code of the kennel is Xy7-pQ9-kennel-2291")
    GovernanceItem.objects.filter(pk=secret.pk).update(privacy="secret")
    follow()
    assert embedded() == {"The puppy sleeps upstairs"}
    assert not [text for text in server.texts if "hound" in text or "kennel" in text]


def test_accepting_gives_a_vector_and_forgetting_takes_it(parties: Parties, server: EmbeddingServer) -> None:
    item = tell(parties.cron, "The hound waits for a person")
    follow()
    assert embedded() == set()
    lifecycle.accept(principal=parties.person, reference=item.ref)
    follow()
    assert embedded() == {item.text}
    lifecycle.forget(principal=parties.person, reference=item.ref)
    follow()
    assert embedded() == set()


def test_becoming_secret_takes_the_vector_in_the_same_act(parties: Parties, server: EmbeddingServer) -> None:
    item, control = tell(parties.coder, "The puppy sleeps upstairs"), tell(parties.coder, "The hound does not")
    follow()
    GovernanceItem.objects.filter(pk=item.pk).update(privacy="sensitive")
    assert embedded() == {item.text, control.text}
    GovernanceItem.objects.filter(pk=item.pk).update(privacy="secret")
    assert embedded() == {control.text}


def test_the_database_takes_the_vector_with_the_belief(parties: Parties, server: EmbeddingServer) -> None:
    item, control = tell(parties.coder, "The puppy sleeps upstairs"), tell(parties.coder, "The hound does not")
    follow()
    with connection.cursor() as cursor:
        cursor.execute("SELECT confdeltype FROM pg_constraint WHERE conname = 'review_itemvector_of_item'")
        assert cursor.fetchone() == ("c",)
    control_row = ItemVector.objects.get(item=control)

    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert list(ItemVector.objects.all()) == [control_row]


def test_each_belief_is_sent_once(parties: Parties, server: EmbeddingServer) -> None:
    for number in range(5):
        tell(parties.coder, f"The puppy number{number} barks")
    follow()
    asked = len(server.requests)
    follow()
    assert len(server.requests) == asked
    lifecycle.forget(principal=parties.person, reference=tell(parties.coder, "Cars rust").ref)
    tell(parties.coder, "The puppy number5 barks")
    follow()
    assert [text for text in server.texts if "puppy" in text] == [f"The puppy number{n} barks" for n in range(6)]


@pytest.mark.django_db(transaction=True)
def test_a_belief_that_becomes_secret_meanwhile_keeps_no_vector(server: EmbeddingServer) -> None:
    """Its words are being embedded while it is sealed, and while that is not committed yet."""
    parties = Parties.of(make_owner("alice"))
    item = tell(parties.coder, "The puppy sleeps upstairs")
    tell(parties.coder, "The hound does not")
    assert bind() is not None
    sealed, committed = threading.Event(), threading.Event()

    def sealing() -> None:
        try:
            with transaction.atomic():
                GovernanceItem.objects.filter(pk=item.pk).update(privacy="secret", changed_seq=10**6)
                sealed.set()
                assert committed.wait(10)
        finally:
            connection.close()

    sealer = threading.Thread(target=sealing)

    def seal(request: Request) -> Reply | None:
        if "puppy" in str(request.texts) and not sealed.is_set():
            sealer.start()
            assert sealed.wait(10)
        return None

    server.script = seal
    embedding.embed_slice(SOON)
    assert embedded() == {"The hound does not"}
    committed.set()
    sealer.join(10)
    assert GovernanceItem.objects.get(pk=item.pk).privacy == "secret"
    follow()
    assert embedded() == {"The hound does not"}
    assert VectorMark.objects.get().seq > 0


@pytest.mark.django_db(transaction=True)
def test_a_second_try_that_meets_a_change_is_due_still(server: EmbeddingServer) -> None:
    """Its row is held at the moment at which its vector would be stored; nothing else would come back to it."""
    parties = Parties.of(make_owner("alice"))
    item, control = tell(parties.coder, "The puppy sleeps upstairs"), tell(parties.coder, "The hound does not")
    follow()
    ItemVector.objects.all().delete()
    for one in (item, control):
        plan_task(RETRY, at=now(), user=parties.user, subject=one.ref)
    held, stored = threading.Event(), threading.Event()

    def holding() -> None:
        try:
            with transaction.atomic():
                GovernanceItem.objects.select_for_update().get(pk=item.pk)
                held.set()
                assert stored.wait(10)
        finally:
            connection.close()

    holder = threading.Thread(target=holding)
    holder.start()
    assert held.wait(10)
    embedding.embed_slice(SOON)
    assert embedded() == {control.text}
    assert [task.subject for task in Task.objects.filter(kind=RETRY)] == [item.ref]
    stored.set()
    holder.join(10)
    follow()
    assert embedded() == {item.text, control.text}
    assert not Task.objects.filter(kind=RETRY).exists()


def test_a_second_try_for_what_may_not_be_read_any_more_is_none(parties: Parties, server: EmbeddingServer) -> None:
    item = tell(parties.coder, "The puppy sleeps upstairs")
    follow()
    lifecycle.forget(principal=parties.person, reference=item.ref)
    plan_task(RETRY, at=now(), user=parties.user, subject=item.ref)
    follow()
    assert not Task.objects.filter(kind=RETRY).exists()
