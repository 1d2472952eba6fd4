"""Drains that leave traces: they do queued runs of their kind, and write down when they begin and end."""

import os
import time
from pathlib import Path

from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import finish_run, start_run
from pawflow_web.lib.drains import drain

FOLDER = Path(os.environ.get("PROBE_FOLDER", "/nonexistent"))


def note(line: str) -> None:
    with (FOLDER / "notes").open("a") as notes:
        notes.write(f"{line}\n")


@drain("probe")
def probe(deadline: float) -> bool:
    """Does one run a slice, so that several runs need several slices."""
    run = JobRun.objects.filter(kind="probe").open().first()
    if run is None:
        return False
    start_run(run)
    finish_run(run, result={"pid": os.getpid()})
    return JobRun.objects.filter(kind="probe").open().exists()


@drain("probe_held")
def probe_held(deadline: float) -> bool:
    """Stays under way for as long as the file ``hold`` exists."""
    if not (FOLDER / "hold").exists():
        return False
    note(f"held begin {os.getpid()}")
    while (FOLDER / "hold").exists():
        time.sleep(0.02)
    note(f"held end {os.getpid()}")
    return False


@drain("probe_failing")
def probe_failing(deadline: float) -> bool:
    note("failing")
    raise RuntimeError("this drain fails")


@drain("probe_node", where="node")
def probe_node(deadline: float) -> bool:
    note(f"node {os.getpid()}")
    return False
