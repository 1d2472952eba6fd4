"""Running drains: in slices, each under its lock."""

import time
from collections.abc import Callable

import structlog
from django.conf import settings

from pawflow_web.jobs.services.waking import announce_start, wake
from pawflow_web.lib.db import advisory_lock
from pawflow_web.lib.drains import Drain, lock_of, registry
from pawflow_web.lib.search import IndexWriteError

log = structlog.get_logger(__name__)

SLICE_S = 30.0
# The queue ends a task after 120 seconds; a slice that begins before this moment is over well before.
TASK_S = 60.0


def run_cluster_drain(kind: str) -> str:
    """What the queue runs: slices until nothing is left, or until it is another kind's turn.

    Returns what happened, for the queue's own record. Whoever finds the lock taken leaves the work to its
    holder, who therefore looks once more after unlocking: rows may have come between its last look and that.
    """
    drain = _drain(kind)
    try:
        announce_start(kind)
        return _until_done(drain)
    except Exception:
        # Logged here and not by the queue, which would keep the traceback, with whatever it quotes, as a row.
        log.exception("drain_failed", drain=kind)
        return "failed"


def _until_done(drain: Drain) -> str:
    give_up = time.monotonic() + TASK_S
    looked_again = False
    while True:
        with advisory_lock(_lock_of(drain)) as held:
            if not held:
                return "busy"
            more = drain.run(time.monotonic() + SLICE_S)
        if more and time.monotonic() > give_up:
            wake(drain.kind)
            return "more"
        if not more and looked_again:
            return "done"
        looked_again = not more


def run_node_drain(kind: str, *, stopping: Callable[[], bool]) -> None:
    """Slices of a drain of this machine until nothing is left. A failure is logged; a tick tries again."""
    drain = _drain(kind)
    try:
        while not stopping() and drain.run(time.monotonic() + SLICE_S):
            pass
    except IndexWriteError as error:
        log.warning("index_not_written", drain=kind, error=type(error).__name__, detail=str(error)[:200])
    except Exception:
        log.exception("drain_failed", drain=kind)


def _lock_of(drain: Drain) -> str:
    name = lock_of(drain.kind)
    return name if drain.where == "cluster" else f"{name} {settings.ENV.node}"


def _drain(kind: str) -> Drain:
    drain = registry.find(kind)
    if drain is None:
        raise LookupError(f"No drain is called {kind!r}.")
    return drain
