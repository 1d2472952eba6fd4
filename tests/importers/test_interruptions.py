"""Imports that are cut off, and imports that meet: each in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, transaction

from memory.importers.run import import_file
from pawflow_web.identity.models import User, UserClock
from review.journal.chain import verify
from review.models import Evidence, GovernanceItem, ImportJob
from review.models.imports import ImportState
from review.plaintext import words_of
from tests.factories import GITHUB_TOKEN, make_owner
from tests.importers.files import entity, lines, many, written
from tests.live import database_url
from tests.startup.product import CHECKOUT, clean_environment, eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@contextmanager
def importing(path: Path, owner: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, CHECKOUT / "manage.py", "import", "mcp-memory", path, "--owner", owner, "--json"],
        env=clean_environment(settings.ENV.data_dir, DATABASE_URL=database_url()),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def report_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    report: dict[str, Any] = json.loads(out)
    return report


def bring(path: Path, owner: str = "alice") -> dict[str, Any]:
    return import_file(format_name="mcp-memory", path=path, owner=owner).value()


def cut_off(path: Path, user: User) -> ImportJob:
    """Start an import of that file and kill it in the middle, between two slices or within one."""
    with importing(path, user.username) as process:
        eventually(lambda: ImportJob.objects.filter(user=user, decided__gt=0).exists(), "a first slice")
        with transaction.atomic():
            # While the owner's clock is held here, the importer waits in the middle of its work.
            UserClock.objects.select_for_update().get(user=user)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    return ImportJob.objects.get(user=user)


def store(user: User) -> list[tuple[Any, ...]]:
    """All that an import left, but for references, times and the order of the journal."""
    rows = GovernanceItem.objects.filter(user=user).order_by("number")
    columns = ("number", "status", "reason", "privacy", "flags", "scope", "memory__tags")
    # Secret words are sealed anew each time: they are compared in the clear.
    words = [words_of(row) for row in rows]
    voices = Evidence.objects.filter(user=user).order_by("item__number", "pk")
    return [
        *zip(words, rows.values_list(*columns), strict=True),
        *voices.values_list("item__number", "principal", "line", "quote"),
    ]


def file_with_everything(folder: Path) -> Path:
    odd = lines([entity("Odd", ["", 5, f"the token is {GITHUB_TOKEN}", "x" * 9000]), {"type": "alien"}, 5])
    plain = many(130, each=3)
    return written(folder, b"\n".join([odd, plain, b"not json", plain[: len(plain) // 3], odd]))


def test_a_killed_import_goes_on_and_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    alice, bob = make_owner("alice"), make_owner("bob")
    path = file_with_everything(tmp_path)
    job = cut_off(path, alice)
    expected = bring(path, "bob")
    assert 0 < job.decided < expected["items"]["proposed"]
    assert (job.state, job.finished_at) == (ImportState.RUNNING, None)
    assert GovernanceItem.objects.filter(user=alice).count() == job.report["items"]["needs_review"]

    report = bring(path)

    assert report["resumed_at_line"] in {job.line, job.line + 1}
    assert {**report, "owner": "bob", "resumed_at_line": None} == expected
    assert store(alice) == store(bob)
    assert verify(alice).ok
    job.refresh_from_db()
    assert (job.state, job.report) == (ImportState.DONE, report)
    assert ImportJob.objects.filter(user=alice).count() == 1

    again = bring(path)
    assert (again["items"]["needs_review"], again["resumed_at_line"]) == (0, None)


def test_another_file_does_not_go_on_with_it(tmp_path: Path) -> None:
    alice = make_owner("alice")
    path = written(tmp_path, many(70))
    job = cut_off(path, alice)
    other = written(tmp_path, path.read_bytes() + b"\n" + lines([entity("One", ["more"])]), name="other.jsonl")

    report = bring(other)

    assert report["resumed_at_line"] is None
    assert report["items"]["duplicates"] == job.decided
    assert report["items"]["needs_review"] == 701 - job.decided


def test_an_import_that_fails_goes_on_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_owner("alice")
    path = written(tmp_path, many(40))
    calls = []

    def failing(call: Callable[..., None]) -> Callable[..., None]:
        def keep(*arguments: Any) -> None:
            calls.append(1)
            if len(calls) == 3:
                raise OperationalError("the disk is full")
            call(*arguments)

        return keep

    with monkeypatch.context() as patch:
        from memory.importers.job_rows import Unfinished

        patch.setattr(Unfinished, "keep", failing(Unfinished.keep))
        with pytest.raises(OperationalError):
            bring(path)
    job = ImportJob.objects.get()
    assert (job.state, job.finished_at) == (ImportState.FAILED, None)
    assert GovernanceItem.objects.count() == job.decided > 0

    report = bring(path)

    assert report["items"]["needs_review"] == GovernanceItem.objects.count() == 400
    assert report["resumed_at_line"] == job.decided // 10 + 1


def test_two_imports_of_one_file_at_once_make_no_duplicates(tmp_path: Path) -> None:
    alice = make_owner("alice")
    path = written(tmp_path, many(60))

    with importing(path, "alice") as one, importing(path, "alice") as two:
        reports = [report_of(one), report_of(two)]

    assert sum(report["items"]["needs_review"] for report in reports) == 600
    assert [report["items"]["proposed"] for report in reports] == [600, 600]
    assert all(report["items"]["duplicates"] == 600 - report["items"]["needs_review"] for report in reports)
    assert GovernanceItem.objects.count() == Evidence.objects.count() == 600
    assert verify(alice).ok
    assert set(ImportJob.objects.values_list("state", flat=True)) == {ImportState.DONE}


def test_what_a_killed_run_left_is_void_once_the_file_is_in(tmp_path: Path) -> None:
    alice = make_owner("alice")
    path = written(tmp_path, many(70))
    job = cut_off(path, alice)
    ImportJob.objects.filter(pk=job.pk).update(reader=0)
    left = cut_off_copy(job)

    assert bring(path)["resumed_at_line"] is not None
    left.refresh_from_db()
    assert (left.state, left.finished_at is None) == (ImportState.FAILED, False)
    assert bring(path)["items"]["duplicates"] == 700


def cut_off_copy(job: ImportJob) -> ImportJob:
    """A second run over the same bytes that was cut off earlier; and the first one with today's reader again."""
    ImportJob.objects.filter(pk=job.pk).update(reader=job.reader)
    return ImportJob.objects.create(
        user_id=job.user_id, format=job.format, sha256=job.sha256, source=job.source, started_at=job.started_at
    )
