"""What a pattern of the catalogue is, and the views of a text that patterns are matched against."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pawflow_web.lib.characters import ACCENTS, EVERY_MARK, LATIN, LOOKALIKES, MARKS, OVERLAYS
from pawflow_web.lib.text import ENTITY, View, entity, latin, plain, plain_view

ViewName = Literal["plain", "low", "bare"]
Check = Callable[[re.Match[str]], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """``expression`` is searched in a view only when one of the substrings ``near`` occurs there, which keeps
    ordinary text cheap; ``check`` may refuse a match; the finding spans ``group``."""

    rule: str
    view: ViewName
    near: tuple[str, ...]
    expression: re.Pattern[str]
    check: Check | None = None
    group: int = 0


def pattern(
    rule: str, view: ViewName, near: str, expression: str, check: Check | None = None, *, group: int = 0, flags: int = 0
) -> Pattern:
    """``near`` holds the substrings separated by ``|``."""
    return Pattern(rule, view, tuple(near.split("|")), re.compile(expression, flags), check, group)


def _accents() -> dict[int, str]:
    """Latin and Greek letters with accents to the letter alone, one for one, so that offsets stay."""
    table = {ord("ı"): "i", ord("ł"): "l", ord("đ"): "d", ord("ø"): "o", ord("Ł"): "L", ord("Đ"): "D", ord("Ø"): "O"}
    for number in (*range(0xC0, 0x250), *range(0x386, 0x3CF), *range(0x1E00, 0x2000)):
        base = unicodedata.normalize("NFD", chr(number))[0]
        if base.isalpha() and base != chr(number):
            table[number] = base
    return table


_ACCENTS = _accents()
_SIGNS = str.maketrans("013457@$!|", "oieastasii")
_SIGN_IN_WORD = re.compile("[a-z][013457@$!|]|[013457@$!|][a-z]")
_LOOKALIKE = re.compile(f"[{''.join(map(chr, LOOKALIKES))}]")
_STRAY = re.compile(f"[{ACCENTS}{OVERLAYS}]+|(?<=[0-9{LATIN}])[{MARKS}]+")


def _unmarked(text: str) -> str:
    text = plain(text)
    return text if EVERY_MARK.isdisjoint(text) else _STRAY.sub("", text)


class Views:
    """One reading of a text in three forms of the same length. ``plain``: NFKC without invisible characters, accents
    and marks, words that mix alphabets in Latin letters. ``low``: in lower case. ``bare``: ``low`` with digits and
    all foreign letters that pass for Latin ones read as such."""

    def __init__(self, origin: View) -> None:
        self.origin = origin
        text = origin.text
        self.plain: str = text if text.isascii() else latin(text).translate(_ACCENTS)

    @classmethod
    def of(cls, text: str) -> "Views":
        return cls(plain_view(text, _unmarked))

    @cached_property
    def low(self) -> str:
        return self.plain.lower()

    @cached_property
    def bare(self) -> str:
        """Empty when it would not differ inside a word."""
        if not self.low.isascii() and _LOOKALIKE.search(self.plain):
            return self.plain.translate(LOOKALIKES).lower().translate(_SIGNS)
        return self.low.translate(_SIGNS) if _SIGN_IN_WORD.search(self.low) else ""


# --- other readings: what a text says once its formatting is undone -------------------------------------------
_LETTER = r"[^\W\d_]"
_FORMATTING = re.compile(
    rf"(?P<entity>{ENTITY.pattern})|%(?P<byte>[2-7][0-9a-fA-F]|0[9aAdD])|"
    rf"(?<={_LETTER})[*~`]{{1,3}}|[*~`]{{1,3}}(?={_LETTER})|(?<={_LETTER})_{{2,3}}(?={_LETTER})|"
    rf"(?<={_LETTER})[-\u2010][ \t]{{0,3}}\r?\n[ \t>]{{0,8}}(?={_LETTER})|"
    r"</?(?:b|i|em|strong|u|s|span|font|mark|wbr)\b[^<>]{0,60}>|<!--[^<>]{0,40}-->"
)
_JOINT = re.compile("(?<=[A-Za-z])_(?=[A-Za-z])|(?<=[a-z])[A-Z]")
# A token goes on in the next line only when what stands there looks like one as well.
_BROKEN = re.compile(r"(?<=[A-Za-z0-9_-])[ \t]{0,3}\r?\n[ \t>]{0,8}(?=[A-Za-z_-]{0,40}[0-9])(?=[A-Za-z0-9_])")


def _without_formatting(match: re.Match[str]) -> str:
    if match["entity"]:
        return plain(ENTITY.sub(entity, match["entity"]))
    return chr(int(match["byte"], 16)) if match["byte"] else ""


def unformatted(views: Views) -> Views | None:
    """With entities and percent codes decoded, and without emphasis inside words and hyphens at the end of a line."""
    return _rewritten(views, _FORMATTING, _without_formatting)


def parted(views: Views) -> Views | None:
    """With identifiers parted into their words."""
    return _rewritten(views, _JOINT, lambda match: " " + match[0].strip("_"))


def joined(views: Views) -> Views | None:
    """With tokens that a line break parts in one piece."""
    return _rewritten(views, _BROKEN, lambda _: "")


def _rewritten(views: Views, expression: re.Pattern[str], by: Callable[[re.Match[str]], str]) -> Views | None:
    """``views`` with every match replaced, or ``None`` when nothing changes."""
    text, origin = views.plain, views.origin
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in expression.finditer(text):
        start, end = match.span()
        new = by(match)
        pieces += [text[done:start], new]
        starts += [*origin.starts[done:start], *[origin.starts[start]] * len(new)]
        ends += [*origin.ends[done:start], *[origin.ends[end - 1]] * len(new)]
        done = end
    if not done:
        return None
    pieces.append(text[done:])
    return Views(View("".join(pieces), [*starts, *origin.starts[done:]], [*ends, *origin.ends[done:]]))
