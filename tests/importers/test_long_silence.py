"""Files that say nothing for long: headings without notes, objects that begin and do not end."""

import io
import time
from collections.abc import Callable

import pytest

from memory.importers import background, checkup
from memory.importers.background import start_import
from memory.importers.checkup import check_up
from memory.importers.formats import detection, dump, markdown, sections
from memory.importers.formats.detection import detect
from memory.importers.material import material_of_stream
from memory.importers.report import Report
from memory.importers.run import bring
from memory.importers.watching import Stopped, watched
from memory.pages.imports.checkup import not_compared
from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.errors import Invalid, TooLarge
from review.models import GovernanceItem
from tests.importers.reading import Reader, full

# Several pieces of the file, read in a fraction of a second.
SILENT = b"# h\n" * 60_000
SAID = SILENT + b"- likes tea\n"


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The headings that were looked through for a secret."""
    met: list[str] = []
    original = sections.scan

    def scan(text: str) -> object:
        met.append(text)
        return original(text)

    monkeypatch.setattr(sections, "scan", scan)
    return met


@pytest.mark.parametrize(
    ("reader", "heading"),
    [
        (markdown.read, "# about {}\n"),
        (markdown.read, "about {}\n=====\n"),
        (markdown.read, "about {}\n-----\n"),
        (markdown.read, "about {}:\n\n"),
        (dump.read, "## about {}\n"),
        (dump.read, "about {}:\n"),
        (dump.read, "**about {}**\n"),
    ],
)
def test_a_heading_is_looked_through_when_a_note_asks(scanned: list[str], reader: Reader, heading: str) -> None:
    silent = "".join(heading.format(number) for number in range(50))

    assert full(reader, silent) == []
    assert scanned == []
    (note,) = full(reader, silent + "\n# Last\n\n- said\n")
    assert (note.tags, scanned) == (("last",), ["Last"])


def test_a_heading_is_looked_through_once(scanned: list[str]) -> None:
    text = "# Alpha\n- one\n## Beta\n- two\n- three\n### Gamma\n#### Delta\n- four\n## Eta\n- five\n"

    assert [note.tags for note in full(markdown.read, text)] == [
        ("alpha",),
        ("alpha", "beta"),
        ("alpha", "beta"),
        ("beta", "gamma", "delta"),
        ("alpha", "eta"),
    ]
    assert scanned == ["Alpha", "Beta", "Gamma", "Delta", "Eta"]


# --- the watch ----------------------------------------------------------------------------------------------------


def test_a_watched_file_holds_the_same_bytes_until_it_is_enough() -> None:
    raw = bytes(range(256)) * 1000
    asked: list[int] = []

    def goes_on(position: int) -> bool:
        asked.append(position)
        return position < 128 * 1024

    assert watched(io.BytesIO(raw), lambda _: True).read() == raw
    stream = io.BytesIO(raw)
    reading = watched(stream, goes_on)
    assert b"".join(reading.read(1024) for _ in range(128)) == raw[: 128 * 1024]
    with pytest.raises(Stopped):
        reading.read(1)
    assert asked == [0, 64 * 1024, 128 * 1024]
    del reading
    assert not stream.closed


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_run_is_stopped_where_nothing_is_said(alice: User, *, dry_run: bool) -> None:
    positions: list[int] = []

    def bring_it(most: int) -> Report:
        material = material_of_stream("markdown", io.BytesIO(SAID), "notes.md")

        def goes_on(report: Report) -> bool:
            positions.append(report.position)
            return report.position < most

        return bring(material, user=alice, dry_run=dry_run, keep_going=goes_on)

    stopped = bring_it(100_000)
    assert (stopped.state, stopped.decided.count, stopped.seen.bad) == ("running", 0, 0)
    assert 100_000 <= stopped.position < len(SILENT)
    assert len(positions) > 1
    assert not GovernanceItem.objects.exists()
    done = bring_it(2 * len(SAID))
    assert (done.state, done.value()["items"]["needs_review"]) == ("done", 1)
    assert GovernanceItem.objects.count() == (0 if dry_run else 1)


def test_a_cancel_is_heard_where_nothing_is_said(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_import([SAID], user=alice, name="notes.md")
    original = background.report_progress
    told: list[int] = []

    def report_progress(at: JobRun, *, done: int, **more: object) -> bool:
        if not told:
            cancel_run(JobRun.objects.get(pk=run.pk))
        told.append(done)
        return original(at, done=done, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(background, "report_progress", report_progress)
    assert not background.work(time.monotonic() + 30)

    run.refresh_from_db()
    assert run.state == "cancelled"
    assert not GovernanceItem.objects.exists()


def test_silence_of_more_than_a_turn_ends_the_job(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run, other = (start_import([raw], user=alice, name="notes.md") for raw in (SAID, b"- likes coffee\n"))
    with monkeypatch.context() as patch:
        patch.setattr(background, "_READING_MOST_S", -1.0)
        assert not background.work(time.monotonic() + 30)

    run.refresh_from_db()
    assert (run.state, "manage.py import" in run.error) == ("failed", True)
    # the control: the same file when there is time
    again = start_import([SAID], user=alice, name="notes.md")
    background.work(time.monotonic() + 30)
    again.refresh_from_db()
    assert (again.state, again.result["items"]["needs_review"]) == ("done", 1)
    other.refresh_from_db()
    assert other.state in {"done", "failed"}


# --- who waits for an answer ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [SAID, b"- likes tea\n- likes coffee\n"], ids=["silent", "said"])
def test_a_dry_run_ends_when_its_time_is_over(alice: User, monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    assert background.dry_run(io.BytesIO(raw), user=alice, name="notes.md").state == "done"
    monkeypatch.setattr(background, "DRY_RUN_SECONDS_MOST", 0.0)

    with pytest.raises(TooLarge, match="longer than the 0 seconds") as refused:
        background.dry_run(io.BytesIO(raw), user=alice, name="notes.md")
    assert refused.value.status == 413


def test_a_check_up_ends_when_its_time_is_over(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    found = check_up(alice, io.BytesIO(SAID), name="notes.md")
    assert (found.total, found.left_out, not_compared(found)) == (1, False, [])
    moments = iter((0.0, 1.0, 1.0))
    monkeypatch.setattr(checkup, "time", _Clock(lambda: next(moments, 16.0)))

    found = check_up(alice, io.BytesIO(SAID), name="notes.md")

    assert (found.total, found.left_out, found.faults) == (0, True, [])
    assert not_compared(found) == ["There was no time to read it to its end, and no belief was met until then."]


def test_it_is_not_looked_for_ever_for_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = b'{"a":\n' * 300
    entity = b'{"type": "entity", "name": "Alice", "observations": ["likes tea"]}\n'
    assert detect(io.BytesIO(damaged + entity)).name == "mcp-memory"
    began = time.process_time()
    monkeypatch.setattr(detection, "SECONDS_MOST", 0.0)

    with pytest.raises(Invalid, match="damaged JSON"):
        detect(io.BytesIO(damaged * 1000 + entity))
    assert time.process_time() - began < 5


class _Clock:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.monotonic = monotonic
