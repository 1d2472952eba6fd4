"""Phrases and regular expressions: the index names candidates, their texts decide."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from django.conf import settings

from conversations.models import Chunk
from conversations.recall.finding import Corpus, Found
from conversations.recall.index import number_of, place_of
from conversations.recall.narrowing import beginning, holds_text, passes
from conversations.recall.regex import Limits, RegexError, matching, required
from conversations.recall.words import exact_words, normal, searchable
from conversations.sessions.entries import Entry
from conversations.sessions.reading import Placed, read_many
from pawflow_web.lib.search import All, Filter, HasWord, Hit, TooBroad

Judge = Callable[[Sequence[str]], Sequence[bool]]
Batch = list[tuple[int, Entry]]

# Candidates that are read one by one; for more, everything is read in the order in which it lies there.
CANDIDATES_MOST = 50_000
_BATCH, _BATCH_CHARS = 2000, 4_000_000
# Reading for a phrase ends after so long.
PHRASE_S = 10.0
BUDGET = "candidate_entry_budget"
TERMS, BYTES = "regex_max_haystack_terms", "regex_max_haystack_bytes"


def by_phrase(corpus: Corpus) -> Found:
    """The entries that hold the question as it stands, after NFKC and in lower case."""
    needle = normal(corpus.asked.query.strip())
    deadline = time.monotonic() + PHRASE_S

    def holds(texts: Sequence[str]) -> list[bool]:
        if time.monotonic() > deadline:
            raise _Enough(BUDGET)
        return [needle in normal(text) for text in texts]

    return _judged(corpus, [needle], holds)


def by_regex(corpus: Corpus) -> Found:
    """The entries of which the regular expression matches a piece. What stops it is said by the coverage, and then
    nothing was found."""
    env = settings.ENV.recall
    limits = Limits(pattern_bytes=env.regex_pattern_bytes, timeout_ms=env.regex_timeout_ms)
    pattern = corpus.asked.query
    try:
        with matching(pattern, limits) as matcher:
            bounded = _Haystack(matcher.matches, env.regex_haystack_terms, env.regex_haystack_bytes)
            return _judged(corpus, required(pattern), bounded)
    except RegexError as error:
        corpus.coverage.because(error.code)
        corpus.coverage.error = {"code": error.code, "message": error.message}
        return Found((), 0)


class _Enough(Exception):
    """No more is looked at, for this reason."""


class _Haystack:
    """Holds texts against a pattern until a bound is reached."""

    def __init__(self, judge: Judge, terms: int, size: int) -> None:
        self._judge, self._terms, self._bytes = judge, terms, size

    def __call__(self, texts: Sequence[str]) -> Sequence[bool]:
        self._terms -= len(texts)
        self._bytes -= sum(len(text) if text.isascii() else len(text.encode()) for text in texts)
        if self._terms < 0 or self._bytes < 0:
            raise _Enough(TERMS if self._terms < 0 else BYTES)
        return self._judge(texts)


def _judged(corpus: Corpus, pieces: Sequence[str], judge: Judge) -> Found:
    hits: list[Hit] = []
    try:
        for batch in _batches(corpus, pieces):
            verdicts = judge([searchable(entry) for _, entry in batch])
            found = [one for one, right in zip(batch, verdicts, strict=True) if right]
            hits += [Hit(number, corpus.provenance(entry)) for number, entry in found]
    except _Enough as enough:
        corpus.coverage.because(str(enough))
    return corpus.together(hits)


def _batches(corpus: Corpus, pieces: Sequence[str]) -> Iterator[Batch]:
    """The entries whose texts are to be looked at: all that may hold every one of the pieces."""
    numbers = _candidates(corpus, pieces)
    read = _everything(corpus) if numbers is None else _some(corpus, numbers)
    batch: Batch = []
    size = 0
    for number, entry in read:
        batch.append((number, entry))
        size += len(entry.text)
        if len(batch) == _BATCH or size > _BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _candidates(corpus: Corpus, pieces: Sequence[str]) -> list[int] | None:
    """Their numbers, by the words of the index; None where it cannot tell them from the others."""
    if corpus.snapshot is None:
        return []
    for where in _filters(pieces):
        try:
            best = corpus.best((), corpus.where(where), limit=CANDIDATES_MOST, weighed_by="at")
        except TooBroad:
            continue
        return [hit.id for hit in best.hits] if best.total <= CANDIDATES_MOST else None
    return None


def _filters(pieces: Sequence[str]) -> Iterator[Filter]:
    """From the narrowest to one that asks for whole words alone."""
    worded = [(piece, exact_words(piece)) for piece in map(beginning, pieces)]
    parts = [part for piece, words in worded if (part := holds_text(piece, words)) is not None]
    if parts:
        yield All(*parts)
    inner = [HasWord(word) for _, words in worded for word in words[1:-1]]
    if inner:
        yield All(*inner)


def _some(corpus: Corpus, numbers: Sequence[int]) -> Iterator[tuple[int, Entry]]:
    yield from corpus.fresh.items()
    wanted: dict[int, set[int]] = {}
    for number in numbers:
        pk, place = place_of(number)
        wanted.setdefault(pk, set()).add(place)
    for number, placed in _read(list(wanted), wanted):
        yield number, placed.entry


def _everything(corpus: Corpus) -> Iterator[tuple[int, Entry]]:
    """Whatever an index knows: the chunks themselves, the newest sessions first."""
    rows = Chunk.objects.filter(user_id=corpus.user_id, entries__gt=0)
    if corpus.sessions is not None:
        rows = rows.filter(session_id__in=corpus.sessions)
    asked = corpus.asked
    listed = list(rows.order_by("-session__mtime", "session_id", "number").values_list("pk", flat=True))
    for number, placed in _read(listed, {}):
        if (placed.active or asked.branches == "all") and passes(placed.entry, asked.filters):
            yield number, placed.entry


def _read(chunks: Sequence[int], places: Mapping[int, set[int]]) -> Iterator[tuple[int, Placed]]:
    """The entries of chunks, or those at some places of them, in the order that was asked for; a few chunks are in
    memory at a time."""
    for begin in range(0, len(chunks), 20):
        some = chunks[begin : begin + 20]
        found = Chunk.objects.select_related("session").in_bulk(some)
        for chunk, _, placed in read_many((found[pk], places.get(pk)) for pk in some if pk in found):
            yield number_of(chunk.pk, placed.place), placed
