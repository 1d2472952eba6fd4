"""How a run goes on, as server-sent events: its whole state with each change, until it ends.

A client costs a short look a second, on a thread that others use in between. The stream has an end of its own, after
which a browser asks again by itself.
"""

import asyncio
import time
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models.run import OPEN
from pawflow_web.jobs.reading import find_run
from pawflow_web.jobs.schemas import JobOut
from pawflow_web.lib.errors import NotFound

LOOK_S = 1.0
LONGEST_S = 55.0
# A line that says nothing, so that whatever stands between does not take the silence for the end.
SILENCE_S = 15.0
_RETRY = "retry: 1000\n\n"
_NOTHING_NEW = ": nothing new\n\n"


def stream(request: HttpRequest, principal: Principal, ref: str) -> StreamingHttpResponse:
    """The events of a run that the caller may see. Raises :class:`NotFound`."""
    first = _look(principal, ref)
    # Under any other server than ours a client gets the present state and asks again.
    parts = _events(principal, first) if isinstance(request, ASGIRequest) else iter((_RETRY, _event(first)))
    response = StreamingHttpResponse(parts, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _events(principal: Principal, job: JobOut) -> AsyncIterator[str]:
    # The thread of this request has nothing more to do; its connection is not to wait with it.
    await sync_to_async(_let_go)()
    yield _RETRY + _event(job)
    until = time.monotonic() + LONGEST_S
    said_at = time.monotonic()
    while job.state in OPEN and time.monotonic() < until:
        await asyncio.sleep(LOOK_S)
        try:
            seen = await sync_to_async(_look_once, thread_sensitive=False)(principal, job.ref)
        except NotFound:
            return
        if _said(seen) != _said(job):
            said_at = time.monotonic()
            yield _event(seen)
        elif time.monotonic() - said_at > SILENCE_S:
            said_at = time.monotonic()
            yield _NOTHING_NEW
        job = seen


def _look(principal: Principal, ref: str) -> JobOut:
    return JobOut.of(find_run(principal, ref), now())


def _look_once(principal: Principal, ref: str) -> JobOut:
    """On a thread that others use too."""
    try:
        return _look(principal, ref)
    finally:
        connection.close()


def _let_go() -> None:
    connection.close()


def _said(job: JobOut) -> dict[str, object]:
    """What a change is told for: a rate that sinks while nothing happens is none."""
    return job.model_dump(exclude={"progress": {"rate", "eta_s"}})


def _event(job: JobOut) -> str:
    return f"data: {job.model_dump_json()}\n\n"
