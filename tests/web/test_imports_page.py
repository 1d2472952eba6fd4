"""The page of imports: a file is sent, brought by the worker, and told about."""

import re
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from memory.importers import background
from pawflow_web.identity.models import Agent, User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run
from review.models import GovernanceItem, ImportJob
from tests.factories import GITHUB_TOKEN, make_owner
from tests.importers.files import RELATIONS, lines
from tests.importers.files import SMALL as RECORDS
from tests.web.memory_files import SMALL
from tests.web.people import browser_of, htmx, text_of

# The parts of a report that count something.
FIGURES = ("records", "items", "waiting", "skipped")


@pytest.fixture
def lotta(db: None) -> User:
    for path in uploads():
        path.unlink()
    return make_owner("lotta")


def send(user: User, text: str | bytes, *, name: str = "CLAUDE.md", **more: object) -> HttpResponse:
    file = SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)
    return browser_of(user).post("/imports", {"file": file, **more})


def work() -> None:
    """What the worker does until nothing is left."""
    while background.work(monotonic() + 30):
        pass


def uploads() -> list[Path]:
    return list((settings.ENV.data_dir / "uploads").glob("*"))


def test_a_file_is_brought_and_waits_in_review(lotta: User) -> None:
    sent = send(lotta, SMALL)
    queued = text_of(browser_of(lotta).get(sent["Location"]))
    work()
    page = browser_of(lotta).get(sent["Location"])

    assert sent.status_code == 302
    assert "Importing CLAUDE.md" in queued
    assert "Waits for its turn" in queued
    assert "Of 9: 8 wait in review, 1 was there already." in text_of(page)
    assert 'href="/review?file=CLAUDE.md"' in page.content.decode()
    assert GovernanceItem.objects.filter(user=lotta, status="needs_review").count() == 8
    assert "CLAUDE.md" in text_of(browser_of(lotta).get("/review?file=CLAUDE.md"))


def test_the_report_shows_every_figure_above_zero_by_its_words(lotta: User) -> None:
    sent = send(lotta, lines([*RECORDS, *RELATIONS]), name="memory.jsonl", agent="coder")
    work()
    shown = browser_of(lotta).get(sent["Location"])
    page = shown.content.decode()

    keys = re.findall(r'data-figure="([^"]+)"', page)
    report = ImportJob.objects.get(user=lotta).report
    counted = {f"{part}.{key}": number for part in FIGURES for key, number in report[part].items()}
    counted["errors_total"] = report["errors_total"]
    assert set(keys) == {key for key, number in counted.items() if number}
    assert {"records.read", "records.relations", "items.proposed"} <= set(keys)
    assert 0 in counted.values()
    # The names of the API are for whoever points at one; what the file was is folded away.
    told = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    assert "records.read" not in re.sub(r"<[^>]+>", " ", page)
    assert report["sha256"] in page
    assert report["sha256"] not in told
    assert Agent.objects.get(user=lotta, name="coder")


def test_a_dry_run_tells_the_same_and_stores_nothing(lotta: User) -> None:
    dry = send(lotta, SMALL, dry_run="on")
    assert dry.status_code == 200
    assert "What an import of CLAUDE.md would do" in text_of(dry)
    assert not GovernanceItem.objects.exists()
    assert not ImportJob.objects.exists()
    assert not JobRun.objects.exists()

    sent = send(lotta, SMALL)
    work()
    real = browser_of(lotta).get(sent["Location"])
    for page in (dry, real):
        assert "Of 9: 8 wait in review, 1 was there already." in text_of(page)
        assert re.search(r'data-figure="skipped.code".*?<td>1</td>', page.content.decode(), re.DOTALL)


def test_pasted_words_are_a_file_too(lotta: User) -> None:
    browser_of(lotta).post("/imports", {"text": "- likes tea\n", "format": "dump"})
    work()

    row = ImportJob.objects.get()
    assert (row.source, row.format, row.report["items"]["needs_review"]) == ("pasted text", "dump", 1)


def test_the_list_of_imports_has_its_reports(lotta: User) -> None:
    send(lotta, SMALL)
    send(lotta, lines(RECORDS), name="memory.jsonl")
    work()
    page = browser_of(lotta).get("/imports")
    assert text_of(page).index("memory.jsonl") < text_of(page).index("CLAUDE.md")
    assert text_of(page).count("Done") == 2

    ref = ImportJob.objects.get(source="CLAUDE.md").ref
    report = text_of(browser_of(lotta).get(f"/imports?report={ref}"))

    assert "What came of CLAUDE.md" in report
    assert "Of 9: 8 wait in review" in report


def test_the_list_goes_on_in_pages(lotta: User) -> None:
    for number in range(23):
        browser_of(lotta).post("/imports", {"text": f"- likes tea number {number}", "name": f"file-{number}"})
    work()
    first = browser_of(lotta).get("/imports").content.decode()
    older = re.search(r'href="(/imports\?before=[0-9a-f]+)"', first)
    assert older is not None
    second = browser_of(lotta).get(older[1]).content.decode()

    names = [re.findall(r"<b>(file-\d+)</b>", page) for page in (first, second)]
    assert names == [[f"file-{number}" for number in range(22, 2, -1)], ["file-2", "file-1", "file-0"]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "Paste a text or choose a file."),
        ({"text": "a", "agent": "two words"}, "letters, digits"),
        ({"text": "a", "format": "chatgpt"}, "Select a valid choice"),
        ({"text": "a", "format": "mcp-memory"}, "It looks like plain text."),
        ({"text": "<html><p>hello"}, "It looks like an HTML or XML document."),
    ],
)
def test_what_cannot_be_imported_is_told(lotta: User, given: dict[str, str], told: str) -> None:
    before = uploads()
    answer = browser_of(lotta).post("/imports", given)

    assert answer.status_code == 422
    assert answer["Cache-Control"] == "no-store"
    assert told in text_of(answer)
    assert not JobRun.objects.exists()
    assert uploads() == before


def test_a_cancelled_import_stops_and_goes_on_with_the_next(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_TOLD_EVERY_S", 0.0)
    sent = send(lotta, "\n".join(f"- likes tea number {number}" for number in range(250)))
    run = JobRun.objects.get()
    original = background.report_progress

    def cancelled(run: JobRun, **more: Any) -> bool:
        if GovernanceItem.objects.exists():
            cancel_run(JobRun.objects.get(pk=run.pk))
        return original(run, **more)

    with monkeypatch.context() as patch:
        patch.setattr(background, "report_progress", cancelled)
        work()
    run.refresh_from_db()
    stored = GovernanceItem.objects.count()
    assert (run.state, 0 < stored < 250) == ("cancelled", True)
    assert "Cancelled" in text_of(browser_of(lotta).get(sent["Location"]))
    assert "Import the same file again to go on." in text_of(browser_of(lotta).get("/imports"))
    assert uploads() == []

    send(lotta, "\n".join(f"- likes tea number {number}" for number in range(250)))
    work()

    assert GovernanceItem.objects.count() == 250
    report = ImportJob.objects.get().report
    assert (report["items"]["needs_review"], report["items"]["duplicates"]) == (250, 0)
    assert report["resumed_at_line"] == stored + 1


def test_a_long_import_gives_way_and_is_not_called_cut_off(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_TURN_S", 0.0)
    send(lotta, "\n".join(f"- likes tea number {number}" for number in range(350)))
    other = send(lotta, "- likes coffee\n", name="small.md")

    assert background.work(monotonic() + 30)
    assert GovernanceItem.objects.count() < 300
    work()
    assert "What came of small.md" in text_of(browser_of(lotta).get(other["Location"]))
    ended = JobRun.objects.order_by("finished_at").values_list("arguments__source", flat=True)
    assert list(ended) == ["small.md", "CLAUDE.md"]

    report = ImportJob.objects.get(source="CLAUDE.md").report
    assert (report["items"]["needs_review"], report["resumed_at_line"], report["state"]) == (350, None, "done")
    assert uploads() == []


def test_a_file_that_is_gone_is_told(lotta: User) -> None:
    sent = send(lotta, SMALL)
    for path in uploads():
        path.unlink()
    work()

    assert "The file is not there any more." in text_of(browser_of(lotta).get(sent["Location"]))


def test_a_file_on_another_machine_is_left_to_it(lotta: User) -> None:
    send(lotta, SMALL)
    run = JobRun.objects.get()
    JobRun.objects.update(arguments={**run.arguments, "file": "0" * 32, "node": "elsewhere:/data"})
    work()

    run.refresh_from_db()
    assert run.state == "queued"


def test_a_failure_ends_the_import_with_a_reference_and_not_its_words(
    lotta: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = send(lotta, SMALL)
    with monkeypatch.context() as patch:
        patch.setattr(background, "bring", lambda *_, **__: (_ for _ in ()).throw(RuntimeError(GITHUB_TOKEN)))
        work()
    run = JobRun.objects.get()

    assert run.state == "failed"
    assert re.search(r"\(reference [0-9A-F-]+\)", run.error)
    assert GITHUB_TOKEN not in run.error
    assert "Something broke on our side" in text_of(browser_of(lotta).get(sent["Location"]))
    assert uploads() == []


def test_a_run_and_its_report_hold_no_words_of_the_file(lotta: User) -> None:
    send(lotta, SMALL + "\n" + "x" * 70_000 + "\n")
    work()
    run, row = JobRun.objects.get(), ImportJob.objects.get()

    assert run.result == row.report
    assert run.result["errors_total"] == 1
    for held in (run.arguments, run.result, run.current, row.report):
        assert not re.search("zanzibar|ghp_|instructions|SQLite|Alice", str(held))
    assert GovernanceItem.objects.filter(text__contains="SQLite").exists()


def test_another_persons_imports_are_not_there(lotta: User) -> None:
    sent = send(lotta, SMALL, name="diary.md")
    work()
    ref = ImportJob.objects.get().ref
    stranger = browser_of(make_owner("bo"))

    assert "diary.md" not in stranger.get("/imports").content.decode()
    for path in (sent["Location"], f"/imports?report={ref}", f"/imports?before={ref}"):
        assert stranger.get(path).status_code == 404
        unknown = re.sub("[0-9a-f]{12}", "0" * 12, path)
        assert stranger.get(unknown).content == stranger.get(path).content
        assert browser_of(lotta).get(path).status_code == 200


def test_the_running_part_asks_again_until_it_is_over(lotta: User) -> None:
    sent = send(lotta, SMALL)
    browser = browser_of(lotta)
    part = browser.get(sent["Location"], headers=htmx("imports-run")).content.decode()
    assert 'hx-trigger="every 1s"' in part
    assert "No worker is alive" in part
    work()

    part = browser.get(sent["Location"], headers=htmx("imports-run")).content.decode()
    assert "hx-trigger" not in part
    assert "<form" not in part
