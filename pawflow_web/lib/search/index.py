"""One index: a folder that can be read by every process and written by one at a time."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ParamSpec, TypeVar

import tantivy

from pawflow_web.lib.ranking import Query
from pawflow_web.lib.search import folder as on_disk
from pawflow_web.lib.search.filters import EVERYTHING, Filter, Term
from pawflow_web.lib.search.folder import Moved, Unwritable
from pawflow_web.lib.search.reader import Candidates, CorruptIndexError, Reader, Snapshot, guarded, open_index
from pawflow_web.lib.search.schema import KEY, KEY_PREFIX, WATERMARK_KEY, Document, Schema, watermark_document
from pawflow_web.lib.text import Tokens

_P = ParamSpec("_P")
_T = TypeVar("_T")

# An open index costs a thread and some twenty memory maps.
_OPEN_AT_MOST = 64

# The least the library accepts is 15 MB; a rebuild wants few, larger segments.
_HEAP_SMALL = 15_000_000
_HEAP_REBUILD = 64_000_000


@lru_cache(maxsize=_OPEN_AT_MOST)
def _shared_reader(folder: Path, schema: Schema) -> Reader:
    return Reader(folder, schema)


# A forked child has the parent's maps but none of its threads, and perhaps a lock that nobody will free.
os.register_at_fork(after_in_child=_shared_reader.cache_clear)


class Index:
    """A handle; opening it touches nothing.

    Every read answers None when there is no index to read: no folder, another version of the schema, an epoch
    older than asked for, or damaged files (which the next writer replaces). Reads never raise for what lies
    on disk.
    """

    def __init__(self, folder: Path, schema: Schema, epoch: int) -> None:
        self.folder = folder
        self.schema = schema
        self.epoch = epoch

    @classmethod
    def open(cls, folder: Path, schema: Schema, *, epoch: int = 0) -> "Index":
        """``epoch`` is what the database says: a folder built under a smaller one holds words that somebody
        purged, on whatever node it lies, and is not read any more."""
        return cls(folder.absolute(), schema, epoch)

    @property
    def _reader(self) -> Reader:
        return _shared_reader(self.folder, self.schema)

    @property
    def built_under(self) -> int | None:
        """The epoch of the folder that lies there; None where there is none."""
        marker = on_disk.read_marker(self.folder)
        return None if marker is None else marker.epoch

    @property
    def lock_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.lock")

    def snapshot(self) -> Snapshot | None:
        """The index as it is now; what is asked of one snapshot belongs to one moment."""
        return self._reader.snapshot(self.epoch)

    def report(self, error: CorruptIndexError) -> None:
        """Say that a snapshot turned out to be damaged, so that the next writer builds the folder anew."""
        self._reader.mark_broken(error)

    @property
    def watermark(self) -> int | None:
        """Everything up to this number is in the index; None where there is none."""
        snapshot = self.snapshot()
        return None if snapshot is None else snapshot.watermark

    def search(self, tokens: Tokens, *, where: Filter = EVERYTHING, limit: int = 60) -> Candidates | None:
        """At most ``limit`` distinct ids for the words of a query, best first."""
        snapshot = self.snapshot()
        try:
            return None if snapshot is None else snapshot.search(Query(tokens), where=where, limit=limit)
        except CorruptIndexError as error:
            self.report(error)
            return None

    def count(self, where: Filter = EVERYTHING, *, without_keys: Sequence[str] = ()) -> int | None:
        """How many documents match, leaving out those of some keys."""
        snapshot = self.snapshot()
        try:
            return None if snapshot is None else snapshot.count(where, without_keys=without_keys)
        except CorruptIndexError as error:
            self.report(error)
            return None

    def write(
        self,
        documents: Iterable[Document],
        *,
        after: int | None,
        watermark: int,
        delete: Iterable[str] = (),
        delete_terms: Iterable[Term] = (),
    ) -> None:
        """One batch: delete keys, replace the documents of others, move the watermark; all of it or nothing.
        ``delete_terms``: every document with such a term goes first.

        ``after`` is the watermark that this batch continues from, or None to begin a new index, which drops
        whatever lies there. ``documents`` is consumed under the folder's lock; what it raises passes through
        and leaves a continued index as it was. Raises ``Busy``, ``Moved`` and ``Unwritable``.
        """
        with on_disk.file_lock(self.lock_file):
            writer = self._writer(after)
            try:
                for term in delete_terms:
                    _told(writer.delete_documents_by_term, term.field, term.value)
                self._fill(writer, documents, delete, fresh=after is None)
                _told(writer.add_document, watermark_document(watermark))
                _told(writer.commit)
                # Writers that are dropped with merges under way leave their files behind.
                _told(writer.wait_merging_threads)
            finally:
                del writer  # a writer that lives on in a traceback keeps the library's own lock
            on_disk.make_private(self.folder)

    def drop(self) -> None:
        """Take the folder away now, also from under a writer, whose batch then fails. Raises ``OSError``."""
        on_disk.drop(self.folder)

    def replace_by(self, other: "Index") -> None:
        """Take over what was built in the folder of ``other``. Readers go on with the old one until then.
        Raises ``Busy`` and ``Unwritable``."""
        with on_disk.file_lock(self.lock_file), on_disk.file_lock(other.lock_file):
            _told(on_disk.replace, self.folder, other.folder)

    def _writer(self, after: int | None) -> tantivy.IndexWriter:
        if after is None:
            return _told(self._created().writer, _HEAP_REBUILD, 1)
        index, snapshot = self._reader.open(self.epoch)
        if index is None or snapshot is None or snapshot.watermark != after:
            at = None if snapshot is None else snapshot.watermark
            raise Moved(f"Index {self.schema.name} stands at {at}, the batch begins after {after}.")
        return _told(index.writer, _HEAP_SMALL, 1)

    def _created(self) -> tantivy.Index:
        _told(on_disk.create, self.folder, self.schema, self.epoch)
        return _told(open_index, self.folder, self.schema.compile(), new=True)

    def _fill(
        self,
        writer: tantivy.IndexWriter,
        documents: Iterable[Document],
        delete: Iterable[str],
        *,
        fresh: bool,
    ) -> None:
        removed = {WATERMARK_KEY}
        if not fresh:
            _told(writer.delete_documents_by_term, KEY, WATERMARK_KEY)
            for key in delete:
                removed.add(KEY_PREFIX + key)
                _told(writer.delete_documents_by_term, KEY, KEY_PREFIX + key)
        for document in documents:
            key = KEY_PREFIX + document.key
            if not fresh and key not in removed:
                removed.add(key)
                _told(writer.delete_documents_by_term, KEY, key)
            _told(writer.add_document, document.compile(self.schema))


def _told(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """A step of a batch; what the library or the disk refuses becomes :class:`Unwritable`."""
    try:
        return guarded(call, *args, **kwargs)
    except (OSError, CorruptIndexError) as error:
        raise Unwritable(str(error)) from None
