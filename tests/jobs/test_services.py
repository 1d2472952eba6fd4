from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.utils import timezone
from django_q.models import OrmQ

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.principal import worker_principal
from pawflow_web.identity.services import ensure_agent, principal_of_agent
from pawflow_web.jobs.listening import Listener
from pawflow_web.jobs.models import JobRun, RunState, Task, WorkerBeat
from pawflow_web.jobs.services import (
    back_off,
    beat,
    cancel_run,
    fail_run,
    finish_run,
    lose_run,
    open_run,
    plan_task,
    report_progress,
    start_run,
    stop_beating,
    wake,
    worker_alive,
)
from pawflow_web.jobs.services.waking import WAKE_CHANNEL
from pawflow_web.jobs.tasks import forget_runs
from pawflow_web.lib.db import advisory_lock
from pawflow_web.lib.errors import InvalidTransition


@pytest.fixture
def user(db: None):
    return get_user_model().objects.create(username="alice")


@pytest.mark.django_db(transaction=True)
def test_a_wake_is_heard_when_the_transaction_commits_and_never_when_it_does_not() -> None:
    listener = Listener([WAKE_CHANNEL])
    listener.connect()
    try:
        with transaction.atomic():
            wake("forget_runs")
            transaction.set_rollback(True)
        with transaction.atomic():
            wake("forget_runs")
            wake("forget_runs")
            assert listener.wait(0) == []
        assert listener.wait(5) == [(WAKE_CHANNEL, "forget_runs")]
    finally:
        listener.close()


@pytest.mark.django_db
def test_a_wake_of_an_unknown_kind_is_a_mistake() -> None:
    with pytest.raises(LookupError, match="nobody"):
        wake("nobody")


@pytest.mark.django_db(transaction=True)
def test_a_drain_lock_is_held_once_and_given_back() -> None:
    from django.db import connections

    other = connections.create_connection("default")
    try:
        with advisory_lock("pawflow drain one") as held, other.cursor() as cursor:
            assert held
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended('pawflow drain one', 0))")
            assert cursor.fetchone() == (False,)
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended('pawflow drain two', 0))")
            assert cursor.fetchone() == (True,)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended('pawflow drain one', 0))")
            assert cursor.fetchone() == (True,)
        with advisory_lock("pawflow drain one") as held:
            assert not held
    finally:
        other.close()


def test_a_run_goes_from_queued_to_done_and_stays_there(user) -> None:
    run = open_run("import", user=user, arguments={"format": "csv"})
    assert (run.state, run.finished_at) == (RunState.QUEUED, None)
    assert start_run(run)
    assert report_progress(run, done=3, total=10, current="row 3")
    assert (run.done, run.total, run.current) == (3, 10, "row 3")
    assert finish_run(run, result={"rows": 10})
    assert (run.state, run.result, run.current) == (RunState.DONE, {"rows": 10}, "")
    assert run.finished_at is not None
    assert not fail_run(run, error="too late")
    assert not start_run(run)
    with pytest.raises(InvalidTransition):
        cancel_run(run)
    assert (run.state, run.error) == (RunState.DONE, "")


def test_a_queued_run_is_cancelled_at_once(user) -> None:
    run = open_run("import", user=user)
    cancel_run(run)
    assert run.state == RunState.CANCELLED
    assert not start_run(run)


def test_a_running_run_hears_of_its_cancellation_and_ends_itself(user) -> None:
    run = open_run("import", user=user)
    start_run(run)
    assert report_progress(run, done=1)
    cancel_run(run)
    cancel_run(run)
    assert run.state == RunState.RUNNING
    assert not report_progress(run, done=2)
    cancel_run(run, stopped=True)
    assert run.state == RunState.CANCELLED


def test_an_interrupted_run_begins_again_with_its_first_start(user) -> None:
    run = open_run("import", user=user)
    start_run(run)
    first = run.started_at
    assert JobRun.objects.filter(kind="import").open().get() == run
    assert start_run(run)
    assert run.started_at == first
    assert lose_run(run)
    assert (run.state, JobRun.objects.open().count()) == (RunState.UNKNOWN, 0)


def test_a_person_sees_their_own_runs_alone_and_an_agent_none(user) -> None:
    other = get_user_model().objects.create(username="bob")
    mine, _theirs, _system = open_run("a", user=user), open_run("a", user=other), open_run("a")
    coder = ensure_agent(user=user, name="coder")
    assert list(JobRun.objects.visible_to(principal_of_user(user))) == [mine]
    assert list(JobRun.objects.visible_to(principal_of_agent(coder, ZoneInfo("UTC")))) == []
    assert list(JobRun.objects.visible_to(worker_principal(user.pk, "alice"))) == []


@pytest.mark.parametrize(
    "values",
    [
        {"state": "resting"},
        {"state": "done"},
        {"state": "queued", "finished_at": timezone.now()},
        {"done": 5, "total": 4},
        {"done": -1},
    ],
)
def test_the_database_refuses_runs_that_cannot_be(user, values: dict[str, object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        JobRun.objects.create(kind="import", user=user, **values)
    JobRun.objects.create(kind="import", user=user)


def test_old_runs_are_forgotten_and_young_ones_kept(user) -> None:
    old, young, waiting = (open_run("import", user=user) for _ in range(3))
    for run in (old, young):
        finish_run(run, result={})
    JobRun.objects.filter(pk=old.pk).update(finished_at=timezone.now() - timedelta(days=31))
    assert forget_runs(0.0) is False
    assert set(JobRun.objects.all()) == {young, waiting}


@pytest.mark.django_db
def test_what_waits_for_a_node_that_is_gone_is_forgotten() -> None:
    day = timedelta(days=1)
    for key, since in (("gone", day + timedelta(minutes=1)), ("back soon", day - timedelta(minutes=1))):
        OrmQ.objects.create(key=key, payload="", lock=timezone.now() - since)
    forget_runs(0.0)
    assert [row.key for row in OrmQ.objects.all()] == ["back soon"]


def test_a_plan_for_the_same_thing_moves_the_one_there_is(user) -> None:
    later, sooner = timezone.now() + timedelta(hours=2), timezone.now() - timedelta(hours=1)
    plan_task("digest", at=later, user=user)
    assert list(Task.objects.due("digest")) == []
    task = plan_task("digest", at=sooner, user=user)
    plan_task("digest", at=later, user=user, subject="other")
    plan_task("digest", at=later)
    plan_task("digest", at=later)
    assert list(Task.objects.due("digest")) == [task]
    assert list(Task.objects.due("another")) == []
    assert Task.objects.count() == 3


def test_each_failure_waits_twice_as_long_and_never_beyond_six_hours(user) -> None:
    task = plan_task("digest", at=timezone.now(), user=user)
    waits = []
    for _ in range(12):
        back_off(task, error="unavailable")
        waits.append(round((task.next_at - timezone.now()).total_seconds()))
    assert waits[:3] == pytest.approx([30, 60, 120], abs=2)
    assert waits[-1] == pytest.approx(6 * 3600, abs=2)
    assert (task.attempts, task.last_error) == (12, "unavailable")
    assert plan_task("digest", at=timezone.now(), user=user).attempts == 0


@pytest.mark.django_db
def test_a_worker_is_alive_for_thirty_seconds_after_its_beat() -> None:
    assert not worker_alive()
    beat("here")
    beat("here")
    assert worker_alive()
    assert worker_alive("here")
    assert not worker_alive("there")
    WorkerBeat.objects.update(at=timezone.now() - timedelta(seconds=31))
    assert not worker_alive()
    WorkerBeat.objects.update(at=timezone.now() - timedelta(days=2))
    beat("there")
    assert list(WorkerBeat.objects.values_list("node", flat=True)) == ["there"]
    stop_beating("there")
    assert not worker_alive()


def test_deleting_a_person_leaves_nothing_behind(user) -> None:
    open_run("import", user=user)
    plan_task("digest", at=timezone.now(), user=user)
    kept = open_run("import")
    get_user_model().objects.filter(pk=user.pk).delete()
    assert list(JobRun.objects.all()) == [kept]
    assert Task.objects.count() == 0
