"""Everyday search over conversations: by stems, with a share of what was said around a turn and of its session.

The weights were measured on public corpora of dialogues: what stands around a short turn tells much, and so does the
session; the person's own words tell more than the assistant's long ones.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conversations.models import TOLD, Session
from conversations.recall.asked import Asked
from conversations.recall.coverage import Coverage
from conversations.recall.finding import Corpus
from conversations.recall.index import run_of
from conversations.recall.places import Located, Piece, locate, pieces_of
from conversations.recall.scopes import Scoped
from conversations.recall.scoring import K1, B, inverse_frequency
from conversations.recall.words import STOP_WORDS, exact_words, searchable, stemmed_words
from conversations.sessions.entries import Entry
from pawflow_web.lib.search import EXACT, STEMS, Filter, Hit, Snapshot, Term, Word
from pawflow_web.lib.text import analyse

# What a word counts in each field; the neighbours and the session less, the longer turns are.
WEIGHTS: Mapping[str, float] = {STEMS: 1.0, EXACT: 0.4, "previous": 0.5, "next": 0.3}
SESSION_WEIGHT = 0.3
# The person's own words.
AUTHOR_WEIGHT = 1.2
CANDIDATES = 400
# So far can be paged.
DEEPEST = 300


@dataclass(frozen=True, slots=True)
class Heard:
    """A found entry, and how well it fits."""

    located: Located
    score: float


def search(user_id: int, scoped: Scoped, asked: Asked, coverage: Coverage, *, run: str | None = None) -> list[Heard]:
    """The best entries for everyday words, at most :data:`DEEPEST`, the best first."""
    corpus = Corpus(user_id, scoped, asked, coverage)
    words = _words(asked.query)
    if not words:
        return []
    narrowed: list[Filter] = [Term("run", run)] if run else []
    known = corpus.best(words, corpus.where(*narrowed), limit=CANDIDATES)
    hits = [*known.hits, *_fresh(corpus, words, run)]
    pieces = pieces_of(user_id, (hit.id >> 16 for hit in hits))
    ranked = _with_their_sessions([hit for hit in hits if hit.id >> 16 in pieces], pieces)
    read = locate(pieces, [hit.id for hit in ranked], "active")
    heard = [Heard(read[hit.id], hit.score * _author(read[hit.id].entry)) for hit in ranked if hit.id in read]
    return sorted(heard, key=lambda one: (-one.score, -one.located.number))[:DEEPEST]


def _words(query: str) -> list[Word]:
    tokens = analyse(query)
    telling = [stem for word, stem in zip(tokens.exact, tokens.stems, strict=True) if word not in STOP_WORDS]
    stems = list(dict.fromkeys(telling or tokens.stems))
    exact = [word for word in dict.fromkeys(exact_words(query)) if word not in STOP_WORDS]
    fields = [Word(stem, field, weight) for field, weight in WEIGHTS.items() if field != EXACT for stem in stems]
    return fields + [Word(word, EXACT, WEIGHTS[EXACT]) for word in exact]


def _with_their_sessions(hits: Sequence[Hit], pieces: Mapping[int, Piece]) -> list[Hit]:
    """Each with a share of the best that its session has; the best candidates of that."""
    best: dict[int, float] = {}
    for hit in hits:
        session = pieces[hit.id >> 16].session
        best[session] = max(best.get(session, 0.0), hit.score)
    moved = [Hit(hit.id, hit.score + SESSION_WEIGHT * best[pieces[hit.id >> 16].session]) for hit in hits]
    return sorted(moved, key=lambda hit: -hit.score)[:DEEPEST]


def _author(entry: Entry) -> float:
    return AUTHOR_WEIGHT if entry.prose and entry.role == "user" else 1.0


def _fresh(corpus: Corpus, words: Sequence[Word], run: str | None) -> list[Hit]:
    """What the index does not hold yet, scored alike but for the words around."""
    fresh = {number: entry for number, entry in corpus.fresh.items() if run is None or run_of(entry) == run}
    fields: dict[str, Callable[[Entry], Sequence[str]]] = {
        STEMS: lambda entry: stemmed_words(searchable(entry)).stems if entry.prose else (),
        EXACT: lambda entry: exact_words(searchable(entry)),
    }
    scores = dict.fromkeys(fresh, 0.0)
    for field, tokens_of in fields.items():
        counted = {number: Counter(tokens_of(entry)) for number, entry in fresh.items()}
        wanted = [word for word in words if word.field == field]
        for number, score in _scored(counted, wanted, corpus.snapshot).items():
            scores[number] += score
    return [Hit(number, score) for number, score in scores.items() if score > 0]


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
