"""JSON records out of a stream of any length and in any state.

One record a line, several glued on one line, one spread over many lines, a top-level array, or a document
``{"entities": [...], "relations": [...]}`` whose elements are the records: all of it without holding more than
one record in memory. A damaged record costs itself and never its neighbours.
"""

import codecs
import json
import re
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from memory.importers.formats.json_grammar import STRING, Grammar, Step
from memory.importers.formats.records import Broken

# The most that one record (as a rule: one line) may hold, in bytes of the file.
RECORD_MOST = 16 * 2**20
_PIECE_BYTES = 2**20
# Members of a document whose elements are records, and members that only a record has.
DOCUMENT_KEYS = frozenset({"entities", "relations"})
RECORD_KEYS = frozenset({"name", "type", "_type", "observations", "entityType", "from", "to"})

# Between records: white space, commas left of an array, record separators, the zeros of a file cut by a crash,
# the byte order marks of files joined to one.
_BETWEEN = r"[\s,\x00\x1e\ufeff]*"
_OUTER = re.compile(rf'{_BETWEEN}(?:{STRING}|(?P<mark>[{{}}\[\]:])|(?P<scalar>[^\s{{}}\[\]:,"]+)|(?P<open>"))')
_OPENER = re.compile(r"\s*(?=\{)")
_OBJECT = re.compile(r'\{(?=\s*")')
# Half a record has few objects inside it; a line of braces is not worth more.
_TRIES = 32
_DECODER = json.JSONDecoder(strict=False)

_NOT_JSON = "this is not a JSON object; the rest of the line was left out"
_SPOILT = "this record is not complete JSON; it was left out"
_TORN = "the file ends in the middle of this record; it was left out"
_UNCLOSED = "the file ends before its document is closed"
_TOO_LONG = f"this record is longer than {RECORD_MOST // 2**20} MiB; it was left out"
_TOO_DEEP = "this record is nested too deeply; it was left out"


@dataclass(frozen=True, slots=True)
class Value:
    """One record as it was decoded, with the line on which it begins (from 1)."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or a part of a very long one. ``size`` is its length in bytes."""

    line: int
    text: str
    size: int
    ends_line: bool


@dataclass(slots=True)
class _Open:
    """A record that the pieces so far have begun but not ended."""

    line: int
    # an object beside the records of a document: read and dropped
    unwanted: bool
    grammar: Grammar = field(default_factory=lambda: Grammar(DOCUMENT_KEYS, RECORD_KEYS))
    parts: list[_Piece] = field(default_factory=list)
    size: int = 0

    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    def later_lines(self) -> list[_Piece]:
        return [part for part in self.parts if part.line > self.line]


def read_values(stream: BinaryIO) -> Iterator[Value | Broken]:
    """Every record of the stream in order, from where it stands to its end."""
    cutter = _Cutter()
    for piece in _pieces(stream):
        yield from cutter.feed(piece)
    yield from cutter.finish()


def _pieces(stream: BinaryIO) -> Iterator[_Piece]:
    """Decoded as UTF-8; a byte order mark is dropped and what is no UTF-8 becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    line = 1
    start = True
    while raw := stream.readline(_PIECE_BYTES):
        if start:
            raw = raw.removeprefix(codecs.BOM_UTF8)
            start = False
        ends_line = raw.endswith(b"\n")
        yield _Piece(line, decoder.decode(raw, final=ends_line), len(raw), ends_line)
        line += ends_line


_Findings = Generator[Value | Broken, None, list[_Piece]]


class _Cutter:
    """Cuts pieces into records. Generators yield findings and return the pieces to be looked at once more."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        # an unfinished token at the end of a piece, and its line
        self._carry: _Piece | None = None
        self._skips_line = False
        # After a record spread over many lines was spoilt, its remaining lines are no news.
        self._calm = False
        # brackets of a document around the records, and the member in which we are
        self._depth = 0
        self._member: str | None = None
        self._last_string = ""
        self._after_colon = False
        self._line = 1

    def feed(self, piece: _Piece) -> Iterator[Value | Broken]:
        waiting = deque([piece])
        while waiting:
            waiting.extendleft(reversed((yield from self._look(waiting.popleft()))))

    def finish(self) -> Iterator[Value | Broken]:
        """What the end of the file leaves open."""
        while self._open is not None or self._carry is not None:
            carry, self._carry = self._carry, None
            opened, self._open = self._open, None
            yield Broken(opened.line if opened else self._line, "torn", _TORN)
            rest = opened.later_lines() if opened else []
            if opened and carry and carry.line > opened.line:
                rest.append(carry)
            self._calm = True
            for piece in rest:
                yield from self.feed(piece)
        if self._depth > 0:
            yield Broken(self._line, "torn", _UNCLOSED)

    # --- one piece --------------------------------------------------------------------------------------------

    def _look(self, piece: _Piece) -> _Findings:
        self._line = piece.line
        if self._skips_line:
            self._skips_line = not piece.ends_line
            return []
        if self._carry is not None:
            carry, self._carry = self._carry, None
            piece = _Piece(piece.line, carry.text + piece.text, carry.size + piece.size, piece.ends_line)
        at = 0
        while True:
            if self._open is None:
                begin = yield from self._between(piece, at)
                if begin is None:
                    return []
                at = yield from self._begin(piece, begin)
                if self._open is None:
                    continue
            result = yield from self._go_on(piece, at)
            if isinstance(result, list):
                return result
            at = result

    def _between(self, piece: _Piece, at: int) -> Generator[Broken, None, int | None]:
        """Where the next record begins in this piece, if one does."""
        text = piece.text
        if self._calm:
            begin = _OPENER.match(text, at)
            if begin is None:
                self._skips_line = not piece.ends_line
                return None
            self._calm = False
        while match := _OUTER.match(text, at):
            kind, token = match.lastgroup, match[match.lastgroup or 0]
            if token == "{" and kind == "mark":
                return match.start("mark")
            if self._is_cut(piece, match):
                yield from self._keep(piece, match.start(kind or 0))
                return None
            if self._depth == 0 and token != "[":
                yield Broken(piece.line, "bad_json", _NOT_JSON)
                self._skips_line = not piece.ends_line
                return None
            self._walk(kind, token)
            at = match.end()
        return None

    def _walk(self, kind: str | None, token: str) -> None:
        """Follow the brackets and members of a document around the records."""
        if kind == "mark" and token == "[":
            self._depth += 1
        elif kind == "mark" and token in "]}":
            self._depth -= 1
            if self._depth == 0:
                self._member = None
        elif token == ":" and kind == "mark" and self._member is not None:
            self._member = self._last_string
        elif kind == "string":
            self._last_string = token[1:-1]
        self._after_colon = kind == "mark" and token == ":"

    def _begin(self, piece: _Piece, begin: int) -> Generator[Value | Broken, None, int]:
        """Take a whole record at once where that goes; else open it. Returns where to go on."""
        unwanted = self._depth > 0 and (
            self._after_colon or (self._member is not None and self._member not in DOCUMENT_KEYS)
        )
        self._after_colon = False
        try:
            value, end = _DECODER.raw_decode(piece.text, begin)
        except (ValueError, RecursionError):
            self._open = _Open(piece.line, unwanted)
            return begin
        if not unwanted:
            yield from _unwrapped(value, piece.line)
        return end

    def _go_on(self, piece: _Piece, at: int) -> Generator[Value | Broken, None, int | list[_Piece]]:
        """Follow the open record through this piece. Returns where it ended, or the pieces to look at again."""
        opened = self._open
        assert opened is not None  # noqa: S101 - the caller has just seen to it
        step, end = opened.grammar.follow(piece.text, at, ends_line=piece.ends_line)
        if step is Step.DOCUMENT:
            self._open = None
            self._depth += 2
            self._member = opened.grammar.member
            return end
        if step in {Step.SPOILT, Step.TOO_DEEP}:
            return (yield from self._give_up(opened, piece, at, step))
        size = piece.size if (at, end) == (0, len(piece.text)) else len(piece.text[at:end].encode(errors="replace"))
        opened.size += size
        if opened.size > RECORD_MOST:
            yield from self._too_long(opened.line, piece)
            return []
        opened.parts.append(_Piece(piece.line, piece.text[at:end], size, piece.ends_line))
        if step is Step.MORE:
            if end < len(piece.text):
                yield from self._keep(piece, end)
            return []
        self._open = None
        if not opened.unwanted:
            yield from _decoded(opened)
        return end

    def _give_up(self, opened: _Open, piece: _Piece, at: int, step: Step) -> Generator[Broken, None, list[_Piece]]:
        self._open = None
        deep = step is Step.TOO_DEEP
        yield Broken(opened.line, "too_deep" if deep else "bad_json", _TOO_DEEP if deep else _SPOILT)
        if opened.line == piece.line:
            self._skips_line = not piece.ends_line
            return _glued_after(piece, at)
        self._calm = True
        return [*opened.later_lines(), piece]

    def _keep(self, piece: _Piece, at: int) -> Generator[Broken, None, None]:
        """Hold back a token that the next piece of the same line goes on with."""
        text = piece.text[at:]
        size = len(text.encode(errors="replace"))
        if size + (self._open.size if self._open else 0) > RECORD_MOST:
            yield from self._too_long(self._open.line if self._open else piece.line, piece)
        else:
            self._carry = _Piece(piece.line, text, size, ends_line=True)

    def _too_long(self, line: int, piece: _Piece) -> Generator[Broken, None, None]:
        self._open = None
        yield Broken(line, "line_too_long", _TOO_LONG)
        self._skips_line = not piece.ends_line
        self._calm = piece.line > line

    @staticmethod
    def _is_cut(piece: _Piece, match: re.Match[str]) -> bool:
        """Whether the next piece of the line may go on with this token."""
        if piece.ends_line:
            return False
        return match.lastgroup == "open" or (match.lastgroup == "scalar" and match.end() == len(piece.text))


def _glued_after(piece: _Piece, at: int) -> list[_Piece]:
    """What a later writer put behind half a record on the same line: an object that is whole to the line's end."""
    if not piece.ends_line:
        return []
    for begin in islice(_OBJECT.finditer(piece.text, at + 1), _TRIES):
        try:
            _, end = _DECODER.raw_decode(piece.text, begin.start())
        except (ValueError, RecursionError):
            continue
        if not piece.text[end:].strip():
            text = piece.text[begin.start() :]
            return [_Piece(piece.line, text, len(text), ends_line=True)]
    return []


def _decoded(opened: _Open) -> Iterator[Value | Broken]:
    try:
        value = _DECODER.decode(opened.text())
    except ValueError:
        yield Broken(opened.line, "bad_json", _SPOILT)
    except RecursionError:
        yield Broken(opened.line, "too_deep", _TOO_DEEP)
    else:
        yield from _unwrapped(value, opened.line)


def _unwrapped(value: Any, line: int) -> Iterator[Value]:
    """The records of a document that was decoded as a whole, else the value itself."""
    lists = [value[key] for key in ("entities", "relations") if isinstance(value.get(key), list)]
    if not lists or RECORD_KEYS & value.keys():
        yield Value(line, value)
        return
    for elements in lists:
        for element in elements:
            yield Value(line, element)
