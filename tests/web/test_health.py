import pytest
from django.test import Client

from pawflow_web.web.health import ReadinessChecks


def test_health_needs_nothing(web: Client) -> None:
    assert web.get("/health").json() == {"status": "ok"}


@pytest.mark.django_db
def test_ready_asks_the_database(web: Client) -> None:
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
