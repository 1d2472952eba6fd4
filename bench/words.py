"""Plausible notes and questions, the same for the same seed.

Words are invented and follow Zipf's law (the word of rank r is used in proportion to 1/r) behind a head of
ordinary English function words, so that a question holds words that nearly every note has, as in life. One
note in eight is in another script.
"""

import bisect
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

FUNCTION_WORDS = (
    *("the", "to", "of", "and", "in", "is", "for", "we", "a", "on", "with", "that", "uses", "by", "not", "it", "as"),
    *("from", "at", "when", "about", "what", "after", "before", "how", "does", "prefers", "should", "because", "only"),
)
VOCABULARY = 30_000
TAGS = 120
CATEGORIES = ("", "", "facts", "events", "discoveries", "preferences", "advice")
OTHER_SCRIPTS_SHARE = 0.125
FEWEST_WORDS, MOST_WORDS = 10, 40

_LATIN = ("bcdfghklmnprstvz", "aeiou")
_OTHERS = (("бвгдзклмнпрст", "аеиоу"), ("βγδκλμνπρστ", "αειου"), ("بتجدرسعفكلمن", "اوي"))
_DENSE = [chr(code) for code in range(0x4E00, 0x4E00 + 1500)]


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    tags: tuple[str, ...]
    category: str


class Writer:
    """Writes notes that never repeat each other, and asks for notes that were written."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        # The language is the same whoever writes: seeds differ in what they say.
        language = random.Random(0)
        self._latin = _Zipf([*FUNCTION_WORDS, *_invented(language, _LATIN, VOCABULARY)])
        self._others = [_Zipf(_invented(language, alphabet, 3000)) for alphabet in _OTHERS]
        self._dense = _Zipf(language.sample(_DENSE, len(_DENSE)))
        self._tags = _Zipf(_invented(language, _LATIN, TAGS))
        self._written: set[str] = set()

    def note(self) -> Note:
        text = self._text()
        while text in self._written:
            text = self._text()
        self._written.add(text)
        tags = dict.fromkeys(self._tags.some(self._random, self._random.choice((0, 1, 1, 2, 3))))
        return Note(text, tuple(tags), self._random.choice(CATEGORIES))

    def question(self, text: str) -> str:
        """A question in a sentence, with two or three words of that note among the usual ones."""
        words = self._telling(text)
        about = self._random.sample(words, min(len(words), 3))
        form = self._random.choice(
            (
                "What do we know about {}?",
                "How should I handle {} in the next release?",
                "When did we decide about {} and why?",
            )
        )
        return form.format(" and ".join(about))

    def rare_word(self, text: str) -> str:
        """The word of that note that the fewest notes have."""
        return max(self._telling(text), key=lambda word: (self._latin.rank(word), word))

    def words(self, count: int) -> list[str]:
        """The most used words of the invented vocabulary."""
        return self._latin.first(count + len(FUNCTION_WORDS))[len(FUNCTION_WORDS) :]

    def new_word(self) -> str:
        """A word that no note has."""
        return "q" + "".join(self._random.choices("bcdfghjklmnpqrstvwxz", k=11))

    def _telling(self, text: str) -> list[str]:
        words = [word.strip(".").lower() for word in text.split()]
        return [word for word in dict.fromkeys(words) if word not in FUNCTION_WORDS] or words

    def _text(self) -> str:
        count = self._random.randint(FEWEST_WORDS, MOST_WORDS)
        if self._random.random() >= OTHER_SCRIPTS_SHARE:
            words = self._latin.some(self._random, count)
            return f"{' '.join(words).capitalize()}."
        script = self._random.randrange(len(self._others) + 1)
        if script == len(self._others):
            return "".join(self._dense.some(self._random, count)) + "。"
        return " ".join(self._others[script].some(self._random, count)) + "."


class _Zipf:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._ranks = {word: rank for rank, word in enumerate(words)}
        self._sums = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def some(self, source: random.Random, count: int) -> list[str]:
        most = self._sums[-1]
        return [self._words[bisect.bisect(self._sums, source.random() * most)] for _ in range(count)]

    def first(self, count: int) -> list[str]:
        return list(self._words[:count])

    def rank(self, word: str) -> int:
        return self._ranks.get(word, -1)


def _invented(source: random.Random, alphabet: tuple[str, str], count: int) -> list[str]:
    consonants, vowels = alphabet
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = source.choice((2, 2, 3, 3, 4))
        word = "".join(source.choice(consonants) + source.choice(vowels) for _ in range(syllables))
        words[word + source.choice((*consonants, ""))] = None
    return list(words)
