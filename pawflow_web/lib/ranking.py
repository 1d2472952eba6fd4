"""One scorer for everything that is searched by words, and one way to fuse rankings.

BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over exact words plus a smaller
share over stems. Rows from an index and rows newer than it are scored alike, with the same frequencies.
Fusion is reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), each place weighed by how well what
stands there fits: the first of a ranking may fit badly.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pawflow_web.lib.text import Tokens

K1 = 1.2
B = 0.4
STEM_WEIGHT = 0.6
WORD_LIMIT = 32


class Query:
    """The distinct words of a query, in order, at most :data:`WORD_LIMIT`; each with its stem."""

    __slots__ = ("stem_of", "stems", "words")

    def __init__(self, tokens: Tokens) -> None:
        self.words: tuple[str, ...] = tuple(dict.fromkeys(tokens.exact))[:WORD_LIMIT]
        stem_of = dict(zip(tokens.exact, tokens.stems, strict=True))
        self.stem_of: Mapping[str, str] = {word: stem_of[word] for word in self.words}
        self.stems: tuple[str, ...] = tuple(dict.fromkeys(self.stem_of.values()))

    def __bool__(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True, slots=True)
class Stats:
    """What a collection says about words. ``average_length`` is in words; a word that is not in a mapping has
    frequency 0 and thereby the highest weight."""

    document_frequency: Mapping[str, int] = field(default_factory=dict)
    stem_frequency: Mapping[str, int] = field(default_factory=dict)
    average_length: float = 0.0
    documents: int = 0

    def plus(self, query: Query, rows: Sequence[Tokens]) -> "Stats":
        """The same collection with these rows added, as far as the query needs to know.

        Without it the words of a young collection, whose rows are in no index yet, would all weigh the same.
        """
        if not rows:
            return self
        words, stems = frozenset(query.words), frozenset(query.stems)
        exact, stemmed = Counter(self.document_frequency), Counter(self.stem_frequency)
        for row in rows:
            exact.update(words.intersection(row.exact))
            stemmed.update(stems.intersection(row.stems))
        documents = self.documents + len(rows)
        length = self.average_length * self.documents + sum(len(row.exact) for row in rows)
        return Stats(exact, stemmed, length / documents, documents)


@dataclass(frozen=True, slots=True)
class Scored:
    """A row that holds at least one word of the query. ``matched`` are words of the query, in its order; they
    and the score are all of an explanation that a reader may see (frequencies count other readers' rows).
    ``share`` is the score as a share, at most 1, of what a row of average length has that holds every word once."""

    id: int
    score: float
    matched: tuple[str, ...]
    share: float


def score(query: Query, rows: Sequence[tuple[int, Tokens]], stats: Stats) -> list[Scored]:
    """Rows with a score above zero, best first, equal scores by falling id."""
    word_weights = _weights(query.words, stats.document_frequency, stats.documents)
    stem_weights = _weights(query.stems, stats.stem_frequency, stats.documents)
    average = stats.average_length or 1.0
    whole = math.fsum(word_weights.values()) + STEM_WEIGHT * math.fsum(stem_weights.values())
    scored = []
    for row_id, tokens in rows:
        exact, stems = tokens.exact, tokens.stems
        # The set operation runs in C and most rows hold few words of a query: count only those.
        words_found = word_weights.keys() & frozenset(exact)
        stems_found = stem_weights.keys() & frozenset(stems)
        if not words_found and not stems_found:
            continue
        norm = K1 * (1 - B + B * len(exact) / average)
        total = _sum(words_found, exact, word_weights, norm)
        total += STEM_WEIGHT * _sum(stems_found, stems, stem_weights, norm)
        matched = tuple(word for word in query.words if word in words_found or query.stem_of[word] in stems_found)
        scored.append(Scored(row_id, total, matched, min(total / whole, 1.0)))
    scored.sort(key=lambda row: (-row.score, -row.id))
    return scored


def rrf(*rankings: Mapping[int, float], k: int = 60) -> list[tuple[int, float]]:
    """Fuse rankings, best first, of ids with weights to ``(id, sum of weight / (k + rank))``, ties by falling id."""
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, (row_id, weight) in enumerate(ranking.items(), start=1):
            fused[row_id] = fused.get(row_id, 0.0) + weight / (k + rank)
    return sorted(fused.items(), key=lambda pair: (-pair[1], -pair[0]))


def _weights(words: Iterable[str], frequency: Mapping[str, int], documents: int) -> dict[str, float]:
    """Inverse document frequencies, always above zero. A frequency may exceed ``documents`` by rows that are
    counted twice, in the index and past it."""
    weights = {}
    for word in words:
        count = min(frequency.get(word, 0), documents)
        weights[word] = math.log(1 + (documents - count + 0.5) / (count + 0.5))
    return weights


def _sum(found: Iterable[str], tokens: tuple[str, ...], weights: Mapping[str, float], norm: float) -> float:
    # fsum: the same words give the same score, whatever the order a set yields them in.
    return math.fsum(
        weights[word] * (count * (K1 + 1)) / (count + norm) for word in found if (count := tokens.count(word))
    )
