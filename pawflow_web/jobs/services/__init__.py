"""What other apps call: wake a drain, plan a task, keep a run's state, ask whether a worker is alive."""

from pawflow_web.jobs.services.beats import beat, stop_beating, worker_alive
from pawflow_web.jobs.services.runs import (
    cancel_run,
    fail_run,
    finish_run,
    lose_run,
    open_run,
    report_progress,
    start_run,
)
from pawflow_web.jobs.services.schedules import back_off, plan_nightly, plan_task, put_off_to_next_night
from pawflow_web.jobs.services.waking import wake

__all__ = [
    "back_off",
    "beat",
    "cancel_run",
    "fail_run",
    "finish_run",
    "lose_run",
    "open_run",
    "plan_nightly",
    "plan_task",
    "put_off_to_next_night",
    "report_progress",
    "start_run",
    "stop_beating",
    "wake",
    "worker_alive",
]
