"""Imports of the worker: which file stays, whose turn it is, and files that are too long for a turn."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from memory.importers import background, uploads
from memory.importers.background import _Watch, start_import
from memory.importers.report import Report
from memory.importers.run import import_file
from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run, finish_run, open_run
from review.models import GovernanceItem

CODE = "```\nx = 1\n```\n"


def notes(number: int) -> str:
    return "".join(f"- likes tea number {at}\n" for at in range(number))


def send(user: User, text: str, name: str = "notes.md") -> JobRun:
    return start_import([text.encode()], user=user, name=name)


def work() -> bool:
    return background.work(time.monotonic() + 30)


@pytest.fixture(autouse=True)
def no_uploads() -> Iterator[None]:
    for token in uploads.kept():
        uploads.discard(token)
    yield
    for token in uploads.kept():
        uploads.discard(token)


# --- files --------------------------------------------------------------------------------------------------------


def test_a_file_that_comes_while_the_worker_tidies_is_brought(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[JobRun] = []
    original = uploads.kept

    def kept() -> dict[str, float]:
        if not came:
            came.append(send(alice, notes(3)))
        return original()

    monkeypatch.setattr(uploads, "kept", kept)
    while work():
        pass

    came[0].refresh_from_db()
    assert (came[0].state, came[0].error) == ("done", "")
    assert GovernanceItem.objects.filter(user=alice).count() == 3


def test_a_file_stays_as_long_as_it_may_be_wanted(alice: User) -> None:
    tokens = [uploads.save([b"words"]).token for _ in range(4)]
    waiting, over, young, old = tokens
    open_run("import", user=alice, arguments={"file": waiting})
    finish_run(open_run("import", user=alice, arguments={"file": over}), result={})
    for token in (waiting, old):
        before = time.time() - background._LEFT_AFTER_S - 60
        os.utime(uploads.path_of(token), (before, before))

    background._tidy()

    assert set(uploads.kept()) == {waiting, young}


# --- turns --------------------------------------------------------------------------------------------------------


def test_an_import_that_is_alone_goes_on_in_one_pass(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_TURN_S", 0.0)
    run = send(alice, notes(350))

    assert not work()
    run.refresh_from_db()
    assert (run.state, GovernanceItem.objects.count()) == ("done", 350)


class Clock:
    """A moment that a test sets; the turn began at 0 in a slice that should end at 30."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.at = 0.0
        patch.setattr(background, "time", SimpleNamespace(monotonic=lambda: self.at, time=time.time))
        patch.setattr(background, "report_progress", lambda *_, **__: True)

    def watch(self, *, turn_s: float = 10.0, deadline: float = 30.0) -> Callable[..., bool]:
        run = cast("JobRun", SimpleNamespace(arguments={"size": 1}, done=0))
        watch = _Watch(run, turn_s, deadline)
        report = Report("markdown", "a", "", "alice", None, dry_run=False, counted={})

        def goes_on(at: float, *, catching_up: bool = False) -> bool:
            self.at, report.catching_up = at, catching_up
            return watch.goes_on(report)

        goes_on.watch = watch  # type: ignore[attr-defined]
        return goes_on


@pytest.mark.parametrize(
    ("turn_s", "first_new", "ends"),
    [
        (10.0, 0.0, 10.0),
        (10.0, 8.0, 18.0),
        (10.0, 12.0, 24.0),
        (10.0, 18.0, 36.0),
        (10.0, 30.0, 50.0),
        (float("inf"), 0.0, 30.0),
        (float("inf"), 10.0, 30.0),
        (float("inf"), 20.0, 40.0),
        (float("inf"), 39.0, 50.0),
    ],
)
def test_a_turn_lasts_as_long_as_it_took_to_come_to_what_is_new(
    monkeypatch: pytest.MonkeyPatch, turn_s: float, first_new: float, ends: float
) -> None:
    goes_on = Clock(monkeypatch).watch(turn_s=turn_s)

    assert goes_on(first_new, catching_up=True)
    assert goes_on(first_new)
    assert goes_on(ends - 0.01)
    assert not goes_on(ends)


def test_a_turn_that_began_late_ends_with_its_slice_and_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    clock.at = 25.0
    goes_on = clock.watch()

    assert goes_on(49.0, catching_up=True)
    assert not goes_on(50.0, catching_up=True)
    assert not goes_on.watch.too_long  # type: ignore[attr-defined]


def test_reading_that_takes_a_whole_turn_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = Clock(monkeypatch).watch()

    assert goes_on(40.0, catching_up=True)
    assert not goes_on(40.1, catching_up=True)
    assert goes_on.watch.too_long  # type: ignore[attr-defined]


def test_a_file_that_is_too_long_for_the_worker_says_so_and_can_go_on(
    alice: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = notes(2) + CODE + notes(350)
    path = tmp_path / "notes.md"
    path.write_text(text)
    with monkeypatch.context() as patch:
        patch.setattr(background, "_TURN_S", 0.0)
        run, other = send(alice, text), send(alice, "- likes coffee\n", "small.md")
        assert work()
    stored = GovernanceItem.objects.filter(text__contains="tea").count()
    assert 0 < stored < 350
    with monkeypatch.context() as patch:
        patch.setattr(background, "_READING_MOST_S", -1.0)
        work()

    run.refresh_from_db()
    other.refresh_from_db()
    assert run.state == "failed"
    assert "manage.py import" in run.error
    assert GovernanceItem.objects.filter(text__contains="tea").count() == stored
    assert run.arguments["file"] not in uploads.kept()
    report = import_file(format_name="markdown", path=path, owner="alice").value()
    assert report["resumed_at_line"] is not None
    assert (report["items"]["needs_review"], report["items"]["duplicates"]) == (350, 2)


def test_a_cancel_is_heard_while_known_notes_are_passed_over(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(background, "_TURN_S", 0.0)
        run, _ = send(alice, notes(350)), send(alice, "- likes coffee\n", "small.md")
        work()
    stored = GovernanceItem.objects.filter(text__contains="tea").count()
    cancel_run(JobRun.objects.get(pk=run.pk))
    work()

    run.refresh_from_db()
    assert run.state == "cancelled"
    assert 0 < GovernanceItem.objects.filter(text__contains="tea").count() == stored < 350
