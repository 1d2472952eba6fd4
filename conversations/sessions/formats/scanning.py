"""One JSON value out of bytes, with its place in them.

Places are bytes, not characters. Bytes that are no UTF-8 are replaced in the value and still counted in its place.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_decode = json.JSONDecoder().raw_decode
# A mark of byte order stands before the first value, and inside of files that were put together.
_BLANKS = re.compile("[ \t\n\r\ufeff]*")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_FIRST_WINDOW = 4096


@dataclass(frozen=True, slots=True)
class Found:
    """A value and the byte behind it."""

    value: Any
    end: int


@dataclass(frozen=True, slots=True)
class Fault:
    """No value. ``code``: ``bad_json`` or ``too_deep``; ``reach``: the byte up to which it was read; ``cut``: the
    source ended before the value did."""

    code: str
    reach: int
    cut: bool = False


def text_of(chunk: bytes) -> tuple[str, bool]:
    """The bytes as text that can be turned back into the same bytes, and whether they were UTF-8."""
    try:
        return chunk.decode(), True
    except UnicodeDecodeError:
        return chunk.decode("utf-8", "surrogateescape"), False


def width(text: str) -> int:
    """How many bytes the text was made from."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def skip_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def decode(text: str, at: int, *, clean: bool) -> tuple[Any, int]:
    """The value that begins at a character, and the character behind it. Raises ValueError and RecursionError."""
    value, end = _decode(text, at)
    if not clean:
        piece = text[at:end].encode("utf-8", "surrogateescape")
        value, _ = _decode(piece.decode("utf-8", "replace"))
    return value, end


def is_cut(text: str, error: ValueError) -> bool:
    """Whether more text behind this one could have made a value of it."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    if error.msg.startswith("Unterminated string"):
        return True
    rest = text[error.pos : error.pos + 10].rstrip()
    if error.msg.startswith("Invalid \\"):
        return len(text) - error.pos <= 6
    return any(literal.startswith(rest) for literal in _LITERALS)


def value_at(source: bytes, at: int) -> Found | Fault:
    """The value that begins at a byte and may go on over many lines. What is looked at is at most twice as long as the
    value, or as what was read of it until it was found to be none."""
    window = _FIRST_WINDOW
    while True:
        chunk = source[at : at + window]
        text, clean = text_of(chunk)
        try:
            value, end = decode(text, 0, clean=clean)
        except RecursionError:
            return Fault("too_deep", at + len(chunk))
        except ValueError as error:
            if not is_cut(text, error):
                return Fault("bad_json", at + _reach(text, error))
            if at + window >= len(source):
                return Fault("bad_json", len(source), cut=True)
        else:
            # A number at the end of the window may have more digits behind it.
            if end < len(text) or at + window >= len(source) or isinstance(value, dict | list | str):
                return Found(value, at + width(text[:end]))
        window *= 2


def _reach(text: str, error: ValueError) -> int:
    return width(text[: error.pos]) if isinstance(error, json.JSONDecodeError) else width(text)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, or an element of an array, whose name is empty; its value is ``text[start:end]``."""

    name: str
    start: int
    end: int
    value: Any


def members(text: str, at: int, *, clean: bool) -> Iterator[Member]:
    """The members of the object, or the elements of the array, that begins at a character. The text was found
    well-formed before. Raises ValueError and RecursionError for what is not."""
    named, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    at = skip_blanks(text, at + 1)
    name = ""
    while text[at] != closing:
        if named:
            name, at = decode(text, at, clean=clean)
            at = skip_blanks(text, skip_blanks(text, at) + 1)
        value, end = decode(text, at, clean=clean)
        yield Member(name, at, end, value)
        at = skip_blanks(text, end)
        if text[at] == ",":
            at = skip_blanks(text, at + 1)
