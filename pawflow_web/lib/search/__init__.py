"""Lexical search over folders of ids, filter fields and tokens. Knows no model and no text."""

from pawflow_web.lib.search.filters import (
    EVERYTHING,
    All,
    Any,
    AnyOf,
    Filter,
    HasPhrase,
    HasWord,
    HasWordLike,
    Not,
    OfKey,
    Range,
    Term,
    TooBroad,
)
from pawflow_web.lib.search.folder import Busy, IndexWriteError, Moved, Unwritable, file_lock
from pawflow_web.lib.search.index import Index
from pawflow_web.lib.search.reader import Best, Candidates, CorruptIndexError, Hit, Snapshot, Word
from pawflow_web.lib.search.schema import EXACT, STEMS, Document, Schema
from pawflow_web.lib.search.tail import Coverage, Found, Row, count_with_tail, search_with_tail

__all__ = [
    "EVERYTHING",
    "EXACT",
    "STEMS",
    "All",
    "Any",
    "AnyOf",
    "Best",
    "Busy",
    "Candidates",
    "CorruptIndexError",
    "Coverage",
    "Document",
    "Filter",
    "Found",
    "HasPhrase",
    "HasWord",
    "HasWordLike",
    "Hit",
    "Index",
    "IndexWriteError",
    "Moved",
    "Not",
    "OfKey",
    "Range",
    "Row",
    "Schema",
    "Snapshot",
    "Term",
    "TooBroad",
    "Unwritable",
    "Word",
    "count_with_tail",
    "file_lock",
    "search_with_tail",
]
