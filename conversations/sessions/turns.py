"""Turns of sessions that came as files: from one word of a person to the next."""

from collections.abc import Iterator
from dataclasses import dataclass

from conversations.models import Chunk, Session
from conversations.sessions.entries import Entry
from conversations.sessions.heads import Heads, decompressed
from conversations.sessions.reading import entries_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ids import parse_ref

# Entries of one turn that are read, on either side of the one that is named.
_MOST = 50


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """``number`` counts the entries of all branches from 1 and names the turn together with the session's ref.
    ``entries`` each with the bytes of its record."""

    session: Session
    number: int
    entries: tuple[tuple[Entry, bytes], ...]

    @property
    def ref(self) -> str:
        return f"{self.session.ref}:{self.number}"


def session_turn(principal: Principal, reference: str) -> SessionTurn | None:
    """The turn around the entry of ``session:number``; None where there is none for this caller."""
    name, _, number = reference.strip().rpartition(":")
    ref = parse_ref(name)
    if ref is None or not number.isdecimal() or not number.isascii() or len(number) > 9:
        return None
    session = Session.objects.visible_to(principal).select_related("conversation").filter(ref=ref).first()
    position = int(number) - 1
    if session is None or not 0 <= position < session.entries:
        return None
    around = list(_around(session, position))
    at = next((n for n, (place, *_) in enumerate(around) if place == position), None)
    if at is None:
        return None
    begin, end = _turn(around, at)
    return SessionTurn(session, position + 1, tuple((entry, raw) for _, entry, raw in around[begin:end]))


Placed = tuple[int, Entry, bytes]


def _turn(around: list[Placed], at: int) -> tuple[int, int]:
    """From what the person said before or at this place up to what they said next."""
    begin = next((n for n in range(at, -1, -1) if _asked(around[n][1])), 0)
    end = next((n for n in range(at + 1, len(around)) if _asked(around[n][1])), len(around))
    return begin, end


def _asked(entry: Entry) -> bool:
    return entry.prose and entry.role == "user"


def _around(session: Session, position: int) -> Iterator[Placed]:
    """The entries near a place, those of the same branch."""
    before = 0
    for pk, size in session.chunks.order_by("number").values_list("pk", "entries"):
        if before + size > position - _MOST and before <= position + _MOST:
            chunk = Chunk.objects.filter(pk=pk).first()
            if chunk is not None:
                yield from _near(chunk, session, before, position)
        before += size


def _near(chunk: Chunk, session: Session, before: int, position: int) -> Iterator[Placed]:
    heads = Heads.unpack(chunk.heads)
    source = decompressed(chunk.body) if chunk.body else b""
    places = [n for n, head in enumerate(heads.entries) if abs(before + n - position) <= _MOST]
    for placed in entries_of(session, chunk, heads, places):
        if placed.active or before + placed.place == position:
            head = heads.records[heads.entries[placed.place].record]
            yield before + placed.place, placed.entry, source[head.start - chunk.start : head.end - chunk.start]
