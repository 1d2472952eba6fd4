"""What the scratchpad shows: the heads of a list, a note to be read and changed, and how two versions of it differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from memory.models import ScratchNote
from memory.models.scratch import NOTES_MOST, SHOWN_OF_NOTE
from memory.pages.desk import Desk, address, desk_of, found_words
from memory.pages.scratch.forms import LABELS, NoteForm
from memory.scratch.reading import PREFIX, first_line, list_notes
from pawflow_web.identity.clock import now

ROWS = 25
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note as a line. ``left`` is how long it is kept still."""

    note: ScratchNote
    first_line: str
    left: timedelta
    found: Sequence[str]

    @property
    def reference(self) -> str:
        return f"{PREFIX}{self.note.ref}"

    @property
    def kept_out(self) -> bool:
        return not self.note.flags.keys().isdisjoint(SHOWN_OF_NOTE)

    @property
    def due(self) -> bool:
        """Whether it is gone within the hour."""
        return self.left < _HOUR

    @property
    def soon(self) -> bool:
        return self.left < _DAY

    @property
    def left_words(self) -> str:
        """``6 d left``, ``5 h left``, ``40 min left``."""
        if self.left >= _DAY:
            return _("%(number)d d left") % {"number": self.left // _DAY}
        if self.left >= _HOUR:
            return _("%(number)d h left") % {"number": self.left // _HOUR}
        return _("%(number)d min left") % {"number": self.left // timedelta(minutes=1)}


@dataclass(frozen=True, slots=True)
class NoteList:
    """One page of a list. ``more`` is the address of the next page."""

    desk: Desk
    rows: Sequence[NoteRow]
    sentence: str
    q: str
    more: str

    @property
    def bare(self) -> str:
        """The list without anything that narrows it."""
        return address("scratchpad", self.desk)


def note_list(request: HttpRequest, given: QueryDict) -> NoteList:
    """The page that ``given`` asks for. Raises NotFound for a list that is not the person's."""
    desk = desk_of(request, given, ScratchNote.objects.current())
    q = given.get("q", "").strip()
    page = list_notes(desk.place, query=q, limit=ROWS, cursor=given.get("cursor") or None)
    asked = [("q", q)] if q else []
    number = {"number": page.total, "most": NOTES_MOST}
    at = now() if page.notes else None
    return NoteList(
        desk=desk,
        rows=[row_of(note, at, first_line(note)) for note in page.notes],
        sentence=_("%(number)d found") % number if q else _("%(number)d of %(most)d") % number,
        q=q,
        more=address("scratchpad", desk, *asked, ("cursor", page.next)) if page.next else "",
    )


def row_of(note: ScratchNote, at: datetime | None = None, line: str = "") -> NoteRow:
    """``at``: the moment to count from, that of the database when left out."""
    return NoteRow(note, line, note.expires_at - (at or now()), found_words(note.flags, LABELS))


def note_form(note: ScratchNote, given: QueryDict | None = None) -> NoteForm:
    """The form of a note, filled with what was typed or with what is there."""
    initial = {"topic": note.topic, "content": note.content, "tags": ", ".join(note.tags), "revision": note.revision}
    return NoteForm(given, initial=initial, auto_id="note-%s").is_known()


def differences(note: ScratchNote, form: NoteForm) -> list[tuple[str | Promise, str]]:
    """What is stored now where it differs from what was typed: the name of the field, and the words there."""
    stored: Mapping[str, Any] = note_form(note).initial
    return [(LABELS[name], stored[name]) for name in NoteForm.COMPARED if form.cleaned_data.get(name) != stored[name]]
