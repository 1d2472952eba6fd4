"""A decision over more beliefs than a request waits for: in slices, each kept whole."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.errors import Unavailable
from review import lifecycle
from review.models import Batch, GovernanceItem, JournalEntry
from review.queue import background
from review.queue.background import begin, work
from review.queue.matching import Matching
from review.queue.waiting import Wanted
from tests.factories import make_owner
from tests.review.beliefs import Parties, again, differences
from tests.review.in_the_background import (
    KilledError,
    accept_all,
    accepted,
    count,
    drain,
    end,
    everything,
    kill_when,
    small,
)
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose

__all__ = ["end", "small"]


def test_each_is_decided_by_itself_and_all_are_named_together(parties: Parties, end: float) -> None:
    plain = bring_file(parties.user, [f"Service {n} is up." for n in range(10)])
    flagged = propose(parties.user, HOSTILE)
    _standing, rival = contradict(parties.user, "Staging is in Dublin.", "Staging is in Frankfurt.")
    run = accept_all(parties)
    assert (run.state, count("active")) == ("queued", 1)
    drain(end)
    run.refresh_from_db()
    assert (run.state, run.done, run.total) == ("done", 12, 12)
    batch = Batch.objects.get(ref=run.arguments["batch"])
    assert run.result == {
        "verb": "accept", "batch": batch.ref, "done": 10, "left": {"flagged": 1, "contradicts": 1},
    }  # fmt: skip
    assert (again(flagged).status, again(rival).status) == ("needs_review", "needs_review")
    assert accepted(parties) == [item.pk for item in plain]
    assert len(set(batch.decisions)) == 10
    entry = JournalEntry.objects.filter(decision=batch.decisions[0], verb="accept").get()
    assert (entry.actor_kind, entry.payload.note) == ("person", "all of it")
    assert differences(parties.user) == []


@pytest.mark.parametrize("before", [True, False], ids=["in a slice", "between slices"])
@pytest.mark.parametrize("at", [3, 9])
def test_a_killed_worker_is_followed_by_one_that_decides_nothing_twice(
    parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch, at: int, before: bool
) -> None:
    bring_file(
        parties.user, [*(f"Service {n} is up." for n in range(7)), HOSTILE, *(f"Host {n} is up." for n in range(7))]
    )
    run = accept_all(parties)
    with monkeypatch.context() as dying:
        kill_when(dying, lambda seen: seen.arguments["so_far"]["seen"] >= at, before=before)
        with pytest.raises(KilledError):
            work(end)
    run.refresh_from_db()
    assert run.state == "running"
    decided = len(accepted(parties))
    assert decided == Batch.objects.get().decisions.__len__() == run.arguments["so_far"]["done"] < 14
    assert run.done == run.arguments["so_far"]["seen"]
    drain(end)
    run.refresh_from_db()
    assert (run.state, run.result["done"], run.result["left"]) == ("done", 14, {"flagged": 1})
    assert len(accepted(parties)) == len(set(accepted(parties))) == 14
    assert len(Batch.objects.get().decisions) == 14
    assert differences(parties.user) == []


def test_what_came_after_the_question_is_not_decided(parties: Parties, end: float) -> None:
    before = bring_file(parties.user, [f"Service {n} is up." for n in range(6)])
    rejected = propose(parties.user, "The canary is green.")
    lifecycle.reject(principal=parties.person, reference=rejected.ref)
    asked = everything(parties)
    later = bring_file(parties.user, ["This came later."])[0]
    lifecycle.restore(principal=parties.person, reference=rejected.ref)
    again_asked = Matching.now(parties.person, Wanted(), upto=asked.upto)
    assert again_asked.number == 6
    begin(user=parties.user, verb="accept", comment="", matching=again_asked)
    last = bring_file(parties.user, ["And this last."])[0]
    drain(end)
    assert {again(item).status for item in before} == {"active"}
    assert {again(item).status for item in (later, last, rejected)} == {"needs_review"}


def test_what_changed_meanwhile_is_counted_and_left(parties: Parties, end: float) -> None:
    items = bring_file(parties.user, [f"Service {n} is up." for n in range(8)])
    run = accept_all(parties)
    lifecycle.reject(principal=parties.person, reference=items[0].ref)
    pinned = again(items[1])
    lifecycle.edit(principal=parties.person, reference=pinned.ref, revision=pinned.revision, changes={"pinned": True})
    drain(end)
    run.refresh_from_db()
    assert (run.result["done"], run.result["left"]) == (6, {"changed": 2})
    assert [again(item).status for item in items[:3]] == ["rejected", "needs_review", "active"]


def test_beliefs_named_one_by_one(parties: Parties, end: float) -> None:
    items = bring_file(parties.user, [f"Service {n} is up." for n in range(8)])
    GovernanceItem.objects.filter(pk=items[7].pk).update(revision=2)
    named = [(item.ref, 1) for item in items] + [("0123456789ab", None)]
    run = begin(user=parties.user, verb="reject", comment="", named=named)
    drain(end)
    run.refresh_from_db()
    assert (run.result["done"], run.result["left"]) == (7, {"changed": 1, "gone": 1})
    assert run.arguments["so_far"]["stayed"] == [items[7].ref, "0123456789ab"]
    assert count("rejected") == 7


def test_the_same_answer_twice_is_one_run(parties: Parties, end: float) -> None:
    bring_file(parties.user, [f"Service {n} is up." for n in range(8)])
    first, second = accept_all(parties, question="a1"), accept_all(parties, question="a1")
    assert first.pk == second.pk
    drain(end)
    assert accept_all(parties, question="a1").pk == first.pk
    assert accept_all(parties, question="b2").pk != first.pk
    assert begin(user=make_owner("bo"), verb="accept", comment="", question="a1").pk != first.pk


@pytest.mark.django_db(transaction=True)
def test_two_answers_at_the_same_moment_are_one_run() -> None:
    parties = Parties.of(make_owner("alice"))
    bring_file(parties.user, [f"Service {n} is up." for n in range(3)])
    asked, runs, start = everything(parties), [], threading.Barrier(2)

    def answer() -> None:
        start.wait()
        runs.append(begin(user=parties.user, verb="accept", comment="", matching=asked, question="a1").pk)
        connection.close()

    both = [threading.Thread(target=answer) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(runs) == 2
    assert len(set(runs)) == JobRun.objects.count() == Batch.objects.count() == 1


def test_a_queued_one_is_cancelled_at_once_and_keeps_no_words(parties: Parties, end: float) -> None:
    bring_file(parties.user, [f"Service {n} is up." for n in range(6)])
    run = accept_all(parties)
    assert run.arguments["comment"] == "all of it"
    cancel_run(run)
    drain(end)
    run.refresh_from_db()
    assert (run.state, "comment" in run.arguments, count("active")) == ("cancelled", False, 0)


def test_what_nobody_foresaw_fails_the_run_and_keeps_what_was_done(
    parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_file(parties.user, [f"Service {n} is up." for n in range(9)])
    run = accept_all(parties)
    decide = background.decide_one

    def breaks(**given: Any) -> Any:
        if count("active") == 6:
            raise ZeroDivisionError
        return decide(**given)

    monkeypatch.setattr(background, "decide_one", breaks)
    drain(end)
    run.refresh_from_db()
    assert (run.state, run.done, len(Batch.objects.get().decisions)) == ("failed", 6, 6)
    assert "reference" in run.error
    assert "comment" not in run.arguments


def test_a_busy_owner_is_waited_for(parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    bring_file(parties.user, [f"Service {n} is up." for n in range(6)])
    run = accept_all(parties)
    with monkeypatch.context() as busy:

        def taken(*_given: Any) -> Iterator[Any]:
            raise Unavailable("busy", retry_after=1)

        busy.setattr(background, "one_slice", taken)
        assert work(end)
    drain(end)
    run.refresh_from_db()
    assert (run.state, run.done) == ("done", 6)
