"""Reading an index: snapshots, and the one open reader that a process keeps per folder."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog
import tantivy
from tantivy import Occur
from tantivy import Query as Compiled

from pawflow_web.lib.ranking import STEM_WEIGHT, Query, Stats
from pawflow_web.lib.search import folder as on_disk
from pawflow_web.lib.search.filters import EVERYTHING, Compiler, Filter, raise_too_broad
from pawflow_web.lib.search.schema import (
    EXACT,
    ID,
    KEY,
    LENGTH,
    STEMS,
    WATERMARK,
    WATERMARK_KEY,
    WORD_TOKENIZER,
    Schema,
    word_analyser,
)

log = structlog.get_logger(__name__)

# Words found in more than this share of a large index are left out of a query that has a rarer one: they cost
# most of the time and decide nothing.
COMMON_SHARE = 0.08
COMMON_LEAST = 200
# A word in so many documents tells nobody anything by standing in a few more.
TELLING_UP_TO = 1000

_P = ParamSpec("_P")
_T = TypeVar("_T")


class CorruptIndexError(Exception):
    """The files of the index contradict themselves."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The best documents of an index for some words, all of one moment.

    ``ids`` are distinct, best first. ``more`` says that further documents match, or that only a part of the
    words was looked for (``searched`` holds those that were).
    """

    ids: tuple[int, ...]
    searched: tuple[str, ...]
    more: bool
    stats: Stats
    watermark: int

    @property
    def document_frequency(self) -> Mapping[str, int]:
        return self.stats.document_frequency

    @property
    def average_length(self) -> float:
        return self.stats.average_length

    @property
    def documents(self) -> int:
        return self.stats.documents


@dataclass(frozen=True, slots=True)
class Word:
    """A word that counts where it stands in ``field``, so much."""

    word: str
    field: str = EXACT
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found, by its id."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Best:
    """The first hits of a ranking, and how many documents match in all."""

    hits: tuple[Hit, ...]
    total: int


class Snapshot:
    """An index at one moment: search, counts and watermark belong together."""

    def __init__(self, schema: Schema, compiled: tantivy.Schema, searcher: tantivy.Searcher, watermark: int) -> None:
        self._compiled = compiled
        self._compiler = Compiler(schema, compiled)
        self._searcher = searcher
        self.watermark = watermark
        self.documents = searcher.num_docs - 1
        self.average_length = self._average_length()

    def search(
        self, query: Query, *, where: Filter = EVERYTHING, limit: int = 60, scores_shown: bool = True
    ) -> Candidates:
        """At most ``limit`` distinct ids. Where no score is shown, its words need not be counted for its reader.
        Raises :class:`CorruptIndexError`."""
        return guarded(partial(self._search, scores_shown=scores_shown), query, where, limit)

    def count(self, where: Filter = EVERYTHING, *, without_keys: Sequence[str] = ()) -> int:
        """How many documents match. Raises :class:`CorruptIndexError`."""
        wanted = self._compiler.where(where, without_keys=without_keys)
        # The type stubs do not know the count of a result.
        return int(guarded(self._searcher.search, wanted, 1).count)  # type: ignore[attr-defined]

    def best(
        self, words: Sequence[Word], *, where: Filter = EVERYTHING, limit: int, weighed_by: str | None = None
    ) -> Best:
        """The documents at ``where`` that hold any of the words, by the sum of their BM25 scores (k1 1.2, b 0.75).

        ``weighed_by`` is a number n of the schema: the score is multiplied by log2(2 + n). Without words every document
        matches, with the score 0, and the number orders, the greatest first.

        Raises :class:`CorruptIndexError`, and :class:`TooBroad` for a phrase.
        """
        return guarded(self._best, words, where, limit, weighed_by)

    def frequency(self, word: str, field: str = EXACT) -> int:
        """In how many documents a word stands, those that were replaced meanwhile among them."""
        return int(guarded(self._searcher.doc_freq, field, word))

    def values(self, field: str, *, where: Filter = EVERYTHING, limit: int) -> list[tuple[str, int]]:
        """The values of a field of terms among the documents at ``where``, those of most documents first, each with
        how many it has. Raises :class:`CorruptIndexError`."""
        narrowed = self._compiler.where(where)
        found = guarded(self._searcher.terms_with_prefix, field, "", filter_query=narrowed, limit=limit)
        return [(str(value), int(count)) for value, count in found if count]

    def _best(self, words: Sequence[Word], where: Filter, limit: int, weighed_by: str | None) -> Best:
        narrowed = self._compiler.where(where)
        if words:
            should = [Compiled.boost_query(self._word(one.field, one.word), one.boost) for one in words]
            any_word = Compiled.boolean_query([(Occur.Should, word) for word in should])
            wanted = Compiled.boolean_query([(Occur.Must, any_word), (Occur.Must, narrowed)])
            found = _narrow(self._searcher.search, wanted, limit, weight_by_field=weighed_by)
        else:
            found = _narrow(self._searcher.search, narrowed, limit, order_by_field=weighed_by)
        ids = self._searcher.fast_field_values(ID, [address for _, address in found.hits])
        scores = [float(score) if words else 0.0 for score, _ in found.hits]
        hits = tuple(Hit(int(one), score) for one, score in zip(ids, scores, strict=True) if one is not None)
        return Best(hits, int(found.count))  # type: ignore[attr-defined]

    def stats(self, query: Query) -> Stats:
        """Frequencies over the whole index, whoever may see its documents: for scoring, not for showing."""
        return Stats(
            {word: self._searcher.doc_freq(EXACT, word) for word in query.words},
            {stem: self._searcher.doc_freq(STEMS, stem) for stem in query.stems},
            self.average_length,
            self.documents,
        )

    def _search(self, query: Query, where: Filter, limit: int, *, scores_shown: bool) -> Candidates:
        stats = self.stats(query)
        words = self._rare(query.words, stats.document_frequency)
        stems = self._rare(query.stems, stats.stem_frequency)
        whole = len(words) == len(query.words)
        if not words and not stems:
            return Candidates((), (), not whole, stats, self.watermark)
        any_word = [self._word(EXACT, word) for word in words]
        any_word += [Compiled.boost_query(self._word(STEMS, stem), STEM_WEIGHT) for stem in stems]
        words_query = Compiled.boolean_query([(Occur.Should, word) for word in any_word])
        here = self._compiler.where(where)
        ids, more = self._distinct(Compiled.boolean_query([(Occur.Must, words_query), (Occur.Must, here)]), limit)
        if scores_shown:
            stats = self._as_seen(stats, here)
        return Candidates(ids, words, more or not whole, stats, self.watermark)

    def _as_seen(self, stats: Stats, here: Compiled) -> Stats:
        """The same with rare words counted among the documents that are ``here`` alone: a score is shown, and one that
        knew how often a word stands in what its reader may not see would tell whether it stands there."""
        return Stats(
            {word: self._seen(EXACT, word, n, here) for word, n in stats.document_frequency.items()},
            {stem: self._seen(STEMS, stem, n, here) for stem, n in stats.stem_frequency.items()},
            stats.average_length,
            stats.documents,
        )

    def _seen(self, field: str, word: str, everywhere: int, here: Compiled) -> int:
        if not 0 < everywhere <= TELLING_UP_TO:
            return everywhere
        both = Compiled.boolean_query([(Occur.Must, self._word(field, word)), (Occur.Must, here)])
        return int(self._searcher.search(both, 1).count)  # type: ignore[attr-defined]

    def _distinct(self, wanted: Compiled, limit: int) -> tuple[tuple[int, ...], bool]:
        """Documents of one id stand close together: look a little further than the limit, then four times."""
        ids: dict[int, None] = {}
        depth = limit + 1
        while True:
            hits = self._searcher.search(wanted, depth, count=False).hits
            values = self._searcher.fast_field_values(ID, [address for _, address in hits])
            ids = dict.fromkeys(int(value) for value in values if value is not None)
            if len(hits) < depth or len(ids) > limit or depth > 16 * limit:
                return tuple(ids)[:limit], len(ids) > limit or len(hits) == depth
            depth *= 4

    def _rare(self, words: tuple[str, ...], frequency: Mapping[str, int]) -> tuple[str, ...]:
        most = max(COMMON_LEAST, int(self.documents * COMMON_SHARE))
        if not any(0 < frequency[word] <= most for word in words):
            return words
        return tuple(word for word in words if frequency[word] <= most)

    def _word(self, field: str, word: str) -> Compiled:
        return Compiled.term_query(self._compiled, field, word, index_option="freq")

    def _average_length(self) -> float:
        asked = {"length": {"avg": {"field": LENGTH}}}
        answer = self._searcher.aggregate(Compiled.all_query(), asked)["length"]["value"]
        return float(answer or 0.0)


class Reader:
    """The open files of one folder, opened when first asked and again when the folder changed."""

    def __init__(self, folder: Path, schema: Schema) -> None:
        self._folder = folder
        self._schema = schema
        self._lock = threading.Lock()
        self._seen: tuple[str, int, int] | None = None
        self._index: tantivy.Index | None = None
        self._snapshot: Snapshot | None = None

    def snapshot(self, epoch: int) -> Snapshot | None:
        """What is there now, or None: no folder, another schema, an older epoch, unreadable files."""
        with self._lock:
            try:
                return guarded(self._current, epoch)
            except (CorruptIndexError, OSError) as error:
                self._forget()
                self.mark_broken(error)
                return None

    def open(self, epoch: int) -> tuple[tantivy.Index | None, Snapshot | None]:
        """The index behind the snapshot, for a writer that holds the folder's lock."""
        snapshot = self.snapshot(epoch)
        return (None, None) if snapshot is None else (self._index, snapshot)

    def mark_broken(self, error: Exception) -> None:
        """A reader never writes an index; it leaves a note, and the next writer builds the folder anew."""
        if not (self._folder / on_disk.META).exists():
            return
        log.warning("index_unreadable", index=self._schema.name, error=str(error)[:200])
        try:
            (self._folder / on_disk.BROKEN).touch(mode=0o600)
        except OSError:
            log.warning("index_note_failed", index=self._schema.name)

    def _current(self, epoch: int) -> Snapshot | None:
        marker = on_disk.read_marker(self._folder)
        meta = on_disk.stat_meta(self._folder)
        if marker is None or meta is None or not marker.serves(self._schema, epoch):
            self._forget()
            return None
        seen = (marker.generation, meta.st_mtime_ns, meta.st_ino)
        if seen != self._seen:
            self._load(reopen=self._seen is None or self._seen[0] != marker.generation)
            self._seen = seen
        return self._snapshot

    def _load(self, *, reopen: bool) -> None:
        compiled = self._schema.compile()
        if reopen or self._index is None:
            self._index = open_index(self._folder, compiled)
        self._index.reload()
        searcher = self._index.searcher()
        watermark = _watermark(searcher, compiled)
        self._snapshot = None if watermark is None else Snapshot(self._schema, compiled, searcher, watermark)

    def _forget(self) -> None:
        self._seen = self._index = self._snapshot = None


def open_index(folder: Path, compiled: tantivy.Schema, *, new: bool = False) -> tantivy.Index:
    index = tantivy.Index(compiled, path=str(folder), reuse=not new)
    index.register_tokenizer(WORD_TOKENIZER, word_analyser())
    # We look at meta.json ourselves; the library's own watcher is a thread that polls each folder.
    index.config_reader("manual", 1)
    return index


def _narrow(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """A search whose phrases may be too broad, which is no fault of the files."""
    try:
        return call(*args, **kwargs)
    except ValueError as error:
        raise_too_broad(error)
        raise


def guarded(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run a call into the library; what damaged files make it raise becomes :class:`CorruptIndexError`.

    Damage that its checks do not see ends in a panic, which arrives as a :class:`BaseException` that has no
    importable class.
    """
    try:
        return call(*args, **kwargs)
    except (LookupError, UnicodeError):
        raise  # a field that the schema does not have, words that are no text: not the folder's fault
    except ValueError as error:
        raise CorruptIndexError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise CorruptIndexError(f"panic: {error}") from None


def _watermark(searcher: tantivy.Searcher, compiled: tantivy.Schema) -> int | None:
    wanted = Compiled.term_query(compiled, KEY, WATERMARK_KEY, index_option="basic")
    hits = searcher.search(wanted, 1, count=False).hits
    values: Iterable[object] = searcher.doc(hits[0][1])[WATERMARK] if hits else ()
    return next((value for value in values if isinstance(value, int)), None)
