"""The words of entries: what a query is compared with, in every place alike."""

import re
import unicodedata
from functools import lru_cache

from django.conf import settings

from conversations.sessions.entries import Entry
from pawflow_web.lib.text import Tokens, analyse

_WORD = re.compile(r"\w+")
# What was put into a prompt from memory is no word of the conversation: it would find its own notes.
_INJECTED = re.compile(r"<(memory(?:-[0-9a-f]{1,64})?|thread-summary)>.*?</\1>", re.DOTALL)

# Words that tell nothing by themselves, in questions above all.
_STOP = """
a about an and any are as at be been but by can could did do does for from had has have he her his how i if in is it its
me my no not of on or our she so that the their them then there they this to was we were what when where which who whose
why will with would you your
"""
STOP_WORDS = frozenset(_STOP.split())

# Provenance: what was said ranks before the plumbing of tools.
_SAID = {"assistant": 2.5, "user": 2.25, "compactionSummary": 1.5, "custom": 1.5}
_ANSWERED, _CALLED, _OTHER = 0.75, 0.7, 1.0
# The index multiplies a score by log2(2 + n). With n = 2 ** (20 * weight) - 2 that is twenty times the weight.
WEIGHT_SCALE = 20


def normal(text: str) -> str:
    """The form in which text is compared: NFKC, lower case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def exact_words(text: str) -> list[str]:
    """The canonical tokens: runs of letters, digits and ``_``, as they stand after NFKC, in lower case; no stems."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def query_words(query: str) -> tuple[str, ...]:
    """The distinct canonical tokens of a query, in their order."""
    return tuple(dict.fromkeys(exact_words(query)))


def searchable(entry: Entry) -> str:
    """What of an entry is searched: without what memory itself put there, and no longer than the settings say."""
    text = _INJECTED.sub(" ", entry.text) if "<memory" in entry.text or "<thread-summary" in entry.text else entry.text
    longest = settings.ENV.recall.max_entry_chars
    return text if longest is None else text[:longest]


def was_cut(entry: Entry) -> bool:
    """Whether only a part of the entry is searched."""
    longest = settings.ENV.recall.max_entry_chars
    return longest is not None and len(entry.text) > longest


def stemmed_words(text: str) -> Tokens:
    """The tokens of everyday search: stems, parts of names, pairs of characters."""
    return _analysed(text) if len(text) < _SHORT else analyse(text)


_SHORT = 2000


@lru_cache(maxsize=4)
def _analysed(text: str) -> Tokens:
    """An entry is looked at three times in a row: by itself and as the neighbour of two others."""
    return analyse(text)


def weight_of(entry: Entry) -> float:
    """How much its provenance counts."""
    if not entry.tool and entry.role in _SAID:
        return _SAID[entry.role]
    if entry.role in {"toolResult", "fabricOperation"}:
        return _ANSWERED
    return _CALLED if entry.tool else _OTHER


def weight_number(weight: float) -> int:
    """The number by which the index weighs a score so."""
    return round(2 ** (weight * WEIGHT_SCALE)) - 2
