from datetime import timedelta

from pawflow_web.jobs.models import WorkerBeat
from pawflow_web.lib.db import StatementNow, execute

BEAT_S = 10
ALIVE_FOR = timedelta(seconds=30)
FORGET_AFTER = timedelta(days=1)


def beat(node: str) -> None:
    """Say that the worker of this node is alive, and forget those that have not been for a day."""
    execute(
        "INSERT INTO jobs_workerbeat (node, at) VALUES (%s, statement_timestamp()) "
        "ON CONFLICT (node) DO UPDATE SET at = excluded.at",
        [node],
    )
    WorkerBeat.objects.filter(at__lt=StatementNow() - FORGET_AFTER).delete()


def stop_beating(node: str) -> None:
    WorkerBeat.objects.filter(node=node).delete()


def worker_alive(node: str | None = None) -> bool:
    """Whether a worker, or the one of this node, was seen within the last 30 seconds."""
    alive = WorkerBeat.objects.filter(at__gte=StatementNow() - ALIVE_FOR)
    return (alive if node is None else alive.filter(node=node)).exists()
