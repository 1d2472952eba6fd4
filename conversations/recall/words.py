"""The words of entries: what a query is compared with, in every place alike."""

import re
import unicodedata
from collections.abc import Callable

import Stemmer
from django.conf import settings

from conversations.sessions.entries import Entry
from pawflow_web.lib.text import analyse

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
_AUTHOR = 1.2
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


def stemmed_words(text: str) -> list[str]:
    """The words of everyday search: stems without those that tell nothing; pairs of characters where a script has no
    spaces."""
    if not text.isascii():
        tokens = analyse(text)
        return [stem for word, stem in zip(tokens.exact, tokens.stems, strict=True) if word not in STOP_WORDS]
    # Nearly everything that is indexed; made of the exact words at a tenth of the cost.
    words = [word for word in exact_words(text) if word not in STOP_WORDS]
    parts = [part for word in words if "_" in word for part in word.split("_") if part]
    return _english(words + parts)


# Without a cache: the cache of a stemmer would keep the words of people in memory for good.
_english: Callable[[list[str]], list[str]] = Stemmer.Stemmer("english", 0).stemWords


def weight_of(entry: Entry) -> float:
    """How much its provenance counts."""
    if not entry.tool and entry.role in _SAID:
        return _SAID[entry.role]
    if entry.role in {"toolResult", "fabricOperation"}:
        return _ANSWERED
    return _CALLED if entry.tool else _OTHER


def author_weight(entry: Entry) -> float:
    """How much more the person's own words count in everyday search."""
    return _AUTHOR if entry.prose and entry.role == "user" else 1.0


def weight_number(weight: float) -> int:
    """The number by which the index weighs a score so."""
    return round(2 ** (weight * WEIGHT_SCALE)) - 2
