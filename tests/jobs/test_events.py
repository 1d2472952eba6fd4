"""The stream of a job over a real server: every change, an end, and nobody held up by those who listen."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import finish_run, open_run, report_progress, start_run
from pawflow_web.lib.db import execute
from tests.factories import make_owner, make_person_token
from tests.jobs.conftest import eventually
from tests.live import Live, live, live_server_process

__all__ = ["live", "live_server_process"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(transactional_db: None) -> JobRun:
    return open_run("import", user=make_owner("alice"))


@pytest.fixture
def person(live: Live, run: JobRun) -> Live:
    assert run.user is not None
    return live.bearing(make_person_token(run.user))


@contextmanager
def listening(person: Live, run: JobRun) -> Iterator[http.client.HTTPResponse]:
    address = urlsplit(person.base)
    client = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    try:
        client.request("GET", f"/api/v1/jobs/{run.ref}/events", headers=dict(person.headers))
        yield client.getresponse()
    finally:
        client.close()


def told(reply: http.client.HTTPResponse) -> dict[str, Any]:
    """The next event."""
    while True:
        line = reply.readline()
        assert line, "the stream ended"
        if line.startswith(b"data: "):
            event: dict[str, Any] = json.loads(line[6:])
            return event


def test_it_tells_each_change_and_ends_with_the_job(person: Live, run: JobRun) -> None:
    with listening(person, run) as reply:
        assert reply.status == 200
        assert reply.getheader("content-type", "").startswith("text/event-stream")
        assert told(reply)["state"] == "queued"
        start_run(run)
        assert told(reply)["state"] == "running"
        report_progress(run, done=3, total=10, current="line 3")
        progress = told(reply)["progress"]
        assert (progress["done"], progress["total"], progress["current"]) == (3, 10, "line 3")
        finish_run(run, result={"rows": 10})
        last = told(reply)
        assert (last["state"], last["result"]) == ("done", {"rows": 10})
        assert reply.read().strip() == b""


def test_a_job_that_has_ended_is_told_once(person: Live, run: JobRun) -> None:
    finish_run(run, result={})
    with listening(person, run) as reply:
        assert told(reply)["state"] == "done"
        assert reply.read().strip() == b""


def test_a_job_that_is_forgotten_meanwhile_ends_the_stream(person: Live, run: JobRun) -> None:
    with listening(person, run) as reply:
        told(reply)
        JobRun.objects.filter(pk=run.pk).delete()
        assert reply.read().strip() == b""


def test_many_who_listen_hold_neither_connections_nor_anybody_up(person: Live, run: JobRun) -> None:
    listeners = [listening(person, run) for _ in range(30)]
    replies = [listener.__enter__() for listener in listeners]
    try:
        assert {told(reply)["state"] for reply in replies} == {"queued"}
        for _ in range(5):
            assert person.get("/api/v1/jobs").status == 200
        # What a look needs is given back at once: far fewer sessions than listeners.
        sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        eventually(lambda: execute(sessions)[0][0] < 12)
        start_run(run)
        assert {told(reply)["state"] for reply in replies} == {"running"}
    finally:
        for listener in listeners:
            listener.__exit__(None, None, None)
