"""REST routes of jobs: a person's own. No agent begins any yet, so to one there are none."""

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from pawflow_web.identity.clock import now
from pawflow_web.identity.rest import call_of, reader, writer
from pawflow_web.jobs import events
from pawflow_web.jobs.reading import find_run, runs_page
from pawflow_web.jobs.schemas import JobOut, JobsOut
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.rest_types import Cursor, Limit

router = Router(tags=["jobs"])


@router.get("/jobs", auth=reader, response=JobsOut)
def jobs(request: HttpRequest, limit: Limit = 50, cursor: Cursor = None) -> JobsOut:
    """Jobs of every state, the newest first. Those that ended a month ago are forgotten."""
    page = runs_page(call_of(request).principal, limit=limit, cursor=cursor)
    moment = now()
    return JobsOut(items=[JobOut.of(run, moment) for run in page.rows], next=page.next)


@router.get("/jobs/{ref}", auth=reader, response=JobOut)
def job(request: HttpRequest, ref: str) -> JobOut:
    """One job and how far it is."""
    return JobOut.of(find_run(call_of(request).principal, ref), now())


@router.post("/jobs/{ref}/cancel", auth=writer, response=JobOut)
def cancel(request: HttpRequest, ref: str) -> JobOut:
    """Ask for its end: one that waits is cancelled at once, one that runs when it next looks."""
    run = find_run(call_of(request).principal, ref)
    cancel_run(run)
    return JobOut.of(run, now())


@router.get(
    "/jobs/{ref}/events",
    auth=reader,
    openapi_extra={"responses": {200: {"description": "events", "content": {"text/event-stream": {}}}}},
)
def job_events(request: HttpRequest, ref: str) -> StreamingHttpResponse:
    """Server-sent events: the job as it is now, and again with every change until it ends, or for a minute. Then ask
    again."""
    return events.stream(request, call_of(request).principal, ref)
