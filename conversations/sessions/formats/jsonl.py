"""Records of a source that holds one JSON object after another, in most files one a line.

Files of real products also hold objects over many lines, two objects on one line where a newline was missed, lines cut
in the middle, bytes that are no UTF-8. Each object is found by its own bytes and what is none of them is passed by, in
time linear in the length of the source.
"""

import re
from collections.abc import Iterator

from conversations.sessions.entries import Bad, Record
from conversations.sessions.formats.scanning import (
    Found,
    decode,
    is_cut,
    skip_blanks,
    text_of,
    value_at,
    width,
)

_BLANKS = re.compile(rb"[ \t\r\n]*")


def records_of_lines(source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
    """The objects of the source from a byte on. An object at the end that is not whole yet is left out."""
    lines = _Lines(source, begin, ordinal)
    while lines.next():
        end = source.find(b"\n", lines.at)
        end = len(source) if end < 0 else end
        record = lines.whole(end)
        if record is None:
            yield from lines.pieces(end)
        else:
            yield record


class _Lines:
    """Where reading stands. ``barred``: no object over many lines is tried before this byte, because one that was
    tried reached to it in vain; so no byte is looked at by more than one such attempt."""

    def __init__(self, source: bytes, at: int, ordinal: int) -> None:
        self.source = source
        self.at = at
        self.ordinal = ordinal
        self.barred = at

    def next(self) -> bool:
        """Go to the next byte that is no blank; False at the end."""
        if found := _BLANKS.match(self.source, self.at):
            self.at = found.end()
        return self.at < len(self.source)

    def whole(self, end: int) -> Record | None:
        """The record of a line that holds one object and nothing else, as nearly every line does."""
        try:
            text = self.source[self.at : end].decode()
            value, stop = decode(text, 0, clean=True)
        except (ValueError, RecursionError):
            return None
        behind = len(text) - stop
        if not isinstance(value, dict) or (behind and text[stop:].strip(" \t\r")):
            return None
        record = Record(self.ordinal, self.at, end - behind, value)
        self.ordinal += 1
        self.at = end + 1
        return record

    def pieces(self, end: int) -> Iterator[Record | Bad]:
        """What there is on any other line; an object that goes on behind it is read to its end."""
        text, clean = text_of(self.source[self.at : end])
        place, byte = 0, self.at
        self.at = end + 1
        while True:
            start = skip_blanks(text, place)
            byte += width(text[place:start])
            if start == len(text):
                return
            try:
                value, place = decode(text, start, clean=clean)
            except RecursionError:
                yield Bad(byte, end, "too_deep")
                return
            except ValueError as error:
                may_go_on = text[start] == "{" and is_cut(text, error)
                yield from self._over_lines(byte, end) if may_go_on else [Bad(byte, end, "bad_json")]
                return
            stop = byte + width(text[start:place])
            yield self._piece(value, byte, stop)
            byte = stop

    def _over_lines(self, start: int, end: int) -> Iterator[Record | Bad]:
        """The object that begins on a line and is not whole at its end."""
        if end == len(self.source):
            return
        if start < self.barred:
            yield Bad(start, end, "bad_json")
            return
        found = value_at(self.source, start)
        if isinstance(found, Found):
            self.at = found.end
            yield self._piece(found.value, start, found.end)
        elif found.cut:
            self.at = len(self.source)
        else:
            self.barred = found.reach
            yield Bad(start, end, found.code)

    def _piece(self, value: object, start: int, end: int) -> Record | Bad:
        if not isinstance(value, dict):
            return Bad(start, end, "not_an_object")
        self.ordinal += 1
        return Record(self.ordinal - 1, start, end, value)
