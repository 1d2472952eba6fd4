"""What of a text file is words, and what is code, comments or a part that a program wrote.

Both readers of text stand on this: code blocks, comments and generated parts are taken out here and counted, so
that a reader only meets lines that somebody wrote for people.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.importers.formats.dates import iso_date
from memory.importers.formats.records import Broken, Read, Skipped
from memory.importers.formats.text_lines import LINE_MOST, Line

_FENCE = re.compile(r"\s*+(?P<fence>`{3,}+|~{3,}+)\s*+(?P<info>[^`]*)\Z")
# A whole document inside one fence, as assistants answer when they are asked for one.
_WRAPPERS = frozenset({"markdown", "md", "text", "txt"})
_DATED = re.compile(r"\s*(\d{4}-\d{2}-\d{2})\b")
_GENERATED = re.compile(r"\bgenerated\b.{0,20}?\b(start|begin|end)\b", re.IGNORECASE)

# Of a comment, so much tells what it is.
_COMMENT_KEPT = 200

_TOO_LONG = f"this line is longer than {LINE_MOST // 1024} KiB; it was left out"
_OPEN_FENCE = "the file ends inside a code block that begins here; it was left out"
_OPEN_COMMENT = "the file ends inside a comment that begins here; it was left out"
_OPEN_GENERATED = "the file ends inside a generated part that begins here; it was left out"


@dataclass(frozen=True, slots=True)
class Content:
    """A line of words; blank ones part blocks. ``since`` is the date of the last dated comment above it."""

    number: int
    text: str
    since: str = ""


def content(lines: Iterable[Line], *, any_wrapper: bool = False) -> Iterator[Content | Read]:
    """The lines of words, and what was left out between them. Where something was left out stands a blank line.

    Args:
        any_wrapper: a fence without a name around the whole file is no code either.
    """
    cutter = _Cutter(any_wrapper=any_wrapper)
    for line in lines:
        yield from cutter.feed(line)
    yield from cutter.finish()


class _Cutter:
    def __init__(self, *, any_wrapper: bool) -> None:
        self._wrappers = _WRAPPERS | ({""} if any_wrapper else set())
        self._since = ""
        # the fence that is open, and where it was opened; the same for the others
        self._fence = ""
        self._fence_line = 0
        self._wrapper = ""
        # the start of the comment that is open
        self._comment: str | None = None
        self._comment_line = 0
        self._generated_line = 0
        self._seen_words = False

    def feed(self, line: Line) -> Iterator[Content | Read]:
        if line.too_long:
            yield Broken(line.number, "line_too_long", _TOO_LONG)
            yield Content(line.number, "", self._since)
        elif self._fence:
            if self._closes(line.text, self._fence):
                self._fence = ""
        elif self._comment is None and not self._generated_line and (match := _FENCE.match(line.text)):
            yield from self._fenced(line.number, match)
        else:
            yield from self._words(line)

    def finish(self) -> Iterator[Read]:
        if self._fence:
            yield Broken(self._fence_line, "torn", _OPEN_FENCE)
        elif self._comment is not None:
            yield Broken(self._comment_line, "torn", _OPEN_COMMENT)
        elif self._generated_line:
            yield Broken(self._generated_line, "torn", _OPEN_GENERATED)

    # --- code -----------------------------------------------------------------------------------------------

    def _fenced(self, number: int, match: re.Match[str]) -> Iterator[Content | Read]:
        fence, info = match["fence"], match["info"].strip().lower()
        yield Content(number, "", self._since)
        if self._wrapper and not info and self._closes(fence, self._wrapper):
            self._wrapper = ""
        elif not self._seen_words and not self._wrapper and info in self._wrappers:
            self._wrapper = fence
        else:
            self._fence, self._fence_line = fence, number
            self._seen_words = True
            yield Skipped(number, "code")

    @staticmethod
    def _closes(text: str, opened: str) -> bool:
        text = text.strip()
        return len(text) >= len(opened) and text == opened[0] * len(text)

    # --- comments and what a program wrote --------------------------------------------------------------------

    def _words(self, line: Line) -> Iterator[Content | Read]:
        left: list[str] = []
        at, text = 0, line.text
        began_in_comment = self._comment is not None
        while at < len(text):
            if self._comment is not None:
                end = text.find("-->", at)
                self._comment += text[at : end if end >= 0 else None][: _COMMENT_KEPT - len(self._comment)]
                if end < 0:
                    break
                yield from self._commented(self._comment, self._comment_line)
                self._comment, at = None, end + 3
                continue
            begin = _comment_in(text, at)
            if not self._generated_line:
                left.append(text[at : begin if begin >= 0 else None])
            if begin < 0:
                break
            self._comment, self._comment_line, at = "", line.number, begin + 4
        if self._generated_line or (began_in_comment and self._comment is not None):
            return
        words = "".join(left)
        self._seen_words = self._seen_words or bool(words.strip())
        yield Content(line.number, words if words.strip() else "", self._since)

    def _commented(self, comment: str, number: int) -> Iterator[Read]:
        generated = _GENERATED.search(comment.replace("-", " ").replace("_", " "))
        if generated:
            opens = generated[1].lower() != "end"
            if opens and not self._generated_line:
                yield Skipped(number, "generated")
            self._generated_line = number if opens else 0
        elif not self._generated_line and (dated := _DATED.match(comment)):
            self._since = iso_date(dated[1])


def _comment_in(text: str, at: int) -> int:
    """Where the next comment begins; -1 for none. Between backticks it is an example of one."""
    begin = text.find("<!--", at)
    if begin >= 0 and "`" in text and text.count("`", 0, begin) % 2 and "`" in text[begin:]:
        return text.find("<!--", text.find("`", begin))
    return begin
