"""What ``/ready`` asks of this app."""

from pawflow_web.jobs.services import worker_alive
from pawflow_web.web.health import readiness


@readiness.register("worker")
def worker_is_alive() -> bool:
    return worker_alive()
