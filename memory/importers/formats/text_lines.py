"""The lines of a text file of any length, in any of the encodings that people save notes in.

Line numbers are those of an editor: a line ends with a line feed, a carriage return or both.
"""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

# In characters. A belief has far fewer; a longer line is no note but something else.
LINE_MOST = 64 * 1024
_LOOKED_AT = 4096
# Of the bytes at one parity, so many zeros show text in UTF-16 that came without its mark.
_ZEROS_FROM, _ZEROS_ELSEWHERE = 0.4, 0.05


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end and without NUL. Of a line that is ``too_long`` there is no text."""

    number: int
    text: str
    too_long: bool = False


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """Every line from the start of the stream. Never raises on what is in it; what cannot be decoded is U+FFFD."""
    stream.seek(0)
    encoding = encoding_of(stream.read(_LOOKED_AT))
    stream.seek(0)
    yield from _lines(io.TextIOWrapper(_Borrowed(stream), encoding, errors="replace"))


class _Borrowed(io.BufferedIOBase):
    """A stream that stays open when its reader goes."""

    name = "borrowed"

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        return self._stream.read(size)


def encoding_of(head: bytes) -> str:
    """How a file that begins like this is encoded, as a codec of Python."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    # Before UTF-16, whose mark begins the one of UTF-32.
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = _zeros(head[::2]), _zeros(head[1::2])
    if odd >= _ZEROS_FROM and even <= _ZEROS_ELSEWHERE:
        return "utf-16-le"
    if even >= _ZEROS_FROM and odd <= _ZEROS_ELSEWHERE:
        return "utf-16-be"
    return "utf-8"


def _zeros(part: bytes) -> float:
    return part.count(0) / len(part) if part else 0.0


def _lines(text: io.TextIOWrapper) -> Iterator[Line]:
    number = 1
    while piece := text.readline(LINE_MOST):
        if piece.endswith("\n") or len(piece) < LINE_MOST:
            yield Line(number, piece.rstrip("\n").replace("\0", ""))
        else:
            yield _rest_of(text, number, piece)
        number += 1


def _rest_of(text: io.TextIOWrapper, number: int, piece: str) -> Line:
    """The line of which ``piece`` is the start: exactly as long as allowed, or too long and read to its end."""
    rest = text.readline(LINE_MOST)
    if rest in {"", "\n"}:
        return Line(number, piece.replace("\0", ""))
    while rest and not rest.endswith("\n"):
        rest = text.readline(LINE_MOST)
    return Line(number, "", too_long=True)
