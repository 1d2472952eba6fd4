"""An import in the worker: killed in the middle, and gone on with where it stopped."""

from pathlib import Path
from time import monotonic

import pytest
from django.db import transaction

from memory.importers import background
from memory.importers.background import start_import
from memory.importers.run import import_file
from memory.importers.uploads import path_of
from pawflow_web.identity.models import User, UserClock
from pawflow_web.jobs.models import JobRun
from review.journal.chain import verify
from review.models import Evidence, GovernanceItem, ImportJob
from tests.factories import make_owner
from tests.jobs.conftest import Workers, alive, descendants, eventually, workers

__all__ = ["workers"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def text(number: int) -> bytes:
    lines = [f"- Component {at} of the shop is looked after by team {at % 17}." for at in range(number)]
    return "\n".join(["# Components", *lines, lines[3], "-", ""]).encode()


def store(user: User) -> list[object]:
    rows = GovernanceItem.objects.filter(user=user).order_by("number")
    voices = Evidence.objects.filter(user=user).order_by("item__number", "pk")
    return [
        *rows.values_list("number", "text", "status", "memory__tags"),
        *voices.values_list("item__number", "file", "line", "quote"),
    ]


def test_a_killed_worker_costs_nothing_but_time(workers: Workers, tmp_path: Path) -> None:
    alice, bob = make_owner("alice"), make_owner("bob")
    raw = text(1500)
    (tmp_path / "parts.md").write_bytes(raw)
    expected = import_file(format_name="markdown", path=tmp_path / "parts.md", owner="bob").value()
    worker = workers.start(tick=1)
    run = start_import([raw], user=alice, name="parts.md")
    eventually(lambda: ImportJob.objects.filter(user=alice, decided__gt=0).exists())
    with transaction.atomic():
        # While the owner's clock is held here, the import waits in the middle of its work.
        UserClock.objects.select_for_update().get(user=alice)
        below = descendants(worker.pid)
        worker.kill()
        worker.wait()
        eventually(lambda: not any(alive(pid) for pid in below))
    job = ImportJob.objects.get(user=alice)
    assert 0 < job.decided < expected["items"]["proposed"]
    assert JobRun.objects.get(pk=run.pk).state == "running"

    while background.work(monotonic() + 30):
        pass

    run.refresh_from_db()
    assert run.result is not None
    assert {**run.result, "owner": "bob", "resumed_at_line": None} == expected
    assert run.result["resumed_at_line"] is not None
    assert store(alice) == store(bob)
    assert verify(alice).ok
    assert not path_of(run.arguments["file"]).exists()
    assert ImportJob.objects.filter(user=alice).count() == 1
