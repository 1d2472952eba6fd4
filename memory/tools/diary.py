"""The diary tools of agents."""

from typing import Annotated

from pydantic import BaseModel, Field

from memory.diary.reading import LIST_CHARS, find_entry, is_kept_back, list_entries
from memory.diary.services import ENTRY_MOST, write_entry
from memory.models import DiaryEntry, DiaryType
from memory.models.note import TAG_LONGEST, TAGS_MOST
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.periods import first_instant
from pawflow_web.lib.tool_fields import Cursor, HowMany
from pawflow_web.lib.tools import Effect, Result, tool
from review.display.shape import Time
from review.schemas import one_of

TypeWord = Annotated[DiaryType, one_of(DiaryType)]
Tag = Annotated[str, Field(min_length=1, max_length=TAG_LONGEST)]
Name = Annotated[str, Field(min_length=1, max_length=80)]

KEPT_BACK = "Kept back until a person lets it in."
_DISPLAY_CHARS = 120


class WrittenResult(Result):
    id: str = Field(description="the entry, for diary_read")
    type: str
    flagged: bool = Field(description="something was found in it: contexts leave it out until a person lets it in")
    created_at: Time


@tool("diary_write", family="diary", effect=Effect.WRITE, core=True, slash="diary add")
def diary_write(
    call: Call,
    entry: Annotated[
        str, Field(min_length=1, max_length=ENTRY_MOST, description="what you observed, decided or learned, as I")
    ],
    type: Annotated[  # noqa: A002 - its public name
        TypeWord, Field(description="a reflection says what earlier entries mean together")
    ] = DiaryType.OBSERVATION,
    tags: Annotated[list[Tag], Field(max_length=TAGS_MOST, description="words to sort it by")] = [],  # noqa: B006 - read only
) -> WrittenResult:
    """Write into your own diary: a choice that was not obvious and why, a lesson, a failure that comes back.

    In the first person, for your later self; it is no log of turns. Facts about people and projects go to remember,
    unfinished work to a todo list.
    """
    written = write_entry(principal=call.principal, text=entry, entry_type=type, tags=tags)
    return WrittenResult(
        id=str(written),
        type=written.type,
        flagged=bool(written.flags),
        created_at=written.created_at,
        display=_told(written),
    )


class EntryOut(BaseModel):
    id: str
    agent: str = Field(description="whose diary it is")
    type: str
    text: str
    truncated: bool = Field(description="there is more: ask with entry_id")
    flagged: bool = Field(description="something was found in it")
    tags: list[str]
    created_at: Time


class DiaryResult(Result):
    items: list[EntryOut]
    next: str | None = Field(description="cursor of the next page")


@tool("diary_read", family="diary", effect=Effect.READ, slash="diary list")
def diary_read(
    call: Call,
    limit: HowMany = 10,
    type: Annotated[TypeWord | None, Field(description="only entries of this type")] = None,  # noqa: A002 - its public name
    agents: Annotated[
        list[Name] | None,
        Field(max_length=100, description='whose diaries, by name, or ["*"] for all that are open; default your own'),
    ] = None,
    entry_id: Annotated[Name | None, Field(description="one entry, whole; nothing else counts then")] = None,
    before: Annotated[
        str | float | None,
        Field(description="only entries from before that time: ISO time with zone, date, month, year, epoch"),
    ] = None,
    cursor: Cursor = None,
) -> DiaryResult:
    """Read your diary, newest first: the beginning of each entry, or one entry whole.

    The diaries of other agents of your owner are read by their names, unless they are closed.
    """
    principal = call.principal
    if entry_id is not None:
        entry = find_entry(principal, entry_id)
        return _result(principal, [_shown(entry, entry.text, principal, truncated=False)], None)
    moment = first_instant(before, principal.zone, field="before")
    page = list_entries(principal, agents=agents, entry_type=type, before=moment, limit=limit, cursor=cursor)
    return _result(principal, [_shown_in_list(entry, principal) for entry in page.rows], page.next)


def _shown_in_list(entry: DiaryEntry, principal: Principal) -> EntryOut:
    beginning: str = entry.beginning  # type: ignore[attr-defined]  # annotated by the list
    return _shown(entry, beginning[:LIST_CHARS], principal, truncated=len(beginning) > LIST_CHARS)


def _shown(entry: DiaryEntry, text: str, principal: Principal, *, truncated: bool) -> EntryOut:
    kept_back = is_kept_back(entry, principal)
    return EntryOut(
        id=str(entry),
        agent=entry.agent.name,
        type=entry.type,
        text=KEPT_BACK if kept_back else text,
        truncated=truncated,
        flagged=bool(entry.flags),
        tags=[] if kept_back else entry.tags,
        created_at=entry.created_at,
    )


def _result(principal: Principal, items: list[EntryOut], following: str | None) -> DiaryResult:
    shown = "\n".join(_line(item, principal, whole=len(items) == 1) for item in items)
    return DiaryResult(items=items, next=following, display=shown or "Nothing is written there.")


def _line(item: EntryOut, principal: Principal, *, whole: bool) -> str:
    assert item.created_at is not None  # noqa: S101 - each entry has it
    at = item.created_at.astimezone(principal.zone).strftime("%Y-%m-%d %H:%M")
    words = item.text if whole else " ".join(item.text.split())[:_DISPLAY_CHARS]
    return f"- {at} {item.agent}, {item.type}: {words} {item.id}"


def _told(entry: DiaryEntry) -> str:
    if entry.admitted:
        return f"Written as {entry}, {entry.type}."
    return f"Written as {entry}, {entry.type}. Contexts leave it out until a person lets it in."
