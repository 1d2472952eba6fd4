"""Jobs over REST: the shape, who sees which, and the end that somebody asks for."""

from datetime import timedelta

import pytest
from django.utils import timezone

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import fail_run, finish_run, open_run, report_progress, start_run
from tests.factories import make_owner, make_person_token, make_token
from tests.surfaces.conftest import Rest

KEYS = {"ref", "kind", "state", "progress", "result", "error", "created_at", "started_at", "finished_at"}


@pytest.fixture
def alice(db: None) -> User:
    return make_owner("alice")


@pytest.fixture
def person(alice: User) -> Rest:
    return Rest(make_person_token(alice))


def test_a_job_tells_how_far_it_is_and_how_long_it_will_take(alice: User, person: Rest) -> None:
    run = open_run("import", user=alice)
    queued = person.get(f"/jobs/{run.ref}").json
    assert set(queued) == KEYS
    assert queued["progress"] == {"done": 0, "total": None, "current": None, "rate": None, "eta_s": None}
    assert (queued["state"], queued["result"], queued["error"], queued["finished_at"]) == ("queued", None, None, None)

    start_run(run)
    report_progress(run, done=20_000, total=100_000, current="line 20000")
    # so long ago that a slow answer changes nothing
    JobRun.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(seconds=2000))
    running = person.get(f"/jobs/{run.ref}").json
    assert running["state"] == "running"
    assert running["progress"] == {
        "done": 20_000,
        "total": 100_000,
        "current": "line 20000",
        "rate": pytest.approx(10, abs=0.5),
        "eta_s": pytest.approx(8000, abs=400),
    }

    finish_run(run, result={"rows": 100_000})
    done = person.get(f"/jobs/{run.ref}").json
    assert (done["state"], done["result"]) == ("done", {"rows": 100_000})
    assert done["finished_at"].endswith("Z")
    assert done["progress"]["eta_s"] is None


def test_a_failed_job_says_why(alice: User, person: Rest) -> None:
    run = open_run("import", user=alice)
    start_run(run)
    fail_run(run, error="The file cannot be read.")
    assert person.get(f"/jobs/{run.ref}").json["error"] == "The file cannot be read."


def test_the_list_is_the_newest_first_and_goes_on_behind_its_cursor(alice: User, person: Rest) -> None:
    refs = [open_run("import", user=alice).ref for _ in range(5)][::-1]
    first = person.get("/jobs?limit=3").json
    second = person.get(f"/jobs?limit=3&cursor={first['next']}").json
    assert [job["ref"] for job in first["items"] + second["items"]] == refs
    assert second["next"] is None
    assert person.get("/jobs?cursor=abc").status == 422
    assert person.get("/jobs?limit=0").status == 422


@pytest.mark.parametrize("rows", [1, 30])
def test_the_list_costs_the_same_for_one_and_for_thirty(
    alice: User, person: Rest, django_assert_num_queries: object, rows: int
) -> None:
    for _ in range(rows):
        open_run("import", user=alice)
    person.get("/jobs")
    # token, jobs, now
    with django_assert_num_queries(3):  # type: ignore[operator]
        assert len(person.get("/jobs?limit=50").json["items"]) == rows


def test_a_job_of_a_person_exists_for_nobody_else(alice: User, person: Rest) -> None:
    coder = Rest(make_token(alice, agent="coder"))
    of_person, of_nobody = open_run("import", user=alice), open_run("sweep")

    assert coder.get("/jobs").json == {"items": [], "next": None}
    assert [job["ref"] for job in person.get("/jobs").json["items"]] == [of_person.ref]
    assert person.get(f"/jobs/{of_person.ref}").status == 200
    for rest, run in ((coder, of_person), (person, of_nobody)):
        for method, path in (("GET", ""), ("POST", "/cancel"), ("GET", "/events")):
            foreign = rest.send(method, f"/jobs/{run.ref}{path}")
            never = rest.send(method, f"/jobs/0123456789ab{path}")
            assert (foreign.status, never.status) == (404, 404)
            assert foreign.body.replace(run.ref.encode(), b"-") == never.body.replace(b"0123456789ab", b"-")
    assert {run.state for run in JobRun.objects.all()} == {"queued"}


def test_a_job_is_cancelled_once_and_a_running_one_hears_of_it(alice: User, person: Rest) -> None:
    waiting, running = open_run("import", user=alice), open_run("import", user=alice)
    start_run(running)
    assert person.post(f"/jobs/{waiting.ref}/cancel").json["state"] == "cancelled"
    again = person.post(f"/jobs/{waiting.ref}/cancel")
    assert (again.status, again.error["code"], again.error["fields"]) == (
        409,
        "invalid_transition",
        {"status": "cancelled"},
    )
    assert person.post(f"/jobs/{running.ref}/cancel").json["state"] == "running"
    assert not report_progress(running, done=1)
    assert person.post(f"/jobs/{running.ref}/cancel", {"why": "because"}).status == 422


def test_cancelling_needs_the_ability_to_write(alice: User) -> None:
    token = make_token(alice, agent=None, abilities=("read",))
    run = open_run("import", user=alice)
    assert Rest(token).get(f"/jobs/{run.ref}").status == 200
    assert Rest(token).post(f"/jobs/{run.ref}/cancel").status == 403


def test_under_another_server_the_stream_is_the_present_state(alice: User, person: Rest) -> None:
    run = open_run("import", user=alice)
    reply = person.get(f"/jobs/{run.ref}/events")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.body.startswith(b"retry: 1000\n\ndata: {")
    assert reply.body.endswith(b"}\n\n")
