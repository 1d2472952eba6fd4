"""Memories as people paste them: what an assistant shows under "saved memories", or answers when asked for them.

Every line is one note: bullets, numbers, plain sentences and dates in brackets. Short lines that end with a colon,
and headings, name what stands below them. A JSON array of texts is read as well. No model is needed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from memory.importers.formats.dates import lone_date
from memory.importers.formats.json_texts import begins_array, read_array
from memory.importers.formats.markdown import HEADING, ITEM, RULE, title_of
from memory.importers.formats.passages import is_label, note_of
from memory.importers.formats.records import Read, Record, Skipped
from memory.importers.formats.regions import Content, content
from memory.importers.formats.sections import Around, Heading
from memory.importers.formats.text_lines import read_lines
from review.limits import TEXT_MOST

ENTRY = "entry"

# What the pages of assistants show around their memories.
_INTERFACE = frozenset(
    {
        "saved memories", "memories", "memory", "manage memories", "manage memory", "manage", "memory updated",
        "updated saved memory", "reference saved memories", "reference chat history", "delete", "delete all",
        "clear all", "clear memory", "forget", "edit", "search memories", "sort by", "newest", "oldest", "show more",
        "load more", "learn more", "model set context", "copy", "close", "done", "cancel",
    }
)  # fmt: skip
_BOLD_LINE = re.compile(r"\s*\*\*(?P<title>[^*]{1,120})\*\*:?\s*\Z")
# A longer line with a colon at its end is no heading.
_HEADING_MOST = 60


def read(stream: BinaryIO) -> Iterator[Read]:
    """Every note of the text in order, and what was left out. Never raises on what is in it."""
    if begins_array(stream):
        yield from read_array(stream, ENTRY)
        return
    entries = _Entries()
    for found in content(read_lines(stream), any_wrapper=True):
        if isinstance(found, Content):
            yield from entries.feed(found)
        else:
            yield found
    yield from entries.finish()


@dataclass(slots=True)
class _Entry:
    """A note whose further lines may still come, hung under its words."""

    line: int
    passage: str
    indent: int
    since: str
    labels: tuple[str, ...]

    def add(self, text: str) -> None:
        if len(self.passage) <= TEXT_MOST:
            self.passage += f"\n{text}"


class _Entries:
    def __init__(self) -> None:
        self._around = Around()
        self._since = ""
        self._entry: _Entry | None = None
        # the entry that is the name of those indented below it
        self._label: _Entry | None = None

    def feed(self, line: Content) -> Iterator[Read]:
        words = line.text.strip()
        if self._hangs(line.text):
            assert self._entry is not None  # noqa: S101 - it is what the line hangs under
            self._entry.add(words)
            return
        yield from self._flush()
        if not words or RULE.match(line.text):
            return
        if words.rstrip(":.").casefold() in _INTERFACE:
            yield Skipped(line.number, "interface")
        elif heading := HEADING.match(line.text):
            self._headed(title_of(heading))
        elif heading := _BOLD_LINE.match(line.text):
            self._headed(heading["title"])
        elif day := lone_date(words):
            self._since = day
        else:
            self._said(line)

    def finish(self) -> Iterator[Read]:
        yield from self._flush()

    def _hangs(self, text: str) -> bool:
        entry = self._entry
        if entry is None or not text.strip():
            return False
        return _indent(text) > entry.indent and ITEM.match(text) is None

    def _headed(self, title: str) -> None:
        self._around = Around([Heading(title.strip(" :"))])
        self._since, self._label = "", None

    def _said(self, line: Content) -> None:
        item = ITEM.match(line.text)
        words = (item["text"] if item else line.text).strip()
        if item is None and is_label(words) and len(words) <= _HEADING_MOST:
            self._headed(words)
            return
        indent = _indent(line.text)
        if self._label is not None and indent <= self._label.indent:
            self._label = None
        labels = (self._label.passage,) if self._label is not None else ()
        entry = _Entry(line.number, words, indent, line.since or self._since, labels)
        if is_label(words):
            self._label = entry
        else:
            self._entry = entry

    def _flush(self) -> Iterator[Read]:
        entry, self._entry = self._entry, None
        if entry is not None:
            note = note_of(
                entry.passage, self._around.context, labels=entry.labels, since=entry.since, dated_at_end=True
            )
            yield Record(entry.line, ENTRY, [note])


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
