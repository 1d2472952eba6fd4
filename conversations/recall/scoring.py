"""BM25 over exact words (Robertson and Zaragoza, 2009), weighed by provenance: for entries that no index has scored.

The same arithmetic as the index's own, so that an entry keeps its score when it gets there.
"""

import math
from collections import Counter
from collections.abc import Sequence

from conversations.recall.words import exact_words, searchable, weight_of
from conversations.sessions.entries import Entry
from pawflow_web.lib.search import Snapshot

K1, B = 1.2, 0.75


class Scorer:
    """Scores entries for some words, with the frequencies of the index and of the entries themselves."""

    def __init__(self, words: Sequence[str], entries: Sequence[Entry], snapshot: Snapshot | None) -> None:
        self._words = words
        self._counted = [Counter(exact_words(searchable(entry))) for entry in entries]
        documents = len(entries) + (snapshot.documents if snapshot else 0)
        length = sum(map(Counter.total, self._counted)) + (
            snapshot.average_length * snapshot.documents if snapshot else 0.0
        )
        self._average = max(length / documents, 1.0) if documents else 1.0
        self._weights = {word: self._weight(word, documents, snapshot) for word in words}

    def _weight(self, word: str, documents: int, snapshot: Snapshot | None) -> float:
        count = sum(word in counted for counted in self._counted)
        count += snapshot.frequency(word) if snapshot else 0
        return inverse_frequency(count, documents)

    def score(self, place: int, *, all_of: bool) -> float:
        """Of the entry at that place; 0 where it holds none of the words, or not each with ``all_of``."""
        counted = self._counted[place]
        if all_of and any(word not in counted for word in self._words):
            return 0.0
        norm = K1 * (1 - B + B * max(counted.total(), 1) / self._average)
        return math.fsum(
            self._weights[word] * counted[word] * (K1 + 1) / (counted[word] + norm)
            for word in self._words
            if word in counted
        )


def inverse_frequency(count: int, documents: int) -> float:
    """How telling a word is that stands in so many of the documents."""
    return math.log(1 + (documents - min(count, documents) + 0.5) / (count + 0.5))


def weighed(score: float, entry: Entry, *, operations: bool) -> float:
    """A score with the weight of its entry's provenance, which does not count where operations are asked for."""
    return score if operations else score * weight_of(entry)
