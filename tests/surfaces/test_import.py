"""``POST /import``: a file by its raw bytes, the report at once or a job."""

from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from memory.importers import background, uploads
from pawflow_web.identity.models import Agent, User
from pawflow_web.jobs.models import JobRun
from review.models import Evidence, GovernanceItem
from tests.factories import make_person_token
from tests.importers.files import SMALL, lines
from tests.live import Live
from tests.surfaces.conftest import Rest

FILE = lines(SMALL)


def work() -> None:
    while background.work(monotonic() + 30):
        pass


def test_a_file_becomes_a_job_whose_result_is_the_report(alice: User, person: Rest) -> None:
    sent = person.post("/import?format=mcp-memory&agent=coder&name=memory.jsonl", FILE)

    assert (sent.status, sent.json) == (202, {"job": JobRun.objects.get().ref, "state": "queued"})
    path = uploads.path_of(JobRun.objects.get().arguments["file"])
    assert path.read_bytes() == FILE
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert path.parent == settings.ENV.data_dir / "uploads"
    assert not GovernanceItem.objects.exists()
    work()

    job = person.get(f"/jobs/{sent.json['job']}").json
    assert (job["state"], job["kind"]) == ("done", "import")
    assert job["result"]["items"] == {
        "proposed": 5,
        "needs_review": 5,
        "duplicates": 0,
        "tombstoned": 0,
        "invalid": 0,
    }
    assert job["result"]["source"] == "memory.jsonl"
    assert not path.exists()
    assert Agent.objects.filter(user=alice, name="coder").exists()
    assert set(Evidence.objects.values_list("file", flat=True)) == {"memory.jsonl"}


def test_a_dry_run_answers_with_the_same_report_and_writes_nothing(alice: User, person: Rest) -> None:
    dry = person.post("/import?dry_run=true", FILE)
    assert dry.status == 200
    assert (dry.json["format"], dry.json["items"]["needs_review"], dry.json["dry_run"]) == ("mcp-memory", 5, True)
    assert not GovernanceItem.objects.exists()
    assert not JobRun.objects.exists()

    person.post("/import", FILE)
    work()

    assert {**dry.json, "dry_run": False} == JobRun.objects.get().result


@pytest.mark.parametrize(
    ("query", "body", "status", "code"),
    [
        ("format=chatgpt", FILE, 422, "invalid"),
        ("format=markdown", FILE, 422, "invalid"),
        ("agent=two+words", FILE, 422, "invalid"),
        ("dry_run=maybe", FILE, 422, "invalid"),
        ("path=/etc/passwd", FILE, 422, "invalid"),
        ("", b"PK\x03\x04" + b"0" * 50, 422, "invalid"),
        ("dry_run=true", b"PK\x03\x04" + b"0" * 50, 422, "invalid"),
        ("dry_run=true", b"x\n" * (9 * 2**20), 413, "too_large"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_not_kept(
    alice: User, person: Rest, query: str, body: bytes, status: int, code: str
) -> None:
    before = uploads.kept().keys()
    reply = person.post(f"/import?{query}", body)

    assert (reply.status, reply.error["code"]) == (status, code)
    assert not JobRun.objects.exists()
    assert uploads.kept().keys() == before


def test_more_than_a_file_may_have_is_refused_by_its_length(
    alice: User, person: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory.api import imports

    monkeypatch.setattr(imports, "UPLOAD_MOST", 100)
    assert person.post("/import", b"- likes tea\n").status == 202
    refused = person.post("/import", b"- likes tea\n" * 10)
    assert (refused.status, refused.error["code"]) == (413, "too_large")
    assert "larger than" in refused.error["message"]


def test_an_agent_may_not_import(alice: User, agent: Rest, person: Rest) -> None:
    assert agent.post("/import", FILE).status == 403
    assert not JobRun.objects.exists()
    assert person.post("/import", FILE).status == 202


def test_a_form_is_not_taken_for_a_file(alice: User, person: Rest) -> None:
    client = Client(headers={"Authorization": f"Bearer {make_person_token(alice)}"})
    reply = client.post("/api/v1/import", {"file": "x"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media")
    raw = client.post("/api/v1/import", FILE, content_type="application/x-www-form-urlencoded")
    assert raw.status_code == 202


def test_a_session_imports_with_the_token_of_its_page(alice: User) -> None:
    client = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1"})
    client.force_login(alice)
    url = "/api/v1/import?dry_run=true"
    assert client.post(url, FILE, content_type="application/octet-stream").status_code == 403
    client.get("/imports")
    token = client.cookies["csrftoken"].value

    reply = client.post(url, FILE, content_type="application/octet-stream", headers={"X-CSRFToken": token})

    assert (reply.status_code, reply.json()["items"]["needs_review"]) == (200, 5)


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_long_body_is_streamed_over_real_http(live: Live, tmp_path: Path) -> None:
    from tests.factories import make_owner

    alice = make_owner("alice")
    person = live.bearing(make_person_token(alice))
    body = b"".join(b"- likes tea number %d\n" % number for number in range(120_000))

    sent: Any = person.send("POST", "/api/v1/import?format=dump&name=long.txt", body)

    assert sent.status == 202
    run = JobRun.objects.get(ref=sent.json["job"])
    assert uploads.path_of(run.arguments["file"]).read_bytes() == body
    assert person.get(f"/api/v1/jobs/{run.ref}").json["state"] == "queued"
    assert person.post(f"/api/v1/jobs/{run.ref}/cancel").json["state"] == "cancelled"
    background.work(monotonic() + 5)
    assert not uploads.path_of(run.arguments["file"]).exists()
    assert not GovernanceItem.objects.exists()
