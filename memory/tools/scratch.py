"""Scratch notes, for agents."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from memory.desk.places import Place
from memory.desk.results import Answered
from memory.models import ScratchNote
from memory.models.note import TAG_LONGEST, TAGS_MOST
from memory.models.scratch import CONTENT_MOST, TOPIC_MOST, TTL_HOURS_MOST
from memory.scratch import display
from memory.scratch.reading import PREFIX, find_note, first_line, list_notes
from memory.scratch.services import NoteWords, clear_notes, create_note, delete_note, update_note
from pawflow_web.identity.call import Call
from pawflow_web.lib.actions import Action, Effect
from pawflow_web.lib.periods import iso
from pawflow_web.lib.tool_fields import Cursor, HowMany
from pawflow_web.lib.tools import tool
from review.schemas import Revision

Tag = Annotated[str, Field(min_length=1, max_length=TAG_LONGEST)]
ACTIONS = {
    "create": Action(Effect.WRITE, needs=("topic", "content"), takes=("tags", "ttl_hours")),
    "update": Action(Effect.WRITE, needs=("note_id",), takes=("topic", "content", "tags", "ttl_hours", "revision")),
    "get": Action(Effect.READ, needs=("note_id",)),
    "list": Action(Effect.READ, takes=("query", "limit", "cursor")),
    "delete": Action(Effect.WRITE, needs=("note_id",), takes=("revision",)),
    "clear": Action(Effect.WRITE),
}


class NoteHeadOut(BaseModel):
    id: str = Field(description="sp_ and 12 digits")
    topic: str
    first_line: str
    tags: list[str]
    expires_at: str
    created_at: str
    updated_at: str
    revision: int


class ScratchpadResult(Answered):
    """A note (create, update, get), a page of heads (list), or what was deleted."""

    id: str | None = Field(default=None, description="sp_ and 12 digits")
    topic: str | None = None
    content: str | None = None
    tags: list[str] | None = None
    expires_at: str | None = Field(default=None, description="from then on it is gone")
    created_at: str | None = None
    updated_at: str | None = None
    revision: int | None = None
    items: list[NoteHeadOut] | None = None
    next: str | None = Field(default=None, description="cursor of the next page")
    total: int | None = Field(default=None, description="how many there are on all pages")
    deleted: bool | int | None = Field(default=None, description="true, or how many were cleared")


@tool("scratchpad", family="desk", effect=ACTIONS)
def scratchpad(
    call: Call,
    action: Annotated[Literal["create", "update", "get", "list", "delete", "clear"], Field(description="what to do")],
    note_id: Annotated[str | None, Field(min_length=1, max_length=40, description="a note: sp_3fa4c1d2e5b6")] = None,
    topic: Annotated[
        str | None,
        Field(min_length=1, max_length=TOPIC_MOST, description="what it is about; later turns are told of it"),
    ] = None,
    content: Annotated[str | None, Field(min_length=1, max_length=CONTENT_MOST, description="what it says")] = None,
    tags: Annotated[list[Tag] | None, Field(max_length=TAGS_MOST, description="words to find it by")] = None,
    ttl_hours: Annotated[
        int | None,
        Field(ge=1, le=TTL_HOURS_MOST, description="gone after so many hours from now; 168 for a new note"),
    ] = None,
    query: Annotated[str | None, Field(max_length=4000, description="a piece of topic, content or a tag")] = None,
    limit: HowMany = 20,
    cursor: Cursor = None,
    revision: Annotated[Revision, Field(description="the revision that you read; refused when it is no longer")] = None,
) -> ScratchpadResult:
    """Keep evidence for a while: `create`, `update`, `get`, `list`, `delete`, `clear`. Notes expire by themselves.

    Use it for what the work needs now and nobody needs later: findings, outputs, where to go on. Later turns are told
    the topics alone; `list` and `get` read the text. Update a note rather than write a second one. What must be
    finished belongs on the to-do list, lessons into the diary, lasting facts into `remember` or `kg_add`. In a
    conversation these are the notes of that conversation, else your own.
    """
    place = Place.of(call.principal)
    if action == "list":
        return _listed(place, query or "", limit, cursor)
    if action == "clear":
        number = clear_notes(place=place)
        return ScratchpadResult(deleted=number, display=display.cleared(number))
    given = NoteWords(topic, content, tags, ttl_hours)
    if action == "create":
        return _told(create_note(place=place, given=given), display.created)
    note = find_note(call.principal, note_id or "")
    if action == "update":
        return _told(update_note(note=note, given=given, revision=revision), display.updated)
    if action == "delete":
        delete_note(note=note, revision=revision)
        return ScratchpadResult(deleted=True, id=f"{PREFIX}{note.ref}", display=display.deleted(note))
    return _told(note, display.whole)


def _told(note: ScratchNote, words: Callable[[ScratchNote], str]) -> ScratchpadResult:
    return ScratchpadResult(
        id=f"{PREFIX}{note.ref}",
        topic=note.topic,
        content=note.content,
        tags=note.tags,
        expires_at=iso(note.expires_at),
        created_at=iso(note.created_at),
        updated_at=iso(note.updated_at),
        revision=note.revision,
        display=words(note),
    )


def _listed(place: Place, query: str, limit: int, cursor: str | None) -> ScratchpadResult:
    page = list_notes(place, query=query, limit=limit, cursor=cursor)
    return ScratchpadResult(
        items=[_head(note) for note in page.notes], next=page.next, total=page.total, display=display.listed(page)
    )


def _head(note: ScratchNote) -> NoteHeadOut:
    return NoteHeadOut(
        id=f"{PREFIX}{note.ref}",
        topic=note.topic,
        first_line=first_line(note),
        tags=note.tags,
        expires_at=iso(note.expires_at) or "",
        created_at=iso(note.created_at) or "",
        updated_at=iso(note.updated_at) or "",
        revision=note.revision,
    )
