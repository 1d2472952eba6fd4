"""What stands where in a chunk: derived from its bytes, so that one entry is found without reading the others."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import zstandard

from conversations.sessions.entries import Entry, Node

# Of the compression: as fast as it can be, the bytes of a source are the larger part.
_LEVEL = 3


class RecordHead(NamedTuple):
    """Where a record stands in the source, and in the tree: its id, its parent's, and whether it clings to that one;
    without an id it is no node."""

    ordinal: int
    start: int
    end: int
    id: str | None = None
    parent: str | None = None
    clings: bool = False

    @property
    def node(self) -> Node | None:
        return None if self.id is None else Node(self.id, self.parent, bool(self.clings))


class EntryHead(NamedTuple):
    """``record`` is the place of its record among those of the chunk. ``active``: it is on the active branch. What an
    entry read alone may not know of itself is kept here: its id, and whether it is ``prose``."""

    record: int
    child: int
    entry_id: str | None
    operation_address: str | None
    prose: bool = False
    active: bool = True


@dataclass(slots=True)
class Heads:
    """The records of a chunk that give something, their entries in order, and the tools that these call or answer."""

    records: list[RecordHead] = field(default_factory=list)
    entries: list[EntryHead] = field(default_factory=list)
    calls: dict[str, str] = field(default_factory=dict)

    def add(self, ordinal: int, start: int, end: int, node: Node | None, entries: Sequence[Entry]) -> None:
        """One record that was read."""
        place = len(self.records)
        known = (node.id, node.parent, node.clings) if node else ()
        self.records.append(RecordHead(ordinal, start, end, *known))
        for entry in entries:
            self.entries.append(EntryHead(place, entry.child, entry.entry_id, entry.operation_address, entry.prose))
            self.calls.update(entry.calls)

    def extend(self, later: "Heads") -> None:
        """Those of the bytes that follow."""
        before = len(self.records)
        self.records += later.records
        self.entries += [entry._replace(record=entry.record + before) for entry in later.entries]
        self.calls.update(later.calls)

    def nodes(self) -> Iterator[tuple[int, Node | None]]:
        for record in self.records:
            yield record.ordinal, record.node

    def mark(self, active: frozenset[int]) -> bool:
        """Say which entries are on the active branch, by the ordinals of their records. Returns whether that changed
        anything."""
        marked = [entry._replace(active=self.records[entry.record].ordinal in active) for entry in self.entries]
        changed = marked != self.entries
        self.entries = marked
        return changed

    @property
    def active_entries(self) -> int:
        return sum(entry.active for entry in self.entries)

    def pack(self) -> bytes:
        return compressed(json.dumps([self.records, self.entries, self.calls], separators=(",", ":")).encode())

    @classmethod
    def unpack(cls, packed: bytes | memoryview) -> "Heads":
        # Many are unpacked for one page: tuples are made faster than anything else.
        records, entries, calls = json.loads(decompressed(packed))
        return cls(list(map(RecordHead._make, records)), list(map(EntryHead._make, entries)), calls)


def compressed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


def decompressed(packed: bytes | memoryview) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
