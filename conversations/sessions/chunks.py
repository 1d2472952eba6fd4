"""Cutting what was read of a source into chunks, so that one entry costs reading one of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conversations.sessions.entries import Bad, Entry, Reader, Record
from conversations.sessions.heads import Heads

# A chunk is full from here on; a record that is longer has one of its own.
FULL_BYTES = 128 * 1024
FULL_ENTRIES = 1000
# Entries of one record that are kept; the index has numbers for 65,536 of a chunk.
RECORD_ENTRIES_MOST = 50_000
RECORD_CUT = "max_record_entries"
# The last chunk of a source that grows takes more until it is so large.
OPEN_BYTES = 64 * 1024
# Characters of the first words of a person that are looked at.
_OPENING = 2000


@dataclass(slots=True)
class Cut:
    """A piece of a source: all bytes from ``start`` up to ``end``, and what stands where in them."""

    start: int
    end: int
    heads: Heads = field(default_factory=Heads)


@dataclass(slots=True)
class Reading:
    """What came of reading a source to its end. ``consumed``: up to which byte. ``opening``: how a person began."""

    cuts: list[Cut] = field(default_factory=list)
    opening: str = ""
    bad: int = 0
    records: int = 0
    consumed: int = 0


def read_all(found: Iterable[Record | Bad], reader: Reader, *, begin: int, size: int) -> Reading:
    """Read records from byte ``begin`` of a source of ``size`` bytes on. No byte is in two chunks, and none in none."""
    reading = Reading(consumed=begin)
    for cut in _cuts(found, reader, reading, begin):
        reading.cuts.append(cut)
    if reading.cuts:
        reading.cuts[-1].end = size
    elif size > begin:
        reading.cuts.append(Cut(begin, size))
    return reading


def _cuts(found: Iterable[Record | Bad], reader: Reader, reading: Reading, begin: int) -> Iterator[Cut]:
    cut = Cut(begin, begin)
    for piece in found:
        if cut.end > cut.start and _full(cut, piece.end):
            yield cut
            cut = Cut(cut.end, cut.end)
        cut.end = reading.consumed = piece.end
        if isinstance(piece, Bad):
            reading.bad += 1
            continue
        reading.records += 1
        read = reader.read(piece)
        entries = read.entries[:RECORD_ENTRIES_MOST]
        if len(entries) < len(read.entries):
            reader.state.because(RECORD_CUT)
        reading.opening = reading.opening or _opening(entries)
        if read.node is not None or entries:
            cut.heads.add(piece.ordinal, piece.start, piece.end, read.node, entries)
    if cut.end > cut.start:
        yield cut


def _opening(entries: Iterable[Entry]) -> str:
    said = (entry.text for entry in entries if entry.prose and entry.role == "user")
    return next((" ".join(text[:_OPENING].split()) for text in said if text.strip()), "")


def _full(cut: Cut, end: int) -> bool:
    return len(cut.heads.entries) >= FULL_ENTRIES or end - cut.start > FULL_BYTES
