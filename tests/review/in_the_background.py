"""Decisions over many as the worker makes them, three a slice, and a process that dies while it is at it."""

import itertools
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pawflow_web.jobs.models import JobRun
from review.lifecycle import bulk
from review.models import GovernanceItem, JournalEntry
from review.queue import background
from review.queue.background import begin, work
from review.queue.matching import Matching
from review.queue.waiting import Wanted
from tests.review.beliefs import Parties


class KilledError(BaseException):
    """The process ends here."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three decisions a slice, whatever the machine; a job from six on."""
    monkeypatch.setattr(background, "WAIT_MOST", 5)
    monkeypatch.setattr(bulk, "SLICE_SECONDS", 3.0)
    ticks = itertools.count()
    monkeypatch.setattr(bulk, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))


@pytest.fixture
def end() -> float:
    return time.monotonic() + 600


def everything(parties: Parties, **wanted: Any) -> Matching:
    return Matching.now(parties.person, Wanted(**wanted))


def accept_all(parties: Parties, **more: Any) -> JobRun:
    return begin(user=parties.user, verb="accept", comment="all of it", matching=everything(parties), **more)


def drain(deadline: float) -> None:
    while work(deadline):
        pass


def count(status: str) -> int:
    return GovernanceItem.objects.filter(status=status).count()


def accepted(parties: Parties) -> list[int]:
    entries = JournalEntry.objects.filter(user=parties.user, verb="accept")
    return list(entries.order_by("seq").values_list("item_id", flat=True))


def kill_when(monkeypatch: pytest.MonkeyPatch, holds: Callable[[JobRun], bool], *, before: bool) -> None:
    """End the process while a slice is kept: with its transaction open, or right after it was committed."""
    keep, one_slice = background._keep, background.one_slice

    def kept(run: JobRun, *rest: Any) -> None:
        keep(run, *rest)
        if before and holds(run):
            raise KilledError

    def sliced(*given: Any) -> Any:
        done = one_slice(*given)
        if not before and holds(JobRun.objects.latest("pk")):
            raise KilledError
        return done

    monkeypatch.setattr(background, "_keep", kept)
    monkeypatch.setattr(background, "one_slice", sliced)
