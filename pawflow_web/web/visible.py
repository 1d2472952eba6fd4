"""Words of others on the screen: what a reader would not see is shown as what it is.

Direction overrides, zero-width characters and tag characters can make a text look like another one. They are
drawn as small labels, so that a person decides over what is really there.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from pawflow_web.lib.scanner.hidden import hidden

Span = tuple[int, int]

# What never draws anything and orders or parts what does. Joiners and selectors are spelling in many places:
# those count only where the scanner finds that they hide something.
_NEVER_DRAWN = re.compile("[\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0]+")
_TAG_BASE = 0xE0000


def shown(text: str, spans: Iterable[Span] = ()) -> SafeString:
    """``text`` escaped, its invisible characters as labels, and the ``(start, end)`` spans in ``<mark>``.

    Spans are in characters; what lies outside the text or overlaps an earlier span is ignored.
    """
    runs = _invisible(text)
    pieces: list[tuple[SafeString, SafeString]] = []
    at = 0
    for start, end in _joined(text, spans):
        start, end = max(start, at), min(end, len(text))
        if start < end:
            pieces.append((_revealed(text, at, start, runs), _revealed(text, start, end, runs)))
            at = end
    return format_html_join("", "{}<mark>{}</mark>", pieces) + _revealed(text, at, len(text), runs)


def _joined(text: str, spans: Iterable[Span]) -> list[Span]:
    """In order; those with nothing but blanks between them are one, so that no blank stands alone between two tags."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and joined[-1][1] <= start and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _invisible(text: str) -> list[Span]:
    if text.isascii():
        return []
    found = sorted(
        [match.span() for match in _NEVER_DRAWN.finditer(text)] + [(start, end) for _rule, start, end in hidden(text)]
    )
    merged: list[Span] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _revealed(text: str, start: int, end: int, runs: list[Span]) -> SafeString:
    return format_html_join("", "{}{}", _parts(text, start, end, runs))


def _parts(text: str, start: int, end: int, runs: list[Span]) -> Iterator[tuple[str, SafeString]]:
    at = start
    for first, last in runs:
        first, last = max(first, start), min(last, end)
        if first < last:
            yield text[at:first], _label(text[first:last])
            at = last
    yield text[at:end], mark_safe("")


def _label(run: str) -> SafeString:
    names = ", ".join(dict.fromkeys(unicodedata.name(character, "?") for character in run[:8])).lower()
    return format_html('<span class="hid" title="{}">{}</span>', names, _spelled(run))


def _spelled(run: str) -> str:
    """The characters of a run in letters; text that was smuggled in tag characters is spelled out."""
    if all(0x20 <= ord(character) - _TAG_BASE < 0x7F for character in run):
        smuggled = "".join(chr(ord(character) - _TAG_BASE) for character in run)
        return _("hidden: %(words)s") % {"words": smuggled}
    codes = list(dict.fromkeys(f"U+{ord(character):04X}" for character in run))
    if len(codes) > 3:
        return _("%(count)d hidden characters") % {"count": len(run)}
    return " ".join(codes) if len(codes) == len(run) else f"{' '.join(codes)} ×{len(run)}"
