"""What the reader of a told conversation shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from conversations.models import Conversation, Turn
from conversations.pages.labels import role_of
from conversations.pages.places import address_of_turn, session_address
from conversations.record.reading import ShownStep, shown_steps, turns_from
from pawflow_web.identity.principal import Principal

TURNS = 30


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
    def who(self) -> str:
        return role_of(self.turn.role)

    @property
    def by(self) -> str:
        """Who told it, where that is somebody else than the role says."""
        return "" if self.turn.principal == self.turn.role else self.turn.principal


@dataclass(frozen=True, slots=True)
class Reader:
    """A part of a conversation. ``later`` and ``first`` are addresses, where there is something; ``back`` is the page
    that one came from."""

    conversation: Conversation
    said: Sequence[Said]
    later: str
    first: str
    back: str

    @property
    def searchable(self) -> bool:
        return not (self.conversation.encrypted or self.conversation.temporary)

    @property
    def learned(self) -> str:
        """What asks which beliefs were said in these turns."""
        turns = [said.ref for said in self.said]
        return urlencode({"conversation": self.conversation.ref, "turn": turns}, doseq=True)


def reader_of(person: Principal, conversation: Conversation, begin: Turn | None, *, back: str = "") -> Reader:
    """From its first turn, or from ``begin`` on."""
    turns = turns_from(person, conversation, begin, limit=TURNS + 1)
    later = {"from": str(turns[TURNS]), "back": back} if len(turns) > TURNS else None
    return Reader(
        conversation,
        list(_said(turns[:TURNS])),
        later=session_address(conversation.ref, later) if later else "",
        first=session_address(conversation.ref, {"back": back}) if begin is not None else "",
        back=back,
    )


def address_of(turn: Turn) -> str:
    """Where the reader shows this turn."""
    return address_of_turn(turn.conversation.ref, str(turn))


def anchor_of(turn: Turn) -> str:
    return f"t-{turn.run.name}-{turn.number}"


def _said(turns: Sequence[Turn]) -> Iterator[Said]:
    for turn in turns:
        yield Said(turn, list(shown_steps(turn)))
