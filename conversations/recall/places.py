"""Where found entries stand: in which session, and with which number there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db.models import F, Sum, Window

from conversations.models import Chunk, Session
from conversations.recall.coverage import CodedError
from conversations.recall.index import number_of, place_of
from conversations.sessions.entries import Entry
from conversations.sessions.heads import Heads
from conversations.sessions.reading import Placed, read_many


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as a page needs it: its session, and how many entries stand before it there, of all branches and of the
    active one."""

    number: int
    session: int
    before: int
    active_before: int


@dataclass(frozen=True, slots=True)
class Located:
    """An entry that was read, with its number among those of the branches that were asked for, and its position among
    those of all."""

    number: int
    session: Session
    index: int
    position: int
    entry: Entry


def pieces_of(user_id: int, chunks: Iterable[int]) -> dict[int, Piece]:
    """The chunks of this owner, by their row ids; what was deleted is not among them."""
    wanted = list(set(chunks))
    sessions = Chunk.objects.filter(user_id=user_id, pk__in=wanted).values("session_id")
    rows = (
        Chunk.objects.filter(session_id__in=sessions)
        .annotate(upto=_running("entries"), active_upto=_running("active_entries"))
        .values_list("pk", "session_id", "upto", "active_upto", "entries", "active_entries")
    )
    kept = set(wanted)
    return {
        pk: Piece(pk, session, upto - entries, active_upto - active)
        for pk, session, upto, active_upto, entries, active in rows
        if pk in kept
    }


def _running(column: str) -> Window:
    """The sum of a column over the chunks of a session up to each."""
    return Window(Sum(column), partition_by=F("session_id"), order_by=F("number").asc())


def locate(pieces: Mapping[int, Piece], numbers: Sequence[int], branches: str) -> dict[int, Located]:
    """The entries of these numbers, read from their chunks. Each chunk is read once."""
    wanted: dict[int, set[int]] = {}
    for number in numbers:
        pk, place = place_of(number)
        if pk in pieces:
            wanted.setdefault(pk, set()).add(place)
    chunks = Chunk.objects.filter(pk__in=wanted).select_related("session__conversation")
    read = read_many((chunk, wanted[chunk.pk]) for chunk in chunks)
    located = (_located(chunk, heads, placed, pieces[chunk.pk], branches) for chunk, heads, placed in read)
    return {one.number: one for one in located if one is not None}


def _located(chunk: Chunk, heads: Heads, placed: Placed, piece: Piece, branches: str) -> Located | None:
    """None where the branch moved on since the index looked."""
    position = piece.before + placed.place
    if branches == "all":
        index = position
    elif placed.active:
        index = piece.active_before + sum(head.active for head in heads.entries[: placed.place])
    else:
        return None
    return Located(number_of(chunk.pk, placed.place), chunk.session, index, position, placed.entry)


def entry_count(session: Session, branches: str) -> int:
    """How many entries these branches have."""
    return session.active_entries if branches == "active" else session.entries


def numbers_within(session: Session, branches: str, first: int, last: int) -> frozenset[int]:
    """What names the entries from ``first`` to ``last``, both inclusive. Raises :class:`CodedError`
    ``index_out_of_bounds``."""
    count = entry_count(session, branches)
    if not 0 <= first <= last < count:
        raise CodedError(
            "index_out_of_bounds",
            f"Entries {first} to {last} are not all there.",
            first=first,
            last=last,
            entryCount=count,
        )
    wanted = frozenset(range(first, last + 1))
    return frozenset(number_of(chunk.pk, place) for chunk, _, place, index in selection(session, branches, wanted))


def selection(
    session: Session, branches: str, indices: frozenset[int] | None
) -> Iterator[tuple[Chunk, Heads, int, int]]:
    """The entries of these numbers in order: chunk, its heads, place in it, number; None for all. Reads only the
    chunks in which one of them stands. Raises :class:`CodedError` ``source_unavailable``."""
    counted = "active_entries" if branches == "active" else "entries"
    before = 0
    for pk, size in session.chunks.order_by("number").values_list("pk", counted):
        if size and (indices is None or not indices.isdisjoint(range(before, before + size))):
            chunk = Chunk.objects.select_related("session").filter(pk=pk).first()
            if chunk is None:
                raise CodedError("source_unavailable", "The session was deleted while it was read.")
            heads = Heads.unpack(chunk.heads)
            places = [n for n, head in enumerate(heads.entries) if branches == "all" or head.active]
            for index, place in enumerate(places, start=before):
                if indices is None or index in indices:
                    yield chunk, heads, place, index
        before += size


def by_chunk(
    session: Session, branches: str, indices: frozenset[int] | None
) -> Iterator[tuple[Chunk, Heads, dict[int, int]]]:
    """The same a chunk at a time: the numbers of its entries by their places."""
    for (chunk, heads), found in groupby(selection(session, branches, indices), key=itemgetter(0, 1)):
        yield chunk, heads, {place: index for _, _, place, index in found}
