"""What people and agents say beside decisions: without secrets, and looked through before anybody has to wait."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pawflow_web.identity import clock as clocks
from pawflow_web.lib import storable
from pawflow_web.lib.scanner import Finding, scan
from review import lifecycle
from review.journal.acts import act
from review.journal.chain import history
from review.journal.comments import Comment
from review.lifecycle.archiving import decide_archive, suggest
from review.lifecycle.feedback import vote
from review.models import ArchiveRequest, Feedback, GovernanceItem, JournalPayload
from review.queue.background import begin, work
from tests.factories import GITHUB_TOKEN
from tests.review.beliefs import Parties, again, differences, said

COMMENT = f"not with {GITHUB_TOKEN} in it"
KEPT = "not with [GitHub token removed] in it"


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is looked through on its way to the journal; a clock that is held meanwhile keeps others from writing."""
    seen: list[str] = []

    def look(text: str) -> list[Finding]:
        assert clocks._held.clock is None
        seen.append(text)
        return scan(text)

    monkeypatch.setattr(storable, "scan", look)
    return seen


Say = Callable[[Parties, GovernanceItem], Any]


def _decline(parties: Parties, item: GovernanceItem) -> None:
    wish = suggest(principal=parties.coder, reference=item.ref, reason="")
    decide_archive(principal=parties.person, ref=wish.ref, approve=False, comment=COMMENT)


def _undone(parties: Parties, item: GovernanceItem) -> None:
    lifecycle.forget(principal=parties.person, reference=item.ref)
    lifecycle.undo(principal=parties.person, reference=item.ref, comment=COMMENT)


def _undone_with_many(parties: Parties, item: GovernanceItem) -> None:
    batch, _ = lifecycle.decide_many(principal=parties.person, action="forget", references=[item.ref])
    lifecycle.undo_batch(principal=parties.person, ref=batch.ref, comment=COMMENT)


def _by(verb: Callable[..., Any], **more: Any) -> Say:
    return lambda parties, item: verb(principal=parties.person, reference=item.ref, comment=COMMENT, **more)


SAID: dict[str, Say] = {
    "reject": _by(lifecycle.reject),
    "forget": _by(lifecycle.forget),
    "end": _by(lifecycle.end),
    "correct": _by(lifecycle.correct, text="The office is in Braga"),
    "edit": _by(lifecycle.edit, revision=1, changes={"pinned": True}),
    "undo": _undone,
    "undo of many": _undone_with_many,
    "vote": lambda parties, item: vote(principal=parties.writer, reference=item.ref, helpful=False, note=COMMENT),
    "wish": lambda parties, item: suggest(principal=parties.coder, reference=item.ref, reason=COMMENT),
    "wish by forgetting": lambda parties, item: lifecycle.forget(
        principal=parties.cron, reference=item.ref, comment=COMMENT
    ),
    "wish declined": _decline,
}


@pytest.mark.parametrize("what", SAID)
def test_a_comment_is_looked_through_once_and_before_the_clock(parties: Parties, looked: list[str], what: str) -> None:
    item = said(parties.coder, "The office is in Porto")
    SAID[what](parties, item)
    assert looked == [COMMENT]
    assert [one.comment for one in history(item) if one.comment] == [KEPT]
    beside = [
        *Feedback.objects.values_list("note", flat=True),
        *ArchiveRequest.objects.values_list("reason", flat=True),
    ]
    assert beside == {"vote": [KEPT], "wish": [KEPT], "wish by forgetting": [KEPT], "wish declined": [""]}.get(what, [])
    assert differences(parties.user) == []


@pytest.mark.parametrize("verb", [lifecycle.accept, lifecycle.restore])
def test_so_is_one_to_what_waits_or_was_rejected(parties: Parties, looked: list[str], verb: Callable[..., Any]) -> None:
    item = said(parties.cron, "The office is in Porto")
    if verb is lifecycle.restore:
        lifecycle.reject(principal=parties.person, reference=item.ref)
    verb(principal=parties.person, reference=item.ref, comment=COMMENT)
    assert looked == [COMMENT]
    assert history(again(item))[-1].comment == KEPT


def test_so_is_one_to_many(parties: Parties, looked: list[str]) -> None:
    refs = [said(parties.cron, f"The office number {number} is in Porto").ref for number in range(5)]
    lifecycle.decide_many(principal=parties.person, action="reject", references=refs, comment=COMMENT)
    assert looked == [COMMENT]
    assert list(JournalPayload.objects.exclude(note="").values_list("note", flat=True)) == [KEPT] * 5


def test_so_is_one_to_more_than_a_request_waits_for(parties: Parties, looked: list[str]) -> None:
    named = [(said(parties.cron, f"The office number {number} is in Porto").ref, None) for number in range(5)]
    begin(user=parties.user, verb="forget", comment=COMMENT, named=named)
    assert looked == [COMMENT]
    work(float("inf"))
    # what the job keeps is looked through once more for all of a chunk, and for the one that is found to be empty
    assert looked == [COMMENT, KEPT, KEPT]
    assert list(JournalPayload.objects.exclude(note="").values_list("note", flat=True)) == [KEPT] * 5


def test_the_look_notices_a_clock_that_is_held(parties: Parties, looked: list[str]) -> None:
    with pytest.raises(AssertionError), act(parties.person):
        Comment.of(COMMENT)
    Comment.of(Comment.of(COMMENT))
    assert looked == [COMMENT]
