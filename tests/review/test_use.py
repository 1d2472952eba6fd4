"""What agents were really shown: counted for agents alone, written later, and never in anybody's way."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memory.tools.notes import recall
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.display.shape import present_all
from review.models import GovernanceItem, ItemUse, UseEvent
from review.readership import pending_uses, use
from review.readership.pending_uses import MOST_ROWS, Pending, Shown
from review.search.find import load_for_display
from tests.factories import make_conversation, make_person_token, make_token
from tests.review.beliefs import Parties, age, said


@pytest.fixture(autouse=True)
def pending(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pending]:
    """Nothing of other tests, and nothing for them."""
    own = Pending(by_itself=False)
    monkeypatch.setattr(use, "_pending", own)
    yield own
    assert own._thread is None


def ask(principal: Principal, query: str | None = None, **more: Any) -> list[str]:
    return [item.text for item in recall(Call(principal, None, "rest"), query=query, **more).items]


def event(item: GovernanceItem, **more: Any) -> Shown:
    fields = {"principal": "agent:coder", "agent_id": None, "conversation_id": None, "reader": "recall", "rank": 1}
    return Shown(**{**fields, "user_id": item.user_id, "item_id": item.pk, "at": 0.0, **more})


def counts() -> dict[int, int]:
    return dict(ItemUse.objects.values_list("item_id", "count"))


def test_what_recall_shows_to_an_agent_is_kept_with_its_place(parties: Parties) -> None:
    here = make_conversation(parties.user)
    inside = parties.coder.within(here.pk, here.ref)
    bread, rye = said(parties.coder, "Likes bread"), said(parties.coder, "Bread of rye, bread of rye")
    said(parties.coder, "The office is in Porto")

    best, second = ask(inside, "rye bread", sort="relevance")
    assert UseEvent.objects.count() == 0
    assert use.flush() == 2

    events = list(UseEvent.objects.order_by("rank"))
    assert [event.item.text for event in events] == [best, second] == [rye.text, bread.text]
    assert [(event.rank, event.reader, event.principal) for event in events] == [
        (1, "recall", "agent:coder"),
        (2, "recall", "agent:coder"),
    ]
    assert {(event.agent_id, event.conversation_id) for event in events} == {(parties.coder.agent_id, here.pk)}
    assert {event.user_id for event in events} == {parties.user.pk}
    assert counts() == {bread.pk: 1, rye.pk: 1}


def test_a_person_who_looks_is_not_counted(parties: Parties) -> None:
    said(parties.coder, "Likes bread")
    ask(parties.person, "bread")
    ask(parties.person)
    Client().get("/api/v1/items", headers={"Authorization": f"Bearer {make_person_token(parties.user)}"})
    assert use.flush() == 0

    ask(parties.coder, "bread")
    assert use.flush() == 1


def test_lists_and_single_beliefs_over_rest_are_counted_too(parties: Parties) -> None:
    item = said(parties.coder, "Likes bread")
    client = Client(headers={"Authorization": f"Bearer {make_token(parties.user, agent='coder')}"})
    for path in ("/items", "/items?q=bread", f"/items/{item.ref}"):
        assert client.get(f"/api/v1{path}").status_code == 200
    assert client.get("/api/v1/items/0123456789ab").status_code == 404
    use.flush()

    assert list(UseEvent.objects.order_by("at").values_list("reader", flat=True)) == ["items", "items_search", "item"]


def test_the_figures_stand_in_the_item(parties: Parties) -> None:
    item = said(parties.coder, "Likes bread")
    fresh = present_all(list(load_for_display([item.pk]).values()))[0]
    assert (fresh.use_count, fresh.last_used_at) == (0, None)

    for _ in range(3):
        ask(parties.writer, "bread")
    use.flush()
    ask(parties.writer, "bread")
    use.flush()

    shown_now = present_all(list(load_for_display([item.pk]).values()))[0]
    assert shown_now.use_count == 4 == UseEvent.objects.count()
    assert shown_now.last_used_at == UseEvent.objects.latest("pk").at
    assert recall(Call(parties.coder, None, "rest"), query="bread").items[0].use_count == 4


def test_figures_cost_no_statement_of_their_own(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    items = [said(parties.coder, f"Likes bread number {number}") for number in range(20)]
    ask(parties.coder, "bread", limit=100)
    use.flush()
    for some in (items[:1], items):
        with django_assert_num_queries(2):
            rows = present_all(list(load_for_display([item.pk for item in some]).values()))
        assert [row.use_count for row in rows] == [1] * len(some)


def test_recording_asks_the_database_nothing_and_flushing_asks_once(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    items = [said(parties.coder, f"Likes bread number {number}") for number in range(50)]
    with django_assert_num_queries(0):
        use.record(parties.coder, "recall", items)
    with django_assert_num_queries(1):
        assert use.flush() == 50
    with django_assert_num_queries(0):
        assert use.flush() == 0


def test_an_answer_of_no_registered_reader_is_a_mistake(parties: Parties) -> None:
    with pytest.raises(LookupError, match="daydream"):
        use.record(parties.coder, "daydream", [])


def test_what_is_gone_by_then_is_left_out_and_nothing_else(parties: Parties, pending: Pending) -> None:
    item = said(parties.coder, "Likes bread")
    pending.add(
        [
            event(item, item_id=item.pk + 1000),
            event(item, agent_id=999_999),
            event(item, conversation_id=999_999),
        ]
    )
    assert use.flush() == 2
    assert counts() == {item.pk: 2}
    assert set(UseEvent.objects.values_list("agent_id", "conversation_id")) == {(None, None)}
    # What is gone is tried again, as if a decision had held it, and then given up.
    assert [use.flush() for _ in range(4)] == [0, 0, 0, 0]
    assert pending._rows == []


def test_a_database_that_is_away_costs_nothing_but_patience(
    parties: Parties, pending: Pending, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = said(parties.coder, "Likes bread")

    def away(_rows: object) -> set[int]:
        raise OperationalError("the database is away")

    with monkeypatch.context() as broken:
        broken.setattr(pending_uses, "write_events", away)
        for _ in range(5):
            assert ask(parties.coder, "bread") == ["Likes bread"]
            with pytest.raises(DatabaseError):
                use.flush()
    assert use.flush() == 5
    assert counts() == {item.pk: 5}


def test_what_the_database_refuses_is_given_up_after_a_few_times(
    parties: Parties, pending: Pending, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = said(parties.coder, "Likes bread")

    def refuse(_rows: object) -> set[int]:
        raise DatabaseError("no such column")

    pending.add([event(item)])
    with monkeypatch.context() as broken:
        broken.setattr(pending_uses, "write_events", refuse)
        for _ in range(pending_uses.TRIES):
            with pytest.raises(DatabaseError):
                use.flush()
    assert use.flush() == 0


def test_memory_is_bounded_and_the_newest_stays(parties: Parties, pending: Pending) -> None:
    item = said(parties.coder, "Likes bread")
    pending.add(event(item, at=float(number)) for number in range(MOST_ROWS + 10))
    assert len(pending._rows) == MOST_ROWS
    assert pending._rows[0].at == 10.0


@pytest.mark.django_db(transaction=True)
def test_what_a_decision_holds_is_written_after_it(transactional_db: None) -> None:
    from tests.factories import make_owner

    parties = Parties.of(make_owner("alice"))
    held, free = said(parties.coder, "Likes bread"), said(parties.coder, "Likes rye")
    use.record(parties.coder, "recall", [held, free])
    written: list[int] = []

    def in_another_connection() -> None:
        written.append(use.flush())
        connection.close()

    with transaction.atomic():
        GovernanceItem.objects.select_for_update().get(pk=held.pk)
        other = threading.Thread(target=in_another_connection)
        other.start()
        other.join(10)
        assert not other.is_alive(), "the flush waits for a decision"
        assert written == [1]
    assert use.flush() == 1
    assert counts() == {held.pk: 1, free.pk: 1}


def test_never_used_means_in_use_and_old_and_shown_to_nobody(parties: Parties, strangers: Parties) -> None:
    unseen, seen, seen_long_ago, fresh = (
        said(parties.coder, words) for words in ("Likes bread", "Likes rye", "Likes spelt", "Likes wheat")
    )
    for item in (unseen, seen, seen_long_ago, said(parties.cron, "Likes oats"), said(strangers.coder, "Likes bread")):
        age(item, 100)
    use.record(parties.coder, "recall", [seen, seen_long_ago])
    use.flush()
    ItemUse.objects.filter(item=seen_long_ago).update(last_at=seen_long_ago.recorded_at - timedelta(days=99))

    assert use.never_used(parties.person, 90) == 2
    assert use.never_used(parties.person, 120) == 0
    assert fresh.pk not in counts()


def test_most_used_counts_the_days_asked_for(parties: Parties, strangers: Parties) -> None:
    bread, rye = said(parties.coder, "Likes bread"), said(parties.coder, "Likes rye")
    theirs = said(strangers.coder, "Likes spelt")
    for shown_items in ([bread], [bread, rye], [rye], [bread]):
        use.record(parties.coder, "recall", shown_items)
    use.record(strangers.coder, "recall", [theirs])
    use.flush()
    assert [(used.item.pk, used.count) for used in use.most_used(parties.person, 1, 10)] == [(bread.pk, 3), (rye.pk, 2)]
    assert [used.item.pk for used in use.most_used(parties.person, 1, 1)] == [bread.pk]

    execute("UPDATE review_useevent SET at = at - interval '2 days' WHERE item_id = %s", [bread.pk])
    assert [(used.item.pk, used.count) for used in use.most_used(parties.person, 1, 10)] == [(rye.pk, 2)]
