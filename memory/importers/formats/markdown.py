"""Markdown memory files: ``MEMORY.md``, instruction files such as ``CLAUDE.md`` and ``AGENTS.md``, notes with a head.

Each entry of a list, each paragraph and each row of a table is one note. Headings become tags and, where their
words are plain, the category; an entry or a line that ends with a colon names the list below it. Code, comments and
parts that a program wrote are left out and counted. Blocks are told apart as in CommonMark 0.31, as far as it
matters here.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from memory.importers.formats.front_matter import FrontMatter, split_front_matter
from memory.importers.formats.passages import is_label, note_of
from memory.importers.formats.records import Read, Record, Skipped
from memory.importers.formats.regions import Content, content
from memory.importers.formats.sections import Around, Heading
from memory.importers.formats.text_lines import read_lines
from review.limits import TEXT_MOST

ENTRY, PARAGRAPH, ROW = "entry", "paragraph", "row"

# Lines come from anybody and may be long: no pattern here tries the same blanks in more than one way.
HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]++(?P<title>.*))?\Z")
_UNDERLINE = re.compile(r" {0,3}(?P<mark>=|-)(?P=mark)+[ \t]*\Z")
RULE = re.compile(r" {0,3}(?P<mark>[-*_])[ \t]*(?:(?P=mark)[ \t]*){2,}\Z")
ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+•‣◦–]|(?P<number>\d{1,9})[.)])(?P<gap>[ \t]+|\Z)(?P<text>.*)\Z")
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_CALLOUT = re.compile(r"\[![\w-]+\][+-]?[ \t]*")
# Lines that say nothing by themselves: the name of another file to read, a picture.
_LEFT_OUT = {
    "include": re.compile(r"\s*@[\w~./-]+\s*\Z"),
    "image": re.compile(r"\s*!\[[^\]]*\]\([^)]*\)\s*\Z"),
}
_DELIMITERS = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*\Z")
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_CODE_INDENT = 4
# A document that is nested deeper, or that has more columns, is no list of notes.
_DEEPEST = 20
_COLUMNS_MOST = 40


def read(stream: BinaryIO) -> Iterator[Read]:
    """Every note of the file in order, and what was left out. Never raises on what is in the file."""
    head, lines = split_front_matter(read_lines(stream))
    blocks = _Blocks(head)
    for found in content(lines):
        if isinstance(found, Content):
            yield from blocks.feed(found)
        else:
            yield from blocks.release()
            yield found
    yield from blocks.finish()


def title_of(heading: re.Match[str]) -> str:
    """The words of a heading, without the marks that close it."""
    title = (heading["title"] or "").strip(" \t")
    unmarked = title.rstrip("#")
    is_closed = not unmarked or unmarked.endswith((" ", "\t"))
    return unmarked.rstrip(" \t") if is_closed else title


@dataclass(slots=True)
class _Pending:
    """An entry or a paragraph whose lines are still coming."""

    kind: str
    line: int
    since: str
    around: Around
    labels: tuple[str, ...]
    indent: int = 0
    passage: str = ""

    def add(self, text: str) -> None:
        if len(self.passage) <= TEXT_MOST:
            self.passage += f"\n{text}" if self.passage else text

    def record(self) -> Record:
        note = note_of(self.passage, self.around.context, labels=self.labels, since=self.since)
        return Record(self.line, self.kind, [note])


@dataclass(slots=True)
class _Level:
    """A list that is open: how far its entries are indented, and what the one above the next level is called."""

    indent: int
    label: str = ""


class _Blocks:
    """Puts lines together to blocks."""

    def __init__(self, head: FrontMatter) -> None:
        self._head = head
        self._headings: list[tuple[int, Heading]] = []
        self._around = Around((), head.context)
        self._pending: _Pending | None = None
        # what ends with a colon: the name of the list that may come
        self._held: _Pending | None = None
        self._list_label = ""
        self._levels: list[_Level] = []
        self._columns: list[str] | None = None
        self._after_blank = True
        self._in_code = False

    def feed(self, line: Content) -> Iterator[Read]:
        text = self._unquoted(line.text)
        if not text.strip():
            yield from self._blank()
            return
        after_blank, self._after_blank = self._after_blank, False
        if self._columns is not None and "|" in text:
            yield self._row(line, text)
            return
        self._columns = None
        if (yield from self._marked(line, text)):
            return
        item = ITEM.match(text)
        if item and self._begins(item, after_blank=after_blank):
            yield from self._item(line, item)
        elif self._pending is not None:
            self._pending.add(text.strip())
        elif self._is_code(text, after_blank=after_blank):
            yield from self._code(line)
        else:
            yield from self._paragraph(line, text)

    def finish(self) -> Iterator[Read]:
        yield from self._flush()
        yield from self.release()

    def release(self) -> Iterator[Read]:
        """What names a list is followed by none, so it says nothing."""
        held, self._held = self._held, None
        if held is not None:
            yield Skipped(held.line, "label")

    # --- what a line is -------------------------------------------------------------------------------------

    @staticmethod
    def _unquoted(text: str) -> str:
        quoted = _QUOTE.match(text)
        return _CALLOUT.sub("", text[quoted.end() :], count=1) if quoted else text

    def _blank(self) -> Iterator[Read]:
        self._after_blank = True
        self._columns = None
        yield from self._flush()

    def _marked(self, line: Content, text: str) -> Generator[Read, None, bool]:
        """Headings, rules, heads of tables and includes. Returns whether the line was one."""
        heading = HEADING.match(text)
        alone = self._pending if self._pending and self._pending.kind == PARAGRAPH else None
        one_line = alone is not None and "\n" not in alone.passage
        if heading:
            yield from self._flush()
            yield from self._headed(len(heading["marks"]), title_of(heading))
        elif alone and one_line and "|" in alone.passage and self._is_head(alone.passage, text):
            self._columns = _cells(alone.passage)
            self._pending = None
        elif alone and one_line and (underline := _UNDERLINE.match(text)):
            self._pending = None
            yield from self._headed(1 if underline["mark"] == "=" else 2, alone.passage)
        elif RULE.match(text):
            yield from self._flush()
        elif left_out := next((kind for kind, pattern in _LEFT_OUT.items() if pattern.match(text)), ""):
            yield from self._flush()
            yield from self.release()
            yield Skipped(line.number, left_out)
        else:
            return False
        return True

    @staticmethod
    def _is_head(above: str, text: str) -> bool:
        return _DELIMITERS.match(text) is not None and len(_cells(above)) == len(_cells(text))

    def _begins(self, item: re.Match[str], *, after_blank: bool) -> bool:
        """Whether what looks like an entry is one: a number in the middle of a paragraph is none, and a line far
        to the right is code unless a list is open."""
        if self._pending is not None and self._pending.kind == PARAGRAPH:
            return bool(item["text"].strip()) and int(item["number"] or 1) == 1
        return bool(self._levels) or not self._is_code(item["indent"], after_blank=after_blank)

    def _is_code(self, text: str, *, after_blank: bool) -> bool:
        return not self._levels and (after_blank or self._in_code) and _width(text) >= _CODE_INDENT

    # --- blocks -----------------------------------------------------------------------------------------------

    def _headed(self, level: int, title: str) -> Iterator[Read]:
        yield from self.release()
        self._close_lists()
        self._headings = [known for known in self._headings if known[0] < level] + [(level, Heading(title))]
        self._around = Around([known for _, known in self._headings], self._head.context)

    def _item(self, line: Content, item: re.Match[str]) -> Iterator[Read]:
        indent = _width(item["indent"])
        yield from self._flush()
        held = self._held
        if held is not None and (held.kind == PARAGRAPH or indent > held.indent):
            self._held = None
            if held.kind == PARAGRAPH:
                self._close_lists()
                self._list_label = held.passage
            elif self._levels:
                self._levels[-1].label = held.passage
        yield from self.release()
        self._levels = [level for level in self._levels if level.indent < indent][:_DEEPEST]
        labels = tuple(label for label in (self._list_label, *(level.label for level in self._levels)) if label)
        self._levels.append(_Level(indent))
        self._in_code = False
        self._pending = _Pending(ENTRY, line.number, line.since or self._head.since, self._around, labels, indent)
        self._pending.add(_TASK.sub("", item["text"].strip(), count=1))

    def _paragraph(self, line: Content, text: str) -> Iterator[Read]:
        yield from self.release()
        if _width(text) == 0:
            self._close_lists()
        self._in_code = False
        labels = tuple(level.label for level in self._levels if level.label)
        self._pending = _Pending(PARAGRAPH, line.number, line.since or self._head.since, self._around, labels)
        self._pending.add(text.strip())

    def _code(self, line: Content) -> Iterator[Read]:
        yield from self.release()
        if not self._in_code:
            yield Skipped(line.number, "code")
        self._in_code = True

    def _row(self, line: Content, text: str) -> Record:
        assert self._columns is not None  # noqa: S101 - a row comes below its head
        pairs = zip(self._columns, _cells(text), strict=False)
        passage = "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
        note = note_of(passage, self._around.context, since=line.since or self._head.since)
        return Record(line.number, ROW, [note])

    # --- what comes of them -----------------------------------------------------------------------------------

    def _flush(self) -> Iterator[Read]:
        """The block under way has ended; a name of what may follow is held back."""
        pending, self._pending = self._pending, None
        if pending is not None and is_label(pending.passage):
            yield from self.release()
            self._held = pending
        elif pending is not None:
            yield pending.record()

    def _close_lists(self) -> None:
        self._levels = []
        self._list_label = ""


def _width(text: str) -> int:
    """How far the text is indented, a tab counting to the next multiple of four."""
    width = 0
    for character in text:
        if character == "\t":
            width += 4 - width % 4
        elif character == " ":
            width += 1
        else:
            break
    return width


def _cells(row: str) -> list[str]:
    row = row.strip().removeprefix("|")
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    return [cell.strip().replace("\\|", "|") for cell in _CELL_ENDS.split(row, _COLUMNS_MOST)]
