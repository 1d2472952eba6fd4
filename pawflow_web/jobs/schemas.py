"""Shapes of jobs."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.progress import progress_of
from pawflow_web.lib.periods import iso


class ProgressOut(BaseModel):
    done: int
    total: int | None = Field(description="null while nobody knows how much there is")
    current: str | None = Field(description="what it is at")
    rate: float | None = Field(description="things a second")
    eta_s: int | None = Field(description="seconds that are left, as far as one can tell")


class JobOut(BaseModel):
    """One piece of long work."""

    ref: str
    kind: str
    state: str = Field(description="queued, running, done, failed, cancelled or unknown")
    progress: ProgressOut
    result: dict[str, Any] | None = Field(description="what came of it, once it is done")
    error: str | None = Field(description="why it failed")
    created_at: str | None
    started_at: str | None
    finished_at: str | None

    @classmethod
    def of(cls, run: JobRun, now: datetime) -> "JobOut":
        progress = progress_of(run, now)
        return cls(
            ref=run.ref,
            kind=run.kind,
            state=run.state,
            progress=ProgressOut(
                done=progress.done,
                total=progress.total,
                current=progress.current,
                rate=progress.rate,
                eta_s=progress.eta_s,
            ),
            result=run.result,
            error=run.error or None,
            created_at=iso(run.created_at),
            started_at=iso(run.started_at),
            finished_at=iso(run.finished_at),
        )


class JobsOut(BaseModel):
    items: list[JobOut]
    next: str | None
