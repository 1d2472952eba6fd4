"""What stands where in a chunk: derived from its bytes, so that one entry is found without reading the others."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import zstandard

from conversations.sessions.entries import Entry, Node

# Of the compression: as fast as it can be, the bytes of a source are the larger part.
_LEVEL = 3


@dataclass(frozen=True, slots=True)
class RecordHead:
    """Where a record stands in the source, and in the tree."""

    ordinal: int
    start: int
    end: int
    node: Node | None = None


@dataclass(slots=True)
class EntryHead:
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
        self.records.append(RecordHead(ordinal, start, end, node))
        for entry in entries:
            self.entries.append(EntryHead(place, entry.child, entry.entry_id, entry.operation_address, entry.prose))
            self.calls.update(entry.calls)

    def extend(self, later: "Heads") -> None:
        """Those of the bytes that follow."""
        before = len(self.records)
        self.records += later.records
        for entry in later.entries:
            entry.record += before
            self.entries.append(entry)
        self.calls.update(later.calls)

    def nodes(self) -> Iterator[tuple[int, Node | None]]:
        for record in self.records:
            yield record.ordinal, record.node

    def mark(self, active: frozenset[int] | set[int] | None) -> bool:
        """Say which entries are on the active branch, by the ordinals of their records; None: all. Returns whether
        that changed anything."""
        changed = False
        for entry in self.entries:
            stands = active is None or self.records[entry.record].ordinal in active
            changed |= stands != entry.active
            entry.active = stands
        return changed

    @property
    def active_entries(self) -> int:
        return sum(entry.active for entry in self.entries)

    def pack(self) -> bytes:
        records = [
            [r.ordinal, r.start, r.end - r.start, *([r.node.id, r.node.parent, int(r.node.clings)] if r.node else [])]
            for r in self.records
        ]
        entries = [
            [e.record, e.child, e.entry_id, e.operation_address, int(e.prose), int(e.active)] for e in self.entries
        ]
        return compressed(json.dumps([records, entries, self.calls], separators=(",", ":")).encode())

    @classmethod
    def unpack(cls, packed: bytes | memoryview) -> "Heads":
        records, entries, calls = json.loads(decompressed(packed))
        return cls(
            [_record(*record) for record in records],
            [_entry(*entry) for entry in entries],
            calls,
        )


def _entry(record: int, child: int, name: str | None, address: str | None, prose: int, active: int) -> EntryHead:
    return EntryHead(record, child, name, address, bool(prose), bool(active))


def _record(ordinal: int, start: int, length: int, *node: str | int | None) -> RecordHead:
    place = Node(str(node[0]), None if node[1] is None else str(node[1]), bool(node[2])) if node else None
    return RecordHead(ordinal, start, start + length, place)


def compressed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


def decompressed(packed: bytes | memoryview) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
