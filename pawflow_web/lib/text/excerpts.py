"""Where words stand in a text, and the piece of it around them."""

import re
from collections.abc import Iterable

from pawflow_web.lib.characters import IGNORABLE, MARKS
from pawflow_web.lib.text.stems import stem
from pawflow_web.lib.text.tokens import locate
from pawflow_web.lib.text.views import plain, plain_view


def spans(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Where the tokens ``words`` or words of the same stem stand in ``text``: sorted, apart from each other."""
    wanted = {plain(word).lower() for word in words}
    stems = {stem(word) for word in wanted}
    if not wanted:
        return []
    view = plain_view(text)
    found = sorted(
        view.span(start, end)
        for token, start, end in locate(view.text.lower(), len(text) * 3)
        if token in wanted or stem(token) in stems
    )
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def excerpt(text: str, words: Iterable[str], *, chars: int = 200) -> str:
    """At most ``chars`` characters of ``text`` on one line, around the place where most of ``words`` stand."""
    line = " ".join(text.split())
    if len(line) <= chars:
        return line
    room = max(1, chars - 2)
    found = spans(line, words)
    first = max(
        range(len(found)), key=lambda n: (sum(end <= found[n][0] + room for _, end in found[n:]), -n), default=None
    )
    start = 0 if first is None else max(0, min(found[first][0] - room // 5, len(line) - room))
    latest = start if first is None else found[first][0]
    start = _cut(line, start, latest) if start else 0
    end = min(len(line), start + room + (start == 0))
    if end < len(line):
        blank = line.rfind(" ", max(start, end - 24), end)
        end = blank if blank > start else _cut_back(line, start, end)
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


_STUCK = re.compile(f"[{MARKS}{IGNORABLE}\U0001f3fb-\U0001f3ff]")


def _cut(line: str, start: int, latest: int) -> int:
    """The next place from ``start``, at most ``latest``, where a word or at least a whole character begins."""
    blank = line.find(" ", start, min(latest, start + 24))
    if blank >= 0:
        return blank + 1
    while start < latest and (_STUCK.match(line[start]) or line[start - 1] == "\u200d"):
        start += 1
    return start


def _cut_back(line: str, start: int, end: int) -> int:
    """The last place up to ``end`` that does not part a character from its marks."""
    cut = end
    while cut > start + 1 and (_STUCK.match(line[cut]) or line[cut - 1] == "\u200d"):
        cut -= 1
    return cut if cut > start + 1 else end
