"""The answer of ``memory_expand``: whole records of one session, in pieces that fit."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.models import Session
from conversations.recall.answering import bindings, lineage_of, named, require_bound, size_of
from conversations.recall.asked import ENVELOPE, EXPAND
from conversations.recall.coverage import CodedError
from conversations.recall.places import by_chunk, entry_count, selection
from conversations.recall.scopes import find_session, selector_of
from conversations.sessions.entries import Entry
from conversations.sessions.reading import entries_of
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import iso_of_millis

SELECTORS_MOST = 100
# Of an operation or a fact as JSON; paths of an entry and their characters, and how many where room is short.
_STRUCTURED, _PATHS, _PATH_LONGEST, _PATHS_SHORT = 2000, 20, 1024, 4
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be read. ``arguments`` are those of the caller, by their names in the contract."""

    session: str
    branches: str = "active"
    indices: Sequence[int] = ()
    entry_ids: Sequence[str] = ()
    addresses: Sequence[str] = ()
    entry_range: tuple[int, int] | None = None
    before: int = 0
    after: int = 0
    entry_offset: int = 0
    text_offset: int = 0
    max_chars: int = 20_000
    max_entries: int = 10
    expected_hash: str | None = None
    expected_lineage: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def selected(self) -> int:
        return len(self.indices) + len(self.entry_ids) + len(self.addresses)

    def checked(self) -> "Wanted":
        """The same. Raises :class:`Invalid` for what does not go together."""
        if self.selected > SELECTORS_MOST:
            raise Invalid(f"At most {SELECTORS_MOST} entries can be named at once.", fields={"indices": "are too many"})
        if (self.before or self.after) and (self.selected != 1 or self.entry_range is not None):
            raise Invalid("before and after go around one entry.", fields={"before": "needs exactly one entry"})
        return self


def expand(call: Call, wanted: Wanted) -> Answer:
    """``{session, sourceHash, branches, lineageFingerprint, entryCount, entries, next}``, with ``error`` where that is
    the answer. Raises :class:`~pawflow_web.lib.errors.Invalid` for what cannot be asked."""
    wanted = wanted.checked()
    try:
        session = find_session(Session.objects.visible_to(call.principal), wanted.session)
        require_bound(session, wanted.branches, wanted.expected_hash, wanted.expected_lineage)
        return _Expansion(session, wanted).answer()
    except CodedError as error:
        return {"session": wanted.session, "entries": [], "next": None, "error": error.value}


class _Expansion:
    def __init__(self, session: Session, wanted: Wanted) -> None:
        self.session, self.wanted = session, wanted
        self.count = entry_count(session, wanted.branches)
        self.anchor: int | None = None

    def answer(self) -> Answer:
        """As much as fits, from where the call begins."""
        head = {
            "session": selector_of(self.session),
            "sourceHash": self.session.source_hash,
            "branches": self.wanted.branches,
            "lineageFingerprint": lineage_of(self.session, self.wanted.branches),
            "entryCount": self.count,
        }
        indices = self._indices()
        begin = self.wanted.entry_offset
        if begin > len(indices) or (begin and begin == len(indices)):
            raise CodedError("index_out_of_bounds", "The selection ends before that.", entryOffset=begin)
        page = indices[begin : begin + self.wanted.max_entries]
        entries = self._read(page)
        room = ENVELOPE - size_of(head) - size_of(self._next(10**9, 10**9))
        shown, offset = self._fitted(page, entries, room)
        upto = begin + len(shown) - (1 if offset else 0)
        more = upto < len(indices)
        return {**head, "entries": shown, "next": self._next(upto, offset) if more else None}

    def _next(self, entry_offset: int, text_offset: int) -> Answer:
        kept = {name: value for name, value in self.wanted.arguments.items() if name != "textOffset"}
        moved = {"entryOffset": entry_offset, **({"textOffset": text_offset} if text_offset else {})}
        limits = {"maxChars": self.wanted.max_chars, "maxEntries": self.wanted.max_entries}
        session = {"session": selector_of(self.session)}
        return {
            "ref": EXPAND,
            "args": {**kept, **session, **bindings(self.session, self.wanted.branches), **limits, **moved},
        }

    def _indices(self) -> list[int]:
        wanted = self.wanted
        found = set(wanted.indices)
        for index in found:
            self._require_there(index, index)
        if wanted.entry_range is not None:
            self._require_there(*wanted.entry_range)
            found |= set(range(wanted.entry_range[0], wanted.entry_range[1] + 1))
        if wanted.entry_ids or wanted.addresses:
            found |= self._named()
        if wanted.before or wanted.after:
            (self.anchor,) = found
            found = set(range(max(0, self.anchor - wanted.before), min(self.count, self.anchor + wanted.after + 1)))
        return sorted(found)

    def _require_there(self, first: int, last: int) -> None:
        if not 0 <= first <= last < self.count:
            raise CodedError(
                "index_out_of_bounds",
                f"The session has {self.count} entries, numbered from 0.",
                first=first,
                last=last,
                entryCount=self.count,
            )

    def _named(self) -> set[int]:
        """The numbers of the entries that are named, each of which must be one."""
        ids: dict[str, list[int]] = {name: [] for name in self.wanted.entry_ids}
        addresses: dict[str, list[int]] = {name: [] for name in self.wanted.addresses}
        for _, heads, place, index in selection(self.session, self.wanted.branches, None):
            entry = heads.entries[place]
            if entry.entry_id in ids:
                ids[entry.entry_id].append(index)
            if entry.operation_address in addresses:
                addresses[entry.operation_address].append(index)
        for kind, found in (("entry_id", ids), ("operation_address", addresses)):
            for name, places in found.items():
                if len(places) != 1:
                    code = "ambiguous_address" if places else "address_not_found"
                    message = f"{len(places)} entries are called {ascii(name)[:100]}."
                    raise CodedError(code, message, addressType=kind, address=name, matches=len(places))
        return {places[0] for places in (*ids.values(), *addresses.values())}

    def _read(self, indices: Sequence[int]) -> dict[int, Entry]:
        found = {}
        for chunk, heads, numbers in by_chunk(self.session, self.wanted.branches, frozenset(indices)):
            for placed in entries_of(chunk.session, chunk, heads, numbers):
                found[numbers[placed.place]] = placed.entry
        return found

    def _fitted(self, page: Sequence[int], entries: dict[int, Entry], room: int) -> tuple[list[Answer], int]:
        """Entries until text or envelope is full, and where the text of the last goes on, 0 for at its end."""
        shown: list[Answer] = []
        chars, begin = self.wanted.max_chars, self.wanted.text_offset
        for index in page:
            if index not in entries:
                # Its record is gone from what was told, which nobody may read any more.
                raise CodedError("source_unavailable", f"Entry {index} cannot be read any more.")
            value, end, total = self._piece(index, entries[index], begin, min(chars, room))
            size = size_of(value) + 1
            if shown and (size > room or (chars <= 0 and total)):
                return shown, 0
            shown.append(value)
            if end < total:
                return shown, end
            room, chars, begin = room - size, chars - (end - begin), 0
        return shown, 0

    def _piece(self, index: int, entry: Entry, begin: int, chars: int) -> tuple[Answer, int, int]:
        """One entry with at most so many characters of its text from ``begin`` on, fewer where they do not fit."""
        total = len(entry.text)
        if begin > total:
            raise CodedError("text_offset_out_of_bounds", f"The text has {total} characters.", textLength=total)
        value = record_of(index, entry)
        if self.anchor is not None:
            value["anchor"] = index == self.anchor
        end = min(total, begin + max(chars, 1))
        while True:
            value["text"] = entry.text[begin:end]
            value["textRange"] = {"start": begin, "end": end, "total": total, "complete": begin == 0 and end == total}
            over = size_of(value) - (ENVELOPE - 4000)
            if over <= 0 or end - begin <= 1:
                return value, end, total
            end = max(begin + 1, begin + (end - begin) * (ENVELOPE - 4000) // (size_of(value) + 1))


def record_of(index: int, entry: Entry) -> Answer:
    """A normalised record with its whole text."""
    value = {
        "index": index,
        "entryId": named(entry.entry_id),
        "parentId": named(entry.parent_id),
        "type": entry.type,
        "role": named(entry.role),
        "timestamp": iso_of_millis(entry.timestamp),
        "isError": entry.is_error,
        **_optional(entry),
    }
    return {**value, "text": entry.text}


def _optional(entry: Entry) -> Answer:
    """What only some entries have. What is too long as a structure is left out, and that is said."""
    value: Answer = {
        "parentEntryId": entry.parent_entry_id,
        "operationAddress": entry.operation_address,
        "tool": entry.tool,
        "ref": entry.ref,
        "provider": entry.provider,
        "action": entry.action,
        "outcome": entry.outcome,
        "filesTouched": _paths(entry.paths) or None,
        "factAddress": entry.fact_address,
        "carrierEntryId": entry.carrier_entry_id,
        "carrierParentId": entry.carrier_parent_id,
        "carrierFromId": entry.carrier_from_id,
    }
    for name, structure in (("operation", entry.operation), ("branchFact", entry.branch_fact)):
        if structure is not None and len(json.dumps(structure)) <= _STRUCTURED:
            value[name] = structure
        elif structure is not None:
            value["structuredTruncated"] = True
    return {name: named(one) if isinstance(one, str) else one for name, one in value.items() if one is not None}


def _paths(paths: Sequence[str]) -> list[str]:
    cut = [path[:_PATH_LONGEST] for path in paths[:_PATHS]]
    return cut if size_of({"": cut}) <= 2 * _STRUCTURED else cut[:_PATHS_SHORT]
