"""Letters that pass for others: lookalikes of other alphabets, small capitals, HTML entities."""

import re
from html.entities import html5

from pawflow_web.lib.characters import LATIN, LOOKALIKES, SMALL_CAPITALS

_SMALL_CAPITAL = re.compile(f"[{''.join(map(chr, SMALL_CAPITALS))}]")
_LOOKALIKE = re.compile(f"[{''.join(map(chr, LOOKALIKES))}]")
_LATIN = re.compile(f"[{LATIN}]")
# A word with its marks and digits; what parts words in ASCII and in the blocks of punctuation is no part of it.
_WRITTEN = re.compile("[^\x00-/:-@\\[-`{-\xbf\u2000-\u206f\u3000-\u303f\\s]+")
# Also one that was itself escaped; the semicolon after a number may be missing.
ENTITY = re.compile(
    "&(?:(?:amp|#0{0,4}38|#[xX]0{0,4}26);){0,8}(?:#(\\d{1,7});?|#[xX]([0-9a-fA-F]{1,6});?|([A-Za-z][A-Za-z0-9]{1,31};))"
)


def latin(text: str) -> str:
    """``text``, letter for letter, with letters of other alphabets that stand in a word with Latin ones read as the
    Latin letters they resemble, and small capitals as letters. A word wholly of another alphabet stays."""
    if text.isascii():
        return text
    if _SMALL_CAPITAL.search(text):
        text = text.translate(SMALL_CAPITALS)
    if _LOOKALIKE.search(text) and _LATIN.search(text):
        text = _WRITTEN.sub(_as_latin, text)
    return text


def _as_latin(match: re.Match[str]) -> str:
    word = match[0]
    return word if word.isascii() or not _LATIN.search(word) else word.translate(LOOKALIKES)


def entity(match: re.Match[str]) -> str:
    """What an HTML entity that :data:`ENTITY` matched stands for; itself when it stands for nothing."""
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(name, match[0])
    number = int(decimal) if decimal else int(hexadecimal, 16)
    if (number < 0x20 and number not in (9, 10, 13)) or 0xD800 <= number < 0xE000 or number > 0x10FFFF:
        return match[0]
    return chr(number)
