"""The stem of a word in the languages that its letters tell."""

import unicodedata
from collections.abc import Callable

import Stemmer


def _without_marks(token: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", token) if not unicodedata.combining(c))


# Without a cache: the cache of a stemmer would keep the words of people in memory for good.
_english: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
_russian: Callable[[str], str] = Stemmer.Stemmer("russian", 0).stemWord
_LATIN_SPELLING = str.maketrans({"ı": "i", "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d"})


def stem(token: str) -> str:
    """English for Latin letters (accents aside), Russian for Cyrillic ones; Arabic and Hebrew lose vowel marks."""
    if token.isascii():
        return _english(token) if token.isalpha() or token.replace("'", "").isalpha() else token
    first = token[0]
    if first > "\u1eff":
        return token
    if first < "\u0250" or first >= "\u1e00":
        bare = _without_marks(token.translate(_LATIN_SPELLING))
        return _english(bare) if bare.isalpha() and bare.isascii() else bare
    if "\u0400" <= first <= "\u04ff":
        return _russian(token.replace("ё", "е"))
    if "\u0590" <= first <= "\u06ff":
        return _without_marks(token)
    return token
