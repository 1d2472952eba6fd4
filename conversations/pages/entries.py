"""The reader of a session that came as a file: its entries, a page at a time."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Literal

from django.utils.text import Truncator
from django.utils.translation import ngettext

from conversations.models import Conversation, Session
from conversations.pages.labels import OUTCOMES, kind_of, reasons_of, role_of
from conversations.pages.marks import Span, marks_of
from conversations.pages.places import session_address
from conversations.pages.sessions_list import parents_of
from conversations.recall.places import by_chunk, entry_count
from conversations.sessions.entries import Entry
from conversations.sessions.formats.composing import compact
from conversations.sessions.reading import entries_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.web.templatetags.pawflow import thousands

ENTRIES = 50
# Characters of a piece as it is shown among others, and of one that was asked for by its number.
PIECE, WHOLE = 4000, 200_000
_SUMMARY, _SUB_AGENTS = 120, 50
_CALL = re.compile(r"Tool: (?P<name>[^\n(]*)\(")
# What the readers of formats put before a call and a result; the page says both in its own words.
_BEFORE = re.compile(r"Tool: |compaction: |toolResult(?:\([^)\n]*\))?(?: \[error\])?: |Fabric operation ")
_MANY_BRANCHES = "all"


Kind = Literal["words", "line", "call", "folded"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an entry. ``words`` stand open, and so does a ``line`` of what was done; ``call`` and ``folded`` stand
    behind their first line. ``left``: how many characters of it are not shown."""

    kind: Kind
    text: str
    summary: str = ""
    spans: Sequence[Span] = ()
    left: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as the page draws it. ``index`` is its number among those of the branches that are shown; ``small``: a
    row about what happened, not what was said; ``aside``: it is not on the active branch."""

    index: int
    who: str
    tool: str
    at: datetime | None
    pieces: Sequence[Piece]
    url: str
    small: bool = False
    prose: bool = False
    failed: bool = False
    outcome: str = ""
    current: bool = False
    aside: bool = False

    @property
    def number(self) -> int:
        """As a person counts."""
        return self.index + 1


@dataclass(frozen=True, slots=True)
class Entries:
    """A page of a session. ``earlier``, ``later``, ``active`` and ``all`` are addresses, empty where they lead nowhere
    else. ``first`` and ``last`` count from 1."""

    conversation: Conversation
    session: Session
    shown: Sequence[Shown]
    count: int
    first: int
    last: int
    branches: str
    earlier: str
    later: str
    active: str
    all: str
    parent: Session | None
    sub_agents: Sequence[Session] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return kind_of(self.session.kind)

    @property
    def agent(self) -> str:
        return str(self.session.state.get("agent", ""))

    @property
    def reasons(self) -> str:
        """Why it is not all that there was, in words; empty where it is."""
        bad = self.session.bad_lines
        lines = ngettext("%(number)s line could not be read", "%(number)s lines could not be read", bad)
        told = [lines % {"number": thousands(bad)} if bad else "", reasons_of(self.session.reasons)]
        return "; ".join(filter(None, told))


@dataclass(frozen=True, slots=True)
class At:
    """Where to read: from the entry of number ``begin`` on, or the page on which ``entry`` stands, which is marked.
    ``query`` and ``match``: what it was found by. ``back``: the page that one came from."""

    begin: int = 0
    entry: int | None = None
    branches: str = "active"
    query: str = ""
    match: str = ""
    back: str = ""


def entries_at(person: Principal, conversation: Conversation, session: Session, at: At) -> Entries:
    """Raises :class:`NotFound` for a number that no entry has."""
    count = entry_count(session, at.branches)
    begin = at.begin if at.entry is None else at.entry - at.entry % ENTRIES
    if (at.entry is not None and at.entry >= count) or (begin and begin >= count):
        raise NotFound(f"The session has {count} entries here.")
    end = min(begin + ENTRIES, count)
    return Entries(
        conversation=conversation,
        session=session,
        shown=list(_shown(conversation.ref, session, at, begin, end)),
        count=count,
        first=min(begin + 1, count),
        last=end,
        branches=at.branches,
        earlier=_page(conversation.ref, at, max(0, begin - ENTRIES)) if begin else "",
        later=_page(conversation.ref, at, end) if end < count else "",
        active=session_address(conversation.ref, {"back": at.back}),
        all=session_address(conversation.ref, {"branches": _MANY_BRANCHES, "back": at.back}),
        parent=parents_of(person, [session]).get(session.parent),
        sub_agents=_sub_agents(person, session),
    )


def pieces_of(entry: Entry, *, most: int = PIECE, query: str = "", match: str = "") -> list[Piece]:
    """What an entry says, in parts: words, and what was called or answered, folded."""
    if not entry.text.strip():
        return []
    if entry.role == "assistant":
        parts = list(_said_and_called(entry))
    elif entry.prose:
        parts = [("words", entry.text)]
    else:
        parts = [("folded", entry.text)]
    marked = partial(marks_of, query=query, match=match)
    return [_piece(entry, kind, text, most, marked) for kind, text in parts]


def _shown(ref: str, session: Session, at: At, begin: int, end: int) -> Iterator[Shown]:
    for chunk, heads, numbers in by_chunk(session, at.branches, frozenset(range(begin, end))):
        for placed in entries_of(session, chunk, heads, numbers):
            yield _entry(ref, placed.entry, numbers[placed.place], at, aside=not placed.active)


def _entry(ref: str, entry: Entry, index: int, at: At, *, aside: bool) -> Shown:
    current = index == at.entry
    asked: dict[str, str | int] = {"entry": index, "branches": _kept(at.branches), "back": at.back}
    query = at.query if current else ""
    # A message that a program made for the person goes under their role.
    made = entry.role == "user" and not entry.prose and bool(entry.text.strip())
    return Shown(
        index=index,
        who=role_of("custom" if made else entry.role),
        tool=entry.ref or entry.tool or "",
        at=_moment(entry.timestamp),
        pieces=pieces_of(entry, most=WHOLE if current else PIECE, query=query, match=at.match),
        url=session_address(ref, asked, anchor=f"e-{index}"),
        small=made or entry.type != "message" or entry.role not in {"user", "assistant"},
        prose=entry.prose,
        failed=entry.is_error,
        outcome=str(OUTCOMES.get(entry.outcome or "", "")),
        current=current,
        aside=aside,
    )


def _said_and_called(entry: Entry) -> Iterator[tuple[Kind, str]]:
    """The calls stand in the text as the reader of the format has put them there, each from the start of a line to the
    end of one. Only those of tools that the entry did call are taken for calls."""
    names = {name for _, name in entry.calls} | {entry.tool}
    words: list[str] = []
    lines = iter(entry.text.split("\n"))
    for line in lines:
        called = _CALL.match(line)
        if called is None or called["name"] not in names:
            words.append(line)
            continue
        if any(map(str.strip, words)):
            yield "words", "\n".join(words).strip("\n")
        words, call = [], [line]
        # Arguments that are no JSON, as a patch, may be of several lines.
        while not call[-1].endswith(")") and (following := next(lines, None)) is not None:
            call.append(following)
        yield "call", "\n".join(call)
    if any(map(str.strip, words)):
        yield "words", "\n".join(words).strip("\n")


def _piece(entry: Entry, kind: Kind, text: str, most: int, marked: Callable[[str], Sequence[Span]]) -> Piece:
    if kind == "folded" and "\n" not in text and len(text) <= _SUMMARY:
        kind, text = "line", _BEFORE.sub("", text, count=1) or text
    shown = text[:most]
    summary = _summary(entry, shown) if kind in {"call", "folded"} else ""
    return Piece(kind, shown, summary, marked(shown), len(text) - len(shown))


def _summary(entry: Entry, text: str) -> str:
    """The arguments of an operation, else the first line."""
    if entry.operation is not None and "args" in entry.operation:
        first = compact(entry.operation["args"])
    else:
        first = next((line for line in text.splitlines() if line.strip()), "").strip()
    return Truncator(_BEFORE.sub("", first, count=1) or first).chars(_SUMMARY)


def _sub_agents(person: Principal, session: Session) -> list[Session]:
    """Those that were begun from this one, the first first."""
    names = [name for name in (session.session_id, session.path) if name]
    rows = Session.objects.visible_to(person).filter(parent__in=names).exclude(pk=session.pk)
    return list(rows.select_related("conversation").order_by("mtime", "pk")[:_SUB_AGENTS])


def _page(ref: str, at: At, begin: int) -> str:
    return session_address(ref, {"begin": begin or "", "branches": _kept(at.branches), "back": at.back})


def _kept(branches: str) -> str:
    return "" if branches == "active" else branches


def _moment(milliseconds: int | None) -> datetime | None:
    try:
        return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return None
