"""Lexical search over folders of ids, filter fields and tokens. Knows no model and no text."""

from pawflow_web.lib.search.filters import EVERYTHING, All, Any, AnyOf, Filter, Not, OfKey, Range, Term
from pawflow_web.lib.search.folder import Busy, IndexWriteError, Moved, Unwritable, file_lock
from pawflow_web.lib.search.index import Index
from pawflow_web.lib.search.reader import Candidates, CorruptIndexError, Snapshot
from pawflow_web.lib.search.schema import Document, Schema
from pawflow_web.lib.search.tail import Coverage, Found, Row, count_with_tail, search_with_tail

__all__ = [
    "EVERYTHING",
    "All",
    "Any",
    "AnyOf",
    "Busy",
    "Candidates",
    "CorruptIndexError",
    "Coverage",
    "Document",
    "Filter",
    "Found",
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
    "Unwritable",
    "count_with_tail",
    "file_lock",
    "search_with_tail",
]
