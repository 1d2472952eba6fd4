import time

import pytest
from django.db import OperationalError, transaction
from django.test import Client

from pawflow_web.lib.db import execute
from pawflow_web.web import health
from pawflow_web.web.errors import failure_of
from pawflow_web.web.health import ReadinessChecks


def test_health_needs_nothing(web: Client) -> None:
    assert web.get("/health").json() == {"status": "ok"}


@pytest.mark.django_db
def test_ready_asks_the_database(web: Client) -> None:
    assert web.get("/ready").json()["checks"]["database"] == "ok"


@pytest.mark.django_db
def test_ready_says_for_a_minute_that_a_write_found_no_room(web: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_full_at", None)
    failure_of(OperationalError("gone"))
    assert web.get("/ready").json()["checks"]["database"] == "ok"
    with pytest.raises(OperationalError) as full, transaction.atomic():
        execute("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$")
    failure_of(full.value)
    answer = web.get("/ready")
    assert (answer.status_code, answer.json()["checks"]["database"]) == (503, "away")
    monkeypatch.setattr(health, "_full_at", time.monotonic() - 61)
    assert web.get("/ready").json()["checks"]["database"] == "ok"


def test_ready_names_the_part_that_is_away(web: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = ReadinessChecks("readiness check")
    checks.register("database")(lambda: True)
    monkeypatch.setattr("pawflow_web.web.views.readiness", checks)
    assert web.get("/ready").json() == {"status": "ready", "checks": {"database": "ok"}}

    @checks.register("worker")
    def broken() -> bool:
        raise RuntimeError("no heartbeat for an hour")

    response = web.get("/ready")
    assert response.status_code == 503
    assert response.json() == {"status": "not_ready", "checks": {"database": "ok", "worker": "away"}}
