"""Where the words of a question stand in a text that was found by it."""

import re
from collections.abc import Iterator

import re2

from conversations.recall.words import exact_words, query_words

Span = tuple[int, int]

_WORD = re.compile(r"\w+")
# Of one text: more marks make nothing clearer.
_MOST = 200
# RE2 is linear in the text; this bounds what it makes of the expression, in bytes.
_MEMORY = 1 << 20


def marks_of(text: str, query: str, match: str) -> list[Span]:
    """At most so many ``(start, end)`` in characters. ``match``: any, all, phrase or regex."""
    if not query.strip():
        return []
    if match == "regex":
        found = _of_expression(text, query)
    elif match == "phrase":
        found = (one.span() for one in re.finditer(re.escape(query.strip()), text, re.IGNORECASE))
    else:
        found = _of_words(text, frozenset(query_words(query)))
    return [span for _, span in zip(range(_MOST), found, strict=False)]


def around(text: str, spans: list[Span], *, chars: int) -> tuple[str, list[Span]]:
    """At most ``chars`` characters of a text around its first mark, and the marks in it."""
    if len(text) <= chars:
        return text, spans
    first = spans[0][0] if spans else 0
    start = max(0, min(first - chars // 3, len(text) - chars))
    before, after = "…" if start else "", "…" if start + chars < len(text) else ""
    moved = [(begin - start + len(before), min(end - start, chars) + len(before)) for begin, end in spans]
    kept = [(begin, end) for begin, end in moved if len(before) <= begin < end]
    return f"{before}{text[start : start + chars]}{after}", kept


def _of_words(text: str, wanted: frozenset[str]) -> Iterator[Span]:
    for run in _WORD.finditer(text):
        if not wanted.isdisjoint(exact_words(run[0])):
            yield run.span()


def _of_expression(text: str, pattern: str) -> Iterator[Span]:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        found = re2.compile(pattern, options).finditer(text)
        yield from (one.span() for one in found if one.start() < one.end())
    except re2.error:
        return
