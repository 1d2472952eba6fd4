"""States of a run. Each change is one conditional UPDATE, so that a cancel and an end cannot both win."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Value
from django.db.models.functions import Coalesce

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun, RunState
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.errors import InvalidTransition

_OPEN = (RunState.QUEUED, RunState.RUNNING)


def open_run(kind: str, *, user: User | None = None, arguments: Mapping[str, Any] | None = None) -> JobRun:
    """A queued run. Wake the drain that does it in the same transaction."""
    return JobRun.objects.create(kind=kind, user=user, arguments=dict(arguments or {}))


def start_run(run: JobRun) -> bool:
    """Begin, or begin again after an interruption. False: it was cancelled or ended meanwhile."""
    return _move(run, _OPEN, state=RunState.RUNNING, started_at=Coalesce("started_at", StatementNow()))


def report_progress(run: JobRun, *, done: int, total: int | None = None, current: str = "") -> bool:
    """How far it is. False: somebody asked for an end; clean up and call
    :func:`cancel_run` with ``stopped=True``."""
    _move(run, (RunState.RUNNING,), done=done, total=total, current=current[:200])
    return run.state == RunState.RUNNING and run.cancel_requested_at is None


def finish_run(run: JobRun, *, result: Mapping[str, Any]) -> bool:
    return _end(run, RunState.DONE, result=dict(result))


def fail_run(run: JobRun, *, error: str) -> bool:
    """``error`` is a sentence for the person who waits, without text that somebody else wrote."""
    return _end(run, RunState.FAILED, error=error[:500])


def lose_run(run: JobRun) -> bool:
    """Whoever was doing it is gone and nobody can say how it went."""
    return _end(run, RunState.UNKNOWN)


def cancel_run(run: JobRun, *, stopped: bool = False) -> None:
    """Ask for an end. A queued run is cancelled at once; a running one when its drain, which hears of it from
    :func:`report_progress`, calls this with ``stopped=True``. Raises InvalidTransition when it has ended."""
    if _end(run, RunState.CANCELLED, only=_OPEN if stopped else (RunState.QUEUED,)):
        return
    asked = Coalesce("cancel_requested_at", StatementNow())
    if not _move(run, (RunState.RUNNING,), cancel_requested_at=asked):
        raise InvalidTransition(
            f"This job is {run.state} and can no longer be cancelled.", fields={"status": run.state}
        )


def _end(run: JobRun, state: RunState, *, only: tuple[RunState, ...] = _OPEN, **values: Any) -> bool:
    return _move(run, only, state=state, finished_at=StatementNow(), current=Value(""), **values)


def _move(run: JobRun, only: tuple[RunState, ...], **values: Any) -> bool:
    moved = JobRun.objects.filter(pk=run.pk, state__in=only).update(**values)
    run.refresh_from_db()
    return moved == 1
