"""What the list of conversations and the reader of one show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from conversations.models import Conversation, Turn
from conversations.querysets import RECENT_FIRST
from conversations.record.reading import ShownStep, shown_steps, turns_from
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.paging import Page, Pager

LISTED, TURNS = 50, 30


@dataclass(frozen=True, slots=True)
class Said:
    """A turn in the reader."""

    turn: Turn
    steps: Sequence[ShownStep]

    @property
    def ref(self) -> str:
        return str(self.turn)

    @property
    def anchor(self) -> str:
        return anchor_of(self.turn)

    @property
    def at(self) -> datetime:
        return self.turn.at

    @property
    def by(self) -> str:
        """Who told it, where that is somebody else than the role says."""
        return "" if self.turn.principal == self.turn.role else self.turn.principal


@dataclass(frozen=True, slots=True)
class Reader:
    """A part of a conversation. ``later`` and ``first`` are addresses, where there is something."""

    conversation: Conversation
    said: Sequence[Said]
    later: str
    first: str


def conversations_of(person: Principal, cursor: str | None) -> Page[Conversation]:
    """The last changed first. Raises :class:`~pawflow_web.lib.errors.Invalid` for a cursor of another list."""
    rows = Conversation.objects.visible_to(person).select_related("project")
    return Pager.of("sessions", person.user_id, {}).page(rows, order=RECENT_FIRST, limit=LISTED, cursor=cursor)


def reader_of(person: Principal, conversation: Conversation, begin: Turn | None) -> Reader:
    """From its first turn, or from ``begin`` on."""
    turns = turns_from(person, conversation, begin, limit=TURNS + 1)
    here = reverse("session", args=[conversation.ref])
    later = f"{here}?{urlencode({'from': str(turns[TURNS])})}" if len(turns) > TURNS else ""
    return Reader(conversation, list(_said(turns[:TURNS])), later, here if begin is not None else "")


def address_of(turn: Turn) -> str:
    """Where the reader shows this turn."""
    here = reverse("session", args=[turn.conversation.ref])
    return f"{here}?{urlencode({'from': str(turn)})}#{anchor_of(turn)}"


def anchor_of(turn: Turn) -> str:
    return f"t-{turn.run.name}-{turn.number}"


def _said(turns: Sequence[Turn]) -> Iterator[Said]:
    for turn in turns:
        yield Said(turn, list(shown_steps(turn)))
