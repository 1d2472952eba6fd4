"""Decisions over more beliefs than a request waits for: the worker makes them in slices, each decision by itself.

What a slice decided, the batch that names it and how far the run is are one transaction. A worker that is killed
leaves nothing half done: the next one goes on behind the last slice that was kept.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from django.db import InterfaceError, OperationalError

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run, fail_run, finish_run, open_run, report_progress, start_run, wake
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Unavailable
from pawflow_web.web.errors import failure_of
from review.journal.acts import act
from review.journal.comments import Comment
from review.lifecycle import open_batch, standing_batch
from review.lifecycle.bulk import WORK, BulkResult, Deed, cause_of, decide_one, one_slice
from review.lifecycle.undoing import undo_one
from review.limits import WAIT_MOST
from review.models import Batch
from review.queue.matching import Matching

# So many are named one by one in a run; a search that found more leaves the rest for the next time.
NAMED_MOST = 5000
# So many of those that stayed are named, to be looked at.
STAYED_MOST = 100
# One run works so long before it is another one's turn.
TURN_S = 10.0
_CHUNK = 200


@dataclass(slots=True)
class SoFar:
    """How far a run is: behind which belief or place it goes on, and what became of those before."""

    past: int = 0
    seen: int = 0
    done: int = 0
    left: dict[str, int] = field(default_factory=dict)
    stayed: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, run: JobRun) -> "SoFar":
        return cls(**run.arguments["so_far"])

    def add(self, result: BulkResult, place: int) -> None:
        self.past, self.seen = place, self.seen + 1
        if result.error is None:
            self.done += 1
            return
        self.leave(cause_of(result.error), 1)
        if len(self.stayed) < STAYED_MOST:
            self.stayed.append(result.ref)

    def leave(self, cause: str, number: int) -> None:
        self.left[cause] = self.left.get(cause, 0) + number


# --- asking for it ------------------------------------------------------------------------------------------------


def begin(
    *,
    user: User,
    verb: str,
    comment: str,
    matching: Matching | None = None,
    named: Sequence[tuple[str, int | None]] = (),
    question: str = "",
) -> JobRun:
    """Have the worker decide all of ``matching``, or those that are ``named`` by reference and revision.

    Args:
        question: what tells the question that a person answered from every other; answered twice, it is one run.
    """
    principal = principal_of_user(user)
    given = {
        "verb": verb,
        "comment": Comment.of(comment),
        "matching": matching.value() if matching else None,
        "named": [list(one) for one in named[:NAMED_MOST]],
        "number": matching.number if matching else min(len(named), NAMED_MOST),
        "question": question,
    }
    # The owner's clock lets one of two that come at once wait for the other.
    with act(principal):
        runs = JobRun.objects.visible_to(principal).filter(kind=WORK)
        if question and (run := runs.filter(arguments__question=question).first()):
            return run
        return _open(user, {**given, "batch": open_batch(principal=principal, action=verb).ref})


def begin_undo(*, user: User, ref: str) -> JobRun | None:
    """Have the worker take back a bulk action; None for one of so few decisions that one can wait for it. Raises what
    :func:`~review.lifecycle.standing_batch` raises."""
    principal = principal_of_user(user)
    with act(principal):
        undos = JobRun.objects.visible_to(principal).filter(kind=WORK, arguments__verb="undo", arguments__batch=ref)
        if run := undos.open().first():
            return run
        batch = standing_batch(principal=principal, ref=ref)
        if len(batch.decisions) <= WAIT_MOST:
            return None
        return _open(user, {"verb": "undo", "batch": batch.ref, "number": len(batch.decisions)})


def _open(user: User, arguments: Mapping[str, Any]) -> JobRun:
    run = open_run(WORK, user=user, arguments={**arguments, "so_far": asdict(SoFar())})
    wake(WORK)
    return run


# --- doing it -----------------------------------------------------------------------------------------------------


def work(deadline: float) -> bool:
    """The drain: one turn of each run, the oldest first."""
    left = False
    for run in JobRun.objects.filter(kind=WORK).open().select_related("user"):
        if time.monotonic() > deadline:
            return True
        left = _turn(run, min(deadline, time.monotonic() + TURN_S)) or left
    _forget_comments()
    return left


def _turn(run: JobRun, until: float) -> bool:
    """Go on with one run for a while. Returns whether it has to go on after that."""
    if not start_run(run):
        return False
    try:
        return _decide(run, until)
    except Unavailable:
        # The owner is busy; the others need not wait for that.
        return True
    except (OperationalError, InterfaceError):
        # Another try may do better: the row stays as it is.
        raise
    except Exception as error:
        fail_run(run, error=failure_of(error, job=run.ref).message)
        return False


def _decide(run: JobRun, until: float) -> bool:
    assert run.user is not None  # noqa: S101 - these runs are a person's
    principal = principal_of_user(run.user)
    batch = Batch.objects.get(ref=run.arguments["batch"])
    steps: deque[_Step] = deque()
    while run.cancel_requested_at is None:
        steps = steps or deque(_steps(run, principal, batch))
        if not steps:
            _finish(run, principal, batch)
            return False
        if time.monotonic() > until:
            return True
        keep = partial(_keep, run, batch, steps)
        one_slice(principal, (step.deed for step in list(steps)), keep)
    cancel_run(run, stopped=True)
    return False


@dataclass(frozen=True, slots=True)
class _Step:
    """``place`` is behind which the run goes on after it."""

    place: int
    deed: Deed


def _steps(run: JobRun, principal: Principal, batch: Batch) -> Iterator[_Step]:
    """What comes next of what was asked for, :data:`_CHUNK` at most."""
    given, past = run.arguments, SoFar.of(run).past
    if given["verb"] == "undo":
        # The last one first, as one would by hand.
        for place, number in enumerate(batch.decisions[::-1][past : past + _CHUNK], start=past + 1):
            yield _Step(place, Deed("", partial(undo_one, principal=principal, batch=batch, number=number)))
        return
    comment = Comment.of(given["comment"])
    for place, ref, revision in _named(given, principal, past):
        wanted = {"action": given["verb"], "reference": ref, "revision": revision, "comment": comment}
        yield _Step(place, Deed(ref, partial(decide_one, principal=principal, **wanted)))


def _named(given: Mapping[str, Any], principal: Principal, past: int) -> list[tuple[int, str, int | None]]:
    if given["matching"] is None:
        rows = given["named"][past : past + _CHUNK]
        return [(place, ref, revision) for place, (ref, revision) in enumerate(rows, start=past + 1)]
    items = Matching.kept(given["matching"]).items(principal).filter(number__gt=past).order_by("number")
    return list(items.values_list("number", "ref", "revision")[:_CHUNK])


def _keep(run: JobRun, batch: Batch, steps: "deque[_Step]", results: Sequence[BulkResult]) -> None:
    """Write what a slice did, with what it did."""
    so_far = SoFar.of(run)
    for result in results:
        so_far.add(result, steps.popleft().place)
    numbers = [result.number for result in results if result.number is not None]
    if numbers and run.arguments["verb"] != "undo":
        execute("UPDATE review_batch SET decisions = decisions || %s::bigint[] WHERE id = %s", [numbers, batch.pk])
    _write(run, so_far)
    report_progress(run, done=so_far.seen, total=max(so_far.seen, run.arguments["number"]))


def _finish(run: JobRun, principal: Principal, batch: Batch) -> None:
    so_far, given = SoFar.of(run), run.arguments
    # Those that were among them when it was asked for, and are no longer what they were.
    if missing := max(0, given["number"] - so_far.seen):
        so_far.leave("changed", missing)
    with act(principal) as current:
        if given["verb"] == "undo":
            Batch.objects.filter(pk=batch.pk).update(undone_at=current.clock.at)
        _write(run, so_far)
        finish_run(run, result={"verb": given["verb"], "batch": batch.ref, "done": so_far.done, "left": so_far.left})


def _write(run: JobRun, so_far: SoFar) -> None:
    run.arguments = {**run.arguments, "so_far": asdict(so_far)}
    JobRun.objects.filter(pk=run.pk).update(arguments=run.arguments)


def _forget_comments() -> None:
    """A person's words beside a decision are in the journal, and erased there; what ended keeps none of its own."""
    execute(
        "UPDATE jobs_jobrun SET arguments = arguments - 'comment' "
        "WHERE kind = %s AND finished_at IS NOT NULL AND arguments ? 'comment'",
        [WORK],
    )
