"""What a pattern of the catalogue is, and the views of a text that patterns are matched against."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pawflow_web.lib.text import View, plain_view

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
    """Latin letters with accents to the letter alone, one for one, so that offsets stay."""
    table = {ord("ı"): "i", ord("ł"): "l", ord("đ"): "d", ord("ø"): "o"}
    for number in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(number))[0]
        if base.isascii() and base.isalpha():
            table[number] = base.lower()
    return table


_ACCENTS = _accents()
_LOOKALIKES = str.maketrans("013457@$!|аеорсухіјѕԁһαεικνορτυχ", "oieastasiiaeopcyxijsdhaeikvoptux")
_LOOKALIKE_IN_WORD = re.compile("[a-z][013457@$!|аеорсухіјѕԁһαεικνορτυχ]|[013457@$!|аеорсухіјѕԁһαεικνορτυχ][a-z]")


class Views:
    """``plain``: NFKC without invisible characters. ``low``: lower case without accents. ``bare``: ``low`` with
    digits and foreign letters that pass for Latin ones read as such. All have the same length and offsets."""

    def __init__(self, text: str) -> None:
        self.origin: View = plain_view(text)
        self.plain: str = self.origin.text

    @cached_property
    def low(self) -> str:
        lower = self.plain.lower()
        return lower if lower.isascii() else lower.translate(_ACCENTS)

    @cached_property
    def bare(self) -> str:
        """Empty when it would not differ inside a word."""
        return self.low.translate(_LOOKALIKES) if _LOOKALIKE_IN_WORD.search(self.low) else ""
