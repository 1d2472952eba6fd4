"""From a passage of a text file to the words of a note."""

import re

from memory.importers.formats.dates import leading_date, trailing_date
from memory.importers.formats.records import Note
from memory.importers.formats.sections import Context, merged
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.text import clean, fold
from review.limits import TEXT_MOST

# In characters: a longer line before a list is a sentence of its own and not the name of what follows.
LABEL_MOST = 120

EMPTY = ("empty", "an entry without words was left out")

# Pairs of stars around words; those of a path (``src/**/*.md``) are part of it.
_STRONG = re.compile(r"(?<![\w*/])(\*{2,3}|__)(?=[^\s*/_])([^*\n]{1,500}?)(?<=[^\s*/_])\1(?![\w*/])")
_UNCERTAIN = re.compile(
    r"[(\[](?:\?|uncertain|unsure|not sure|maybe|unconfirmed|unverified|not confirmed|tentative|guess(?:ed)?)[)\]]",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w")


def note_of(
    passage: str, context: Context, *, labels: tuple[str, ...] = (), since: str = "", dated_at_end: bool = False
) -> Note:
    """The note that a passage of one or more lines stands for.

    Args:
        labels: what the lists around it are called, outermost first; they stand before its words.
        since: the date of what stands around it; one of its own goes before.
        dated_at_end: a date in brackets may also stand behind the words.
    """
    # More than a belief may have stays too long, but is not carried along in full.
    quote = passage.strip()[: TEXT_MOST + 1]
    words, own = leading_date(" ".join(quote.split()))
    if dated_at_end and not own:
        words, own = trailing_date(words)
    words = _STRONG.sub(r"\2", words)
    if not _says_something(words):
        return Note("", fault=EMPTY)
    uncertain = _UNCERTAIN.search(words) is not None
    return Note(
        labelled(words, labels),
        quote=quote,
        tags=merged(context.tags, ["uncertain"] if uncertain else []),
        category=context.category,
        since=own or since,
        uncertain=uncertain,
    )


def labelled(words: str, labels: tuple[str, ...]) -> str:
    """``("Tests:", "Speed:")`` -> ``Tests: Speed: words``, of long rows of labels only the nearest."""
    before = ": ".join(plain for label in labels if (plain := _STRONG.sub(r"\2", label).rstrip(" :")))
    if len(before) > LABEL_MOST:
        before = _STRONG.sub(r"\2", labels[-1]).rstrip(" :")
    return f"{before}: {words}" if before else words


def is_label(passage: str) -> bool:
    """Whether a passage names what follows it rather than saying something: ``When writing tests:``."""
    words = passage.strip().rstrip("*_")
    return words.endswith(":") and len(words) <= LABEL_MOST and _WORDS.search(words) is not None


def _says_something(words: str) -> bool:
    if _WORDS.search(words):
        return True
    try:
        return bool(fold(clean(words)))
    except Invalid:
        return True
