"""What the worker decided over many is taken back together, in slices as well."""

from typing import Any

import pytest

from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.errors import Conflict, InvalidTransition, NotFound
from review import lifecycle
from review.lifecycle import undo_batch
from review.models import Batch, JournalEntry
from review.queue import background
from review.queue.background import begin_undo, work
from tests.review.beliefs import Parties, again, differences, said, states
from tests.review.in_the_background import KilledError, accept_all, count, drain, end, kill_when, small
from tests.web.beliefs import bring_file

__all__ = ["end", "small"]


def cancel_after(monkeypatch: pytest.MonkeyPatch, seen: int) -> None:
    keep = background._keep

    def kept(run: JobRun, *rest: Any) -> None:
        keep(run, *rest)
        if run.arguments["so_far"]["seen"] == seen:
            cancel_run(run)

    monkeypatch.setattr(background, "_keep", kept)


def test_a_cancelled_one_stops_between_slices_and_can_be_taken_back(
    parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = bring_file(parties.user, [f"Service {n} is up." for n in range(12)])
    was = states(parties)
    run = accept_all(parties)
    cancel_after(monkeypatch, 6)
    drain(end)
    run.refresh_from_db()
    assert (run.state, run.done, run.result) == ("cancelled", 6, None)
    assert [again(item).status for item in items] == ["active"] * 6 + ["needs_review"] * 6
    undoing = begin_undo(user=parties.user, ref=run.arguments["batch"])
    assert undoing is not None
    drain(end)
    after = states(parties)
    assert {pk: state["status"] for pk, state in after.items()} == {pk: state["status"] for pk, state in was.items()}


def test_nobody_takes_back_what_is_still_under_way(parties: Parties, strangers: Parties, end: float) -> None:
    bring_file(parties.user, [f"Service {n} is up." for n in range(8)])
    run = accept_all(parties)
    with pytest.raises(Conflict) as refused:
        undo_batch(principal=parties.person, ref=run.arguments["batch"])
    assert refused.value.fields == {"job": run.ref}
    with pytest.raises(Conflict):
        begin_undo(user=parties.user, ref=run.arguments["batch"])
    drain(end)
    with pytest.raises(NotFound):
        begin_undo(user=strangers.user, ref=run.arguments["batch"])
    first = begin_undo(user=parties.user, ref=run.arguments["batch"])
    second = begin_undo(user=parties.user, ref=run.arguments["batch"])
    assert first == second is not None
    drain(end)
    with pytest.raises(InvalidTransition):
        begin_undo(user=parties.user, ref=run.arguments["batch"])


def test_a_killed_undo_goes_on_where_it_was(parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    items = bring_file(parties.user, [f"Service {n} is up." for n in range(12)])
    run = accept_all(parties)
    drain(end)
    lifecycle.end(principal=parties.person, reference=items[4].ref)
    undoing = begin_undo(user=parties.user, ref=run.arguments["batch"])
    assert undoing is not None
    with monkeypatch.context() as dying:
        kill_when(dying, lambda seen: seen.arguments["so_far"]["seen"] >= 6, before=True)
        with pytest.raises(KilledError):
            work(end)
    assert Batch.objects.get().undone_at is None
    drain(end)
    undoing.refresh_from_db()
    assert (undoing.state, undoing.result["done"], undoing.result["left"]) == ("done", 11, {"changed": 1})
    assert [again(item).status for item in items].count("needs_review") == 11
    assert JournalEntry.objects.filter(verb="undo").count() == 11
    assert Batch.objects.get().undone_at is not None
    assert differences(parties.user) == []


def test_hundreds_are_accepted_and_taken_back(parties: Parties, end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    bring_file(parties.user, [f"Service {n} is up." for n in range(450)])
    said(parties.coder, "Lives in Porto")
    was = states(parties)
    run = accept_all(parties)
    drain(end)
    run.refresh_from_db()
    assert (run.done, count("active"), len(Batch.objects.get().decisions)) == (450, 451, 450)
    undoing = begin_undo(user=parties.user, ref=run.arguments["batch"])
    assert undoing is not None
    drain(end)
    undoing.refresh_from_db()
    assert (undoing.state, undoing.result["done"], undoing.result["left"]) == ("done", 450, {})
    after = states(parties)
    moved = {name for pk, state in was.items() for name in state if state[name] != after[pk][name]}
    assert moved <= {"revision", "decided"}
    assert differences(parties.user) == []
