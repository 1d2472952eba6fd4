"""How far a run is and how long it will take, from what its row says."""

from dataclasses import dataclass
from datetime import datetime

from pawflow_web.jobs.models import JobRun, RunState


@dataclass(frozen=True, slots=True)
class Progress:
    """``rate`` is things a second over the whole run; ``eta_s`` seconds, only while it runs and the end is known."""

    done: int
    total: int | None
    current: str | None
    rate: float | None
    eta_s: int | None

    @property
    def percent(self) -> int | None:
        return None if not self.total else min(100, self.done * 100 // self.total)


def progress_of(run: JobRun, now: datetime) -> Progress:
    """``now`` is what the database calls so."""
    rate = None
    if run.started_at is not None and run.done:
        spent = ((run.finished_at or now) - run.started_at).total_seconds()
        rate = round(run.done / spent, 1) if spent > 0 else None
    eta = None
    if run.state == RunState.RUNNING and rate and run.total is not None:
        eta = round((run.total - run.done) / rate)
    return Progress(run.done, run.total, run.current or None, rate, eta)
