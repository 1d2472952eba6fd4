"""Several writers of one list at the same moment."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memory.desk.places import Place
from memory.models import ScratchNote, TodoDependency, TodoTask
from memory.scratch import services as scratch
from memory.scratch.services import NoteWords, create_note, update_note
from memory.todo.services import TaskWords, create_task, update_task
from pawflow_web.lib.errors import DomainError
from tests.factories import make_owner
from tests.review.beliefs import Parties

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*writes: Callable[[], object]) -> Sequence[str]:
    """Run them together; the code of each error, '' for what was done."""
    start = threading.Barrier(len(writes))

    def run(write: Callable[[], object]) -> str:
        try:
            start.wait()
            write()
        except DomainError as error:
            return error.code
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(len(writes)) as pool:
        return sorted(pool.map(run, writes))


@pytest.fixture
def place(transactional_db: None) -> Place:
    return Place.of(Parties.of(make_owner("alice")).coder)


def test_of_writers_that_meet_each_finds_what_the_other_did(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (create_task(place=place, given=TaskWords(subject=name))[0] for name in ("One", "Two"))
    ends = [(one, two), (two, one)]
    circle = [lambda a=a, b=b: update_task(task=a, given=TaskWords(blocks=[f"td_{b.ref}"])) for a, b in ends]
    assert at_once(*circle) == ["", "invalid"]
    assert TodoDependency.objects.count() == 1

    same = TaskWords(subject="Same", external_id="call-1")
    assert at_once(*[lambda: create_task(place=place, given=same)] * 4) == [""] * 4
    assert TodoTask.objects.filter(external_id="call-1").count() == 1

    first = create_note(place=place, given=NoteWords("First", "x"))
    words = [NoteWords(topic=f"By writer {number}") for number in range(4)]
    changes = [lambda given=given: update_note(note=first, given=given, revision=1) for given in words]
    assert at_once(*changes) == ["", *["stale_revision"] * 3]
    assert ScratchNote.objects.get().revision == 2

    monkeypatch.setattr(scratch, "NOTES_MOST", 3)
    more = [lambda: create_note(place=place, given=NoteWords("More", "x"))] * 4
    assert at_once(*more) == ["", "", "limit_reached", "limit_reached"]
    assert ScratchNote.objects.count() == 3
