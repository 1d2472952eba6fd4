"""Sources that are one JSON document: a list of conversations, or one conversation, or one behind another.

Each conversation is a part of its own, cut out by its bytes. Its records are the conversation without its messages,
then each message, by the bytes of each.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from conversations.sessions.entries import Bad, Format, Part, Record
from conversations.sessions.formats.composing import string_of
from conversations.sessions.formats.scanning import Fault, Found, Member, members, skip_blanks, text_of, value_at, width

# What decides where a value ends when it is no JSON: strings, which may hold brackets, and brackets.
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n,]*")


@dataclass(frozen=True, slots=True)
class Element:
    """One conversation of a document, by its bytes; ``value`` is None where they are no JSON."""

    start: int
    end: int
    value: Any


def is_list(source: bytes) -> bool:
    return source.startswith(b"[", _after_blanks(source, 0))


def elements_of(source: bytes) -> Iterator[Element]:
    """The elements of a list, or the values that stand one behind another, in most sources one. One that is no JSON
    ends where its brackets do."""
    start = _after_blanks(source, 0)
    within = is_list(source)
    at = _after_blanks(source, start + 1) if within else start
    while at < len(source) and not (within and source.startswith(b"]", at)):
        found = value_at(source, at)
        if isinstance(found, Found):
            yield Element(at, found.end, found.value)
            at = found.end
        else:
            end = _end_of_broken(source, at, found)
            yield Element(at, end, None)
            at = end
        at = _after_blanks(source, at)


def _after_blanks(source: bytes, at: int) -> int:
    found = _BEFORE.match(source, at)
    return found.end() if found else at


def _end_of_broken(source: bytes, at: int, fault: Fault) -> int:
    if fault.cut:
        return len(source)
    depth = 0
    for token in _TOKENS.finditer(source, at):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token.group(), 0)
        if depth <= 0 and not token.group().startswith(b'"'):
            return max(token.end(), at + 1)
    return len(source)


class DocumentFormat(Format):
    """A format whose source is a document. ``messages``: the key of a conversation that holds its messages, in a list
    or in an object by their ids."""

    appends: ClassVar[bool] = False
    messages: ClassVar[str]

    @abstractmethod
    def identity(self, conversation: dict[str, Any]) -> Any:
        """The id of a conversation."""

    def parts(self, source: bytes) -> Sequence[Part]:
        """One part for each conversation, named by its id, or by its number where it has none of its own. What is no
        conversation is a part too, whose only record is bad."""
        parts: list[Part] = []
        names: set[str] = set()
        for number, element in enumerate(elements_of(source)):
            conversation = element.value if isinstance(element.value, dict) else {}
            name = string_of(self.identity(conversation)) or f"#{number}"
            name = f"{name}#{number}" if name in names else name
            names.add(name)
            parts.append(Part(name, element.start, element.end))
        return parts

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        """The records of one conversation. A message alone gives itself."""
        try:
            records = list(self._records(source))
        except RecursionError:
            records = [Bad(begin, len(source), "too_deep")]
        except (ValueError, IndexError):
            records = [Bad(begin, len(source), "bad_json")]
        for record in records:
            if isinstance(record, Bad):
                yield record
            elif record.start >= begin:
                yield Record(ordinal, record.start, record.end, record.value)
                ordinal += 1

    def _records(self, source: bytes) -> Iterator[Record | Bad]:
        text, clean = text_of(source)
        at = skip_blanks(text, 0)
        if at == len(text):
            return
        if text[at] != "{":
            yield Bad(0, len(source), "not_an_object")
            return
        rest: dict[str, Any] = {}
        inner: Member | None = None
        end = at
        for member in members(text, at, clean=clean):
            end = member.end
            if member.name == self.messages and isinstance(member.value, dict | list):
                inner = member
            else:
                rest[member.name] = member.value
        start = width(text[:at])
        yield Record(0, start, start + width(text[at : text.index("}", end) + 1]), rest)
        if inner is not None:
            yield from self._messages(text, inner, clean=clean)

    def _messages(self, text: str, inner: Member, *, clean: bool) -> Iterator[Record | Bad]:
        char, byte = 0, 0
        for member in members(text, inner.start, clean=clean):
            start = byte + width(text[char : member.start])
            char, byte = member.end, start + width(text[member.start : member.end])
            if isinstance(member.value, dict):
                yield Record(0, start, byte, self.message(member.name, member.value))
            else:
                yield Bad(start, byte, "not_an_object")

    def message(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        """The value of a message's record; ``name`` is its key where messages are kept by keys."""
        return value
