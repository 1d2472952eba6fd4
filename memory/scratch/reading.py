"""Scratch notes by reference and by list. What has expired is not there."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Func, Value
from django.db.models.functions import Left

from memory.desk.named import nothing_called, ref_of
from memory.desk.places import RECENT_FIRST, Place
from memory.desk.words import folded
from memory.models import ScratchNote
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.text import clean, excerpt

PREFIX = "sp_"
FIRST_LINE_CHARS = 200
# Of the text no more than its first line: a page of a list need not carry whole texts.
_FIRST_LINE = Left(Func(F("content"), Value("\n"), Value(1), function="split_part"), FIRST_LINE_CHARS + 1)


@dataclass(frozen=True, slots=True)
class NotePage:
    notes: Sequence[ScratchNote]
    next: str | None
    total: int


def find_note(principal: Principal, reference: str) -> ScratchNote:
    """By ``sp_`` and its digits. Raises :class:`NotFound` for what is not the caller's or has expired as for what
    never was."""
    rows = ScratchNote.objects.visible_to(principal).current()
    note = rows.filter(ref=ref_of(PREFIX, reference)).first()
    if note is None:
        raise nothing_called("note", reference)
    return note


def list_notes(place: Place, *, query: str = "", limit: int, cursor: str | None = None) -> NotePage:
    """The list, the last changed first: those with these words in topic, text or a tag, in any letter case.

    Each without its text, but with its ``first_line``. Raises :class:`Invalid` for a cursor of another list.
    """
    words = folded(clean(query, field="query").strip())
    pager = Pager.of("scratch", place, {"query": words})
    rows = ScratchNote.objects.in_list(place).current()
    if words:
        rows = rows.filter(searched__contains=words)
    heads = rows.annotate(first_line=_FIRST_LINE).defer("content", "searched")
    page = pager.page(heads, order=RECENT_FIRST, limit=limit, cursor=cursor)
    return NotePage(page.rows, page.next, rows.count())


def first_line(head: ScratchNote) -> str:
    """Of a note of :func:`list_notes`, on one line."""
    line: str = head.first_line  # type: ignore[attr-defined]  # annotated
    return excerpt(line, (), chars=FIRST_LINE_CHARS)


def head_of(note: ScratchNote) -> str:
    """The same of a whole note."""
    return excerpt(note.content.partition("\n")[0], (), chars=FIRST_LINE_CHARS)
