"""Reading entries again from where they stand: whole chunks, or some entries of them."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from conversations.models import TOLD, Chunk, Session, Step
from conversations.sessions import told
from conversations.sessions.entries import Entry, Policy, Reader, Record, State
from conversations.sessions.formats.registry import format_of
from conversations.sessions.heads import Heads, decompressed


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry with its place among those of its chunk."""

    place: int
    entry: Entry
    active: bool


def policy() -> Policy:
    """What becomes text on this installation."""
    env = settings.ENV
    return Policy(thinking=env.recall.index_thinking, tool_output=env.recall.index_tool_output)


def entries_of(session: Session, chunk: Chunk, heads: Heads, places: Collection[int] | None = None) -> Iterator[Placed]:
    """The entries of a chunk in order, or those at some places; what cannot be read any more is left out."""
    wanted = _wanted(heads, places)
    steps = told.steps_of([(heads, wanted)]) if session.kind == TOLD else {}
    return _entries(session, chunk, heads, wanted, steps)


def read_many(
    chunks: Iterable[tuple[Chunk, Collection[int] | None]],
) -> Iterator[tuple[Chunk, Heads, Placed]]:
    """The same of several chunks, each read with its session, at the places that stand beside them; None for all. What
    was told comes with one statement for all of them."""
    opened = [(chunk, Heads.unpack(chunk.heads), places) for chunk, places in chunks]
    unpacked = [(chunk, heads, _wanted(heads, places)) for chunk, heads, places in opened]
    steps = told.steps_of([(heads, wanted) for chunk, heads, wanted in unpacked if chunk.session.kind == TOLD])
    for chunk, heads, wanted in unpacked:
        for placed in _entries(chunk.session, chunk, heads, wanted, steps):
            yield chunk, heads, placed


# Places of records, each with those of its entries.
Wanted = Mapping[int, Sequence[int]]


def _wanted(heads: Heads, places: Collection[int] | None) -> Wanted:
    wanted: dict[int, list[int]] = {}
    for place, head in enumerate(heads.entries):
        if places is None or place in places:
            wanted.setdefault(head.record, []).append(place)
    return wanted


def _entries(
    session: Session, chunk: Chunk, heads: Heads, wanted: Wanted, steps: Mapping[int, Step]
) -> Iterator[Placed]:
    reader = _reader(session, heads)
    for record_place, record in _records(session, chunk, heads, wanted, steps):
        read = {entry.child: entry for entry in reader.read(record).entries}
        for place in wanted[record_place]:
            head = heads.entries[place]
            entry = read.get(head.child)
            if entry is not None:
                entry.prose, entry.entry_id = head.prose, head.entry_id
                yield Placed(place, entry, head.active)


def _reader(session: Session, heads: Heads) -> Reader:
    state = State(session_id=session.session_id, cwd=session.cwd, calls=dict(heads.calls))
    if session.kind == TOLD:
        return told.ToldReader(policy(), state)
    return format_of(session.kind).reader(policy(), state)


def _records(
    session: Session, chunk: Chunk, heads: Heads, places: Iterable[int], steps: Mapping[int, Step]
) -> Iterator[tuple[int, Record]]:
    if session.kind == TOLD:
        yield from told.records_of(session, heads, places, steps)
        return
    source = decompressed(chunk.body or b"")
    for place in places:
        head = heads.records[place]
        piece = source[head.start - chunk.start : head.end - chunk.start]
        yield place, Record(head.ordinal, head.start, head.end, json.loads(piece.decode("utf-8", "replace")))
