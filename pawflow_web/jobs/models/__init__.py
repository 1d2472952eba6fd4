from pawflow_web.jobs.models.beat import WorkerBeat
from pawflow_web.jobs.models.run import JobRun, RunState
from pawflow_web.jobs.models.task import Task

__all__ = ["JobRun", "RunState", "Task", "WorkerBeat"]
