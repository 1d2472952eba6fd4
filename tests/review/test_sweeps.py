"""What time does to beliefs by itself: once, under the owner's clock, and written down."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from pawflow_web.identity.models import User, UserSettings
from pawflow_web.jobs.models import Task
from pawflow_web.jobs.services import schedules
from pawflow_web.jobs.slices import run_cluster_drain
from pawflow_web.lib.db import execute
from pawflow_web.lib.drains import registry
from review.journal.acts import Act
from review.lifecycle import sweeps
from review.models import GovernanceItem, ItemUse, JournalEntry, Status, UseEvent
from tests.factories import make_owner
from tests.review.beliefs import Parties, again, differences, entries, let_expire, readable, said

SOON = 1e12


def sweep() -> None:
    assert sweeps.expire_beliefs(SOON) is False


def expired(parties: Parties, number: int, *, words: str = "Likes bread") -> list[GovernanceItem]:
    """Beliefs whose time is over although no sweep came by."""
    items = [said(parties.coder, f"{words} number {index}", scope="global") for index in range(number)]
    for item in items:
        let_expire(parties.coder, item)
    return items


def test_what_expired_becomes_stale_and_the_journal_says_who_it_was(parties: Parties) -> None:
    (over,), lasting = expired(parties, 1), said(parties.coder, "Likes rye")
    assert again(over).status == Status.ACTIVE
    assert readable(parties.coder) == {"Likes rye"}
    sweep()

    swept = again(over)
    assert (swept.status, swept.reason) == (Status.STALE, "expired")
    assert swept.retired_at is not None
    last = JournalEntry.objects.filter(item_id=over.pk).latest("seq")
    assert (last.verb, last.event, last.actor_kind, last.actor_name) == ("expire", "transition", "worker", "worker")
    assert last.moved
    assert again(lasting).status == Status.ACTIVE
    assert differences(parties.user) == []


@pytest.mark.parametrize("status", [Status.CANDIDATE, Status.NEEDS_REVIEW])
def test_what_waits_may_expire_too(parties: Parties, status: Status) -> None:
    item = said(parties.cron, "Likes bread")
    let_expire(parties.cron, item)
    GovernanceItem.objects.filter(pk=item.pk).update(status=status)
    sweep()
    assert again(item).status == Status.STALE


def test_what_is_over_already_is_left_alone(parties: Parties) -> None:
    (item,) = expired(parties, 1)
    sweep()
    before, number = again(item).updated_at, entries(parties.user)
    for _ in range(3):
        sweep()
    assert (again(item).updated_at, entries(parties.user)) == (before, number)


def test_without_anything_expired_it_is_one_statement_and_takes_no_clock(
    parties: Parties, strangers: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    said(parties.coder, "Likes bread")
    said(strangers.coder, "Likes rye", ttl_days=30)
    with django_assert_num_queries(1):
        sweep()


def test_only_owners_with_something_expired_are_touched(
    parties: Parties, strangers: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    said(strangers.coder, "Likes rye")
    expired(parties, 1)
    number = entries(strangers.user)
    # owners; for the one: rows, savepoint, clock, rows locked, wishes, the change, its reading, journal, wake, release
    with django_assert_num_queries(11):
        sweep()
    assert entries(strangers.user) == number


def test_many_are_taken_in_several_holds_of_the_clock(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "_AT_ONCE", 10)
    items = expired(parties, 25)
    holds: list[object] = []
    flush = Act.flush

    def counted(self: Act) -> None:
        holds.append(self)
        flush(self)

    monkeypatch.setattr(Act, "flush", counted)
    sweep()
    assert {again(item).status for item in items} == {Status.STALE}
    assert len(holds) >= 3


def test_it_stops_at_its_deadline_and_goes_on_the_next_time(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "_AT_ONCE", 5)
    items = expired(parties, 12)
    assert sweeps.expire_beliefs(0.0) is True
    assert 0 < sum(again(item).status == Status.STALE for item in items) < 12
    sweep()
    assert {again(item).status for item in items} == {Status.STALE}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("run", [lambda: sweeps.expire_beliefs(SOON), lambda: run_cluster_drain("expire_beliefs")])
def test_two_workers_at_once_expire_each_belief_once(transactional_db: None, run: Callable[[], Any]) -> None:
    parties = Parties.of(make_owner("alice"))
    items = expired(parties, 30)
    number = entries(parties.user)
    start = threading.Barrier(3)

    def work() -> None:
        start.wait(10)
        run()
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)

    assert {again(item).status for item in items} == {Status.STALE}
    assert entries(parties.user) == number + 30
    assert differences(parties.user) == []


def test_what_got_more_time_meanwhile_stays(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    (item,) = expired(parties, 1)
    later = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(sweeps, "_expired", lambda: GovernanceItem.objects.filter(pk=item.pk))
    GovernanceItem.objects.filter(pk=item.pk).update(expires_at=later)
    sweep()
    assert again(item).status == Status.ACTIVE


def test_the_next_expiry_is_that_of_what_is_left(parties: Parties, strangers: Parties) -> None:
    assert sweeps.next_expiry(parties.user.pk) is None
    said(strangers.coder, "Likes rye", ttl_days=1)
    later = said(parties.coder, "Likes bread", ttl_days=9)
    sooner = said(parties.coder, "Likes oats", ttl_days=3)
    assert sweeps.next_expiry(parties.user.pk) == sooner.expires_at
    expired(parties, 1)
    sweep()
    assert sweeps.next_expiry(parties.user.pk) == sooner.expires_at != later.expires_at


# --- single uses ------------------------------------------------------------------------------------------------


def used(parties: Parties, item: GovernanceItem, days_ago: int) -> None:
    at = timezone.now() - timedelta(days=days_ago)
    UseEvent.objects.create(user=parties.user, item=item, principal="agent:coder", reader="recall", rank=1, at=at)


def make_due(kind: str) -> None:
    execute("UPDATE jobs_task SET next_at = now() - interval '5 days' WHERE kind = %s", [kind])


def test_old_uses_go_at_the_owners_night_and_their_sum_stays(parties: Parties) -> None:
    item = said(parties.coder, "Likes bread")
    ItemUse.objects.create(item=item, user=parties.user, count=3, last_at=timezone.now())
    for days in (200, 91, 89):
        used(parties, item, days)
    assert sweeps.thin_uses(SOON) is False
    assert UseEvent.objects.count() == 3, "planned for the night, not done at once"

    make_due(sweeps.THIN_USES)
    assert sweeps.thin_uses(SOON) is False
    assert UseEvent.objects.count() == 1
    assert ItemUse.objects.get().count == 3


def test_nights_that_were_missed_are_caught_up_once(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps.thin_uses(SOON)
    make_due(sweeps.THIN_USES)
    done: list[int] = []
    monkeypatch.setattr(sweeps, "_forget_some_uses", lambda task: done.append(task.user_id))
    for _ in range(4):
        sweeps.thin_uses(SOON)
    assert done == [parties.user.pk]


def test_each_owner_has_one_plan_and_keeps_it(
    parties: Parties, strangers: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    sweeps.thin_uses(SOON)
    first = list(Task.objects.filter(kind=sweeps.THIN_USES).order_by("pk").values_list("user_id", "next_at"))
    assert {user_id for user_id, _ in first} == {parties.user.pk, strangers.user.pk}
    # owners without a plan, plans that are due
    with django_assert_num_queries(2):
        sweeps.thin_uses(SOON)
    assert list(Task.objects.filter(kind=sweeps.THIN_USES).order_by("pk").values_list("user_id", "next_at")) == first


@pytest.mark.parametrize(
    ("zone", "now", "midnight"),
    [
        ("UTC", datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 3, 29, tzinfo=UTC)),
        # the night of 23 hours and the one of 25
        ("Europe/Berlin", datetime(2026, 3, 28, 23, 30, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 24, 22, 30, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)),
        # a midnight that the clocks skip
        ("Africa/Cairo", datetime(2026, 4, 23, 12, tzinfo=UTC), datetime(2026, 4, 23, 22, tzinfo=UTC)),
        ("Pacific/Auckland", datetime(2026, 7, 1, 11, 59, tzinfo=UTC), datetime(2026, 7, 1, 12, tzinfo=UTC)),
    ],
)
def test_a_night_begins_at_the_owners_own_midnight(
    alice: User, monkeypatch: pytest.MonkeyPatch, zone: str, now: datetime, midnight: datetime
) -> None:
    UserSettings.objects.filter(user=alice).update(time_zone=zone)
    monkeypatch.setattr(schedules, "now", lambda: now)
    schedules.plan_nightly("dream")
    task = Task.objects.get(kind="dream")
    assert task.next_at == midnight
    assert task.next_at.astimezone(ZoneInfo(zone)).date() > now.astimezone(ZoneInfo(zone)).date()


def test_the_worker_looks_at_each_sweep_every_tick() -> None:
    kinds = registry.kinds("cluster")
    assert {"expire_beliefs", "thin_uses", "idempotent_replies", "sign_ins", "forget_runs"} <= set(kinds)
