"""A text without what draws nothing, and a view of it that remembers where each character came from."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pawflow_web.lib.characters import IGNORABLE, MARKS

_IGNORED = re.compile(f"[{IGNORABLE}]")
DOTTED_I = re.compile("(?<=[iI])\u0307")
SPELLING = {0x130: "I", 0x2019: "'", 0x2BC: "'", 0x2010: "-"}


@dataclass(frozen=True, slots=True)
class View:
    """A normalised text; character ``n`` of it came from ``[starts[n], ends[n])`` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original behind the non-empty span ``[start, end)`` of the view."""
        return self.starts[start], self.ends[end - 1]


_LEADING = "\u1100-\u1112\u3131-\u314e\uffa1-\uffbe"
_VOWEL = "\u1161-\u1175\u314f-\u3163\uffc2-\uffdc"
_FOLLOWING = f"[{MARKS}{IGNORABLE}\uff9e\uff9f]*"
_CLUSTER_EXPRESSION = (
    f"(?:[{_LEADING}]{_FOLLOWING}[{_VOWEL}]|[\uac00-\ud7a3]|.){_FOLLOWING}(?:[\u11a8-\u11c2]{_FOLLOWING})?"
)
_CLUSTER = re.compile(_CLUSTER_EXPRESSION, re.DOTALL)
_CLUSTERS = re.compile(f"(?:{_CLUSTER_EXPRESSION}){{1,8}}", re.DOTALL)


def plain(text: str) -> str:
    """NFKC without characters that draw nothing; case is kept."""
    if text.isascii():
        return text
    text = _IGNORED.sub("", text)
    if not unicodedata.is_normalized("NFKC", text):
        text = _IGNORED.sub("", unicodedata.normalize("NFKC", text))
    return DOTTED_I.sub("", text).translate(SPELLING)


def plain_view(text: str, form: Callable[[str], str] = plain) -> View:
    """:func:`plain`, or another ``form`` that adds to it letter by letter, with the way back to the original."""
    size = len(text)
    if text.isascii() or form(text) == text:
        return View(text, range(size), range(1, size + 1))
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    # Most text is plain already: a few characters at a time are compared before each is looked at alone.
    for several in _CLUSTERS.finditer(text):
        start, end = several.span()
        piece = form(several[0])
        if piece == several[0]:
            pieces.append(piece)
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        for match in _CLUSTER.finditer(text, start, end):
            piece = form(match[0])
            pieces.append(piece)
            starts.extend([match.start()] * len(piece))
            ends.extend([match.end()] * len(piece))
    return View("".join(pieces), starts, ends)
