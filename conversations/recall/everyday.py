"""Everyday search over conversations: by stems, with a share of what was said around a turn and of its session.

The weights were measured on public corpora of dialogues: what stands around a short turn tells much, and so does the
session; the person's own words tell more than the assistant's long ones.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conversations.models import TOLD, Session
from conversations.recall.asked import Asked
from conversations.recall.coverage import Coverage
from conversations.recall.finding import Corpus
from conversations.recall.index import PLACES, run_of
from conversations.recall.places import Located, Piece, locate, pieces_of
from conversations.recall.scopes import Scoped
from conversations.recall.scoring import K1, B, inverse_frequency
from conversations.recall.words import (
    STOP_WORDS,
    WEIGHT_SCALE,
    author_weight,
    exact_words,
    searchable,
    stemmed_words,
)
from conversations.sessions.entries import Entry
from pawflow_web.lib.search import EXACT, STEMS, Filter, Hit, Snapshot, Term, Word


@dataclass(frozen=True, slots=True)
class Weights:
    """What a word counts in each field, and how much of the best hit of its session a hit is given. ``author``: whether
    the person's own words count a little more. ``bench retrieval`` compares them."""

    stems: float = 1.0
    exact: float = 0.4
    previous: float = 0.5
    following: float = 0.3
    session: float = 0.3
    author: bool = True


WEIGHTS = Weights()
CANDIDATES = 400
# So far can be paged.
DEEPEST = 300


@dataclass(frozen=True, slots=True)
class Ranked:
    """A found entry by its number, how well it fits, and the session that it is of."""

    number: int
    score: float
    session: int


@dataclass(frozen=True, slots=True)
class Heard:
    """A found entry, and how well it fits."""

    located: Located
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best entries, at most :data:`DEEPEST`, the best first."""

    ranked: Sequence[Ranked] = ()
    pieces: Mapping[int, Piece] = field(default_factory=dict)

    def few_of_each(self, most: int | None) -> "Ranking":
        """At most so many of one session; None: all."""
        if most is None:
            return self
        seen: Counter[int] = Counter()
        kept = []
        for one in self.ranked:
            seen[one.session] += 1
            if seen[one.session] <= most:
                kept.append(one)
        return Ranking(kept, self.pieces)

    def read(self, begin: int, end: int) -> list[Heard]:
        """A page of them; what was deleted meanwhile is left out."""
        page = self.ranked[begin:end]
        found = locate(self.pieces, [one.number for one in page], "active")
        return [Heard(found[one.number], one.score) for one in page if one.number in found]


def search(
    user_id: int,
    scoped: Scoped,
    asked: Asked,
    coverage: Coverage,
    *,
    run: str | None = None,
    weights: Weights = WEIGHTS,
) -> Ranking:
    """The entries that fit everyday words; ``run``: only what was told in it."""
    corpus = Corpus(user_id, scoped, asked, coverage)
    words = _words(asked.query, weights)
    if not words:
        return Ranking()
    narrowed: list[Filter] = [Term("run", run)] if run else []
    weighed_by, scale = ("author", 1 / WEIGHT_SCALE) if weights.author else (None, 1.0)
    known = corpus.best(words, corpus.where(*narrowed), limit=CANDIDATES, weighed_by=weighed_by)
    hits = [Hit(hit.id, hit.score * scale) for hit in corpus.unchanged(known.hits)]
    hits += _fresh(corpus, words, run, weights)
    pieces = pieces_of(user_id, (hit.id >> PLACES for hit in hits))
    there = [hit for hit in hits if hit.id >> PLACES in pieces]
    return Ranking(_with_their_sessions(there, pieces, weights.session), pieces)


def _words(query: str, weights: Weights) -> list[Word]:
    stems = list(dict.fromkeys(stemmed_words(query)))
    exact = [word for word in dict.fromkeys(exact_words(query)) if word not in STOP_WORDS]
    fields = {STEMS: weights.stems, "previous": weights.previous, "next": weights.following}
    found = [Word(stem, name, weight) for name, weight in fields.items() if weight for stem in stems]
    return found + [Word(word, EXACT, weights.exact) for word in exact if weights.exact]


def _with_their_sessions(hits: Sequence[Hit], pieces: Mapping[int, Piece], share: float) -> list[Ranked]:
    """Each with a share of the best that its session has."""
    best: dict[int, float] = {}
    for hit in hits:
        session = pieces[hit.id >> PLACES].session
        best[session] = max(best.get(session, 0.0), hit.score)
    placed = [(hit, pieces[hit.id >> PLACES].session) for hit in hits]
    moved = [Ranked(hit.id, hit.score + share * best[session], session) for hit, session in placed]
    return sorted(moved, key=lambda one: (-one.score, -one.number))[:DEEPEST]


def _fresh(corpus: Corpus, words: Sequence[Word], run: str | None, weights: Weights) -> list[Hit]:
    """What the index does not hold yet, scored alike but for the words around."""
    fresh = {number: entry for number, entry in corpus.fresh.items() if run is None or run_of(entry) == run}
    fields: dict[str, Callable[[Entry], Sequence[str]]] = {
        STEMS: lambda entry: stemmed_words(searchable(entry)) if entry.prose else (),
        EXACT: lambda entry: exact_words(searchable(entry)),
    }
    scores = dict.fromkeys(fresh, 0.0)
    for kind, tokens_of in fields.items():
        counted = {number: Counter(tokens_of(entry)) for number, entry in fresh.items()}
        wanted = [word for word in words if word.field == kind]
        for number, score in _scored(counted, wanted, corpus.snapshot).items():
            scores[number] += score
    authors = {number: author_weight(entry) if weights.author else 1.0 for number, entry in fresh.items()}
    return [Hit(number, score * authors[number]) for number, score in scores.items() if score > 0]


def _scored(counted: Mapping[int, Counter[str]], words: Sequence[Word], snapshot: Snapshot | None) -> dict[int, float]:
    documents = len(counted) + (snapshot.documents if snapshot else 0)
    average = sum(map(Counter.total, counted.values())) / max(len(counted), 1) or 1.0
    scores = dict.fromkeys(counted, 0.0)
    for word in words:
        here = sum(word.word in one for one in counted.values())
        frequency = here + (snapshot.frequency(word.word, word.field) if snapshot else 0)
        weight = word.boost * inverse_frequency(frequency, documents)
        for number, one in counted.items():
            if count := one[word.word]:
                scores[number] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * one.total() / average))
    return scores


def turn_of(located: Located) -> str:
    """What ``read_turn`` takes for an entry."""
    entry, session = located.entry, located.session
    return (entry.entry_id or "").partition("/")[0] if session.kind == TOLD else f"{session.ref}:{located.position + 1}"


def titled(session: Session) -> str:
    """The title, unless it must stay out of prompts."""
    return "" if session.conversation.flagged else session.conversation.title
