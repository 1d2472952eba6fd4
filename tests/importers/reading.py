"""What the readers of text make of a passage."""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

from memory.importers.formats import dump, markdown
from memory.importers.formats.records import Broken, Note, Read, Record, Skipped

Reader = Callable[[BinaryIO], Iterator[Read]]


def read_all(reader: Reader, text: str | bytes) -> list[Read]:
    return list(reader(BytesIO(text.encode() if isinstance(text, str) else text)))


def notes(reader: Reader, text: str | bytes) -> list[tuple[int, str]]:
    """``(line, words)`` of every note."""
    found = read_all(reader, text)
    return [(one.line, note.text) for one in found if isinstance(one, Record) for note in one.notes]


def full(reader: Reader, text: str | bytes) -> list[Note]:
    return [note for one in read_all(reader, text) if isinstance(one, Record) for note in one.notes]


def left_out(reader: Reader, text: str | bytes) -> list[tuple[int, str]]:
    """``(line, kind or code)`` of what is no note."""
    found = read_all(reader, text)
    return [
        (one.line, one.kind if isinstance(one, Skipped) else one.code)
        for one in found
        if isinstance(one, Skipped | Broken)
    ]


def of_markdown(text: str | bytes) -> list[tuple[int, str]]:
    return notes(markdown.read, text)


def of_dump(text: str | bytes) -> list[tuple[int, str]]:
    return notes(dump.read, text)
