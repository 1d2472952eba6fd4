"""The piece of a text that shows why it was found."""

import re
from collections.abc import Sequence

from conversations.recall.words import exact_words

# So many words of a question are looked for one by one.
_FEW = 8


def snippet(text: str, words: Sequence[str], *, chars: int, phrase: bool = False) -> tuple[str, bool]:
    """At most ``chars`` characters around the longest of the words that stands there, and whether that is a part.
    ``phrase``: the words are one text as it stands."""
    if len(text) <= chars:
        return text, False
    anchor = max(_anchor(text, words, whole=not phrase), 0)
    start = max(0, min(anchor - chars // 3, len(text) - chars))
    end = start + chars
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}", True


def _anchor(text: str, words: Sequence[str], *, whole: bool) -> int:
    if whole and len(words) > _FEW:
        # One look at the text instead of one for each word that is not in it.
        there = frozenset(exact_words(text))
        words = [word for word in words if word in there]
    for word in sorted(words, key=len, reverse=True):
        edge = r"(?<!\w){}(?!\w)" if whole else "{}"
        found = re.search(edge.format(re.escape(word)), text, re.IGNORECASE)
        if found:
            return found.start()
    # A word may stand there in another form: full-width letters, ligatures.
    return -1 if text.isascii() else _in_other_form(text, frozenset(words))


def _in_other_form(text: str, words: frozenset[str]) -> int:
    found = (run.start() for run in re.finditer(r"\w+", text) if not words.isdisjoint(exact_words(run[0])))
    return next(found, -1)
