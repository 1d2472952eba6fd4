"""Writing scratch notes. Words are looked through before the owner's clock is taken; under it no two writers meet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.desk.named import nothing_called, require_revision
from memory.desk.places import Place
from memory.desk.words import Said, flags_after, searchable
from memory.models import ScratchNote
from memory.models.note import TAG_LONGEST, TAGS_MOST
from memory.models.scratch import CONTENT_MOST, NOTES_MOST, TOPIC_MOST, TTL_HOURS, TTL_HOURS_MOST
from memory.notes.facets import spelled_tags
from memory.scratch.reading import PREFIX
from pawflow_web.identity.clock import Clock, user_clock
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.errors import Invalid, LimitReached

# Expired notes that are deleted in one statement.
_SWEPT_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class NoteWords:
    """What is said of a note; None says nothing. ``ttl_hours`` counts from now."""

    topic: str | None = None
    content: str | None = None
    tags: Sequence[str] | None = None
    ttl_hours: int | None = None

    @property
    def say_nothing(self) -> bool:
        return all(getattr(self, name) is None for name in self.__slots__)


def create_note(*, place: Place, given: NoteWords) -> ScratchNote:
    """A new note of the list, gone by itself after 168 hours unless ``ttl_hours`` says otherwise.

    Raises:
        Invalid: a value is not acceptable.
        LimitReached: the list is full.
    """
    said = _said(given)
    for name in ("topic", "content"):
        if name not in said.values:
            raise Invalid(f"A note needs a {name}.", fields={name: "is required"})
    with user_clock(place.user_id) as clock:
        if ScratchNote.objects.in_list(place).current().count() >= NOTES_MOST:
            raise LimitReached(
                f"A list holds at most {NOTES_MOST} notes. Update or delete one first.", fields={"limit": NOTES_MOST}
            )
        note = ScratchNote(
            user_id=place.user_id,
            agent_id=place.agent_id,
            conversation_id=place.conversation_id,
            created_at=clock.at,
            updated_at=clock.at,
            expires_at=_expiry(clock, TTL_HOURS if given.ttl_hours is None else given.ttl_hours),
        )
        _put(note, said)
        note.save(force_insert=True)
    return note


def update_note(*, note: ScratchNote, given: NoteWords, revision: int | None = None) -> ScratchNote:
    """Change what is given; without ``ttl_hours`` it expires when it would have. ``revision``: that of the note as it
    was read.

    Raises:
        Invalid: a value is not acceptable, or nothing is given.
        NotFound: the note is gone or has expired.
        StaleRevision: it was changed since it was read.
    """
    if given.say_nothing:
        raise Invalid("Nothing to change was given.", fields={"action": "update needs something to change"})
    said = _said(given)
    with user_clock(note.user_id) as clock:
        row = _current(note, revision)
        if given.ttl_hours is not None:
            row.expires_at = _expiry(clock, given.ttl_hours)
        _put(row, said)
        row.updated_at = clock.at
        row.revision += 1
        row.save(force_update=True)
    return row


def delete_note(*, note: ScratchNote, revision: int | None = None) -> None:
    """Raises NotFound and StaleRevision as :func:`update_note`."""
    with user_clock(note.user_id):
        _current(note, revision).delete()


def clear_notes(*, place: Place) -> int:
    """Delete every note of the list. Returns how many were there for a reader: what has expired does not count."""
    with user_clock(place.user_id):
        rows = ScratchNote.objects.in_list(place)
        number, _each = rows.current().delete()
        rows.delete()
    return number


def sweep_expired() -> bool:
    """Delete some of what has expired. Returns whether there may be more. Who extends one meanwhile keeps it."""
    expired = ScratchNote.objects.filter(expires_at__lte=StatementNow())
    some = expired.order_by("expires_at").values("pk")[:_SWEPT_AT_ONCE]
    number, _each = expired.filter(pk__in=some).delete()
    return number >= _SWEPT_AT_ONCE


def _current(note: ScratchNote, revision: int | None) -> ScratchNote:
    row = ScratchNote.objects.current().filter(pk=note.pk).first()
    if row is None:
        raise nothing_called("note", f"{PREFIX}{note.ref}")
    require_revision(row, revision)
    return row


def _said(given: NoteWords) -> Said:
    said = Said()
    if given.topic is not None:
        said.needed_text("topic", given.topic, most=TOPIC_MOST)
    if given.content is not None:
        said.needed_text("content", given.content, most=CONTENT_MOST, lines=True)
    if given.tags is not None:
        said.words("tags", _checked_tags(given.tags))
    if given.ttl_hours is not None and not 1 <= given.ttl_hours <= TTL_HOURS_MOST:
        raise Invalid(
            f"A note is kept for 1 to {TTL_HOURS_MOST} hours.", fields={"ttl_hours": f"must be 1 to {TTL_HOURS_MOST}"}
        )
    return said


def _checked_tags(tags: Sequence[str]) -> list[str]:
    spelled = spelled_tags(tags)
    if len(spelled) > TAGS_MOST:
        raise Invalid(f"{len(spelled)} tags are too many.", fields={"tags": f"must have at most {TAGS_MOST} entries"})
    for index, tag in enumerate(spelled):
        if len(tag) > TAG_LONGEST:
            sentence = f"must have at most {TAG_LONGEST} characters"
            raise Invalid(f"A tag has 1 to {TAG_LONGEST} characters.", fields={f"tags.{index}": sentence})
    return spelled


def _expiry(clock: Clock, hours: int) -> datetime:
    return clock.at + timedelta(hours=hours)


def _put(note: ScratchNote, said: Said) -> None:
    for name, value in said.values.items():
        setattr(note, name, value)
    note.flags = flags_after(note.flags, said.found)
    note.searched = searchable(note.topic, note.content, *note.tags)
