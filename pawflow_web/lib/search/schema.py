"""What an index holds: numbers to filter by, terms to filter by, and tokens. Never text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import tantivy

from pawflow_web.lib.text import Tokens

# Our own fields begin with an underscore, so that no field of a caller can meet them.
ID = "_id"
KEY = "_key"
EXACT = "_exact"
STEMS = "_stems"
LENGTH = "_length"
WATERMARK = "_watermark"

# The document that carries the watermark. Keys of callers are stored behind KEY_PREFIX and cannot equal it.
WATERMARK_KEY = "~"
KEY_PREFIX = "="

WORD_TOKENIZER = "whitespace"


@dataclass(frozen=True, slots=True)
class Schema:
    """The shape of one kind of index. A folder of another name or version is dropped and built anew."""

    name: str
    version: int
    terms: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    # further words of a document, each kind ranked by itself
    words: tuple[str, ...] = ()
    # whether it knows the order of the exact words
    phrases: bool = False

    def __post_init__(self) -> None:
        names = [*self.terms, *self.numbers, *self.words]
        if len(set(names)) != len(names) or any(not name.isidentifier() or name[0] == "_" for name in names):
            raise ValueError(f"Schema {self.name!r} needs distinct plain field names, got {names}.")

    def compile(self) -> tantivy.Schema:
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field(ID, indexed=True, fast=True)
        builder.add_text_field(KEY, tokenizer_name="raw", index_option="basic")
        order = "position" if self.phrases else "freq"
        builder.add_text_field(EXACT, tokenizer_name=WORD_TOKENIZER, index_option=order)
        builder.add_text_field(STEMS, tokenizer_name=WORD_TOKENIZER, index_option="freq")
        builder.add_integer_field(LENGTH, fast=True)
        builder.add_integer_field(WATERMARK, stored=True)
        for name in self.words:
            builder.add_text_field(name, tokenizer_name=WORD_TOKENIZER, index_option="freq")
        for name in self.terms:
            builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
        for name in self.numbers:
            # Never unsigned: an int given to an unsigned field kills the writer with a misleading error.
            builder.add_integer_field(name, indexed=True, fast=True)
        return builder.build()


@dataclass(frozen=True, slots=True)
class Document:
    """One searchable version of one row.

    ``id`` is what a search answers with; several documents may share it. ``key`` is the group that is
    replaced as a whole: writing any document of a key first removes every document it had. The exact tokens and the
    stems of a document need not stand side by side.
    """

    id: int
    tokens: Tokens
    key: str
    terms: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def compile(self, schema: Schema) -> tantivy.Document:
        """Raises :class:`LookupError` for a field that the schema does not have."""
        document = tantivy.Document()
        document.add_integer(ID, self.id)
        document.add_text(KEY, KEY_PREFIX + self.key)
        document.add_text(EXACT, " ".join(self.tokens.exact))
        document.add_text(STEMS, " ".join(self.tokens.stems))
        document.add_integer(LENGTH, len(self.tokens.exact))
        for name, given in self.terms.items():
            _expect(name, schema.terms, schema)
            for value in (given,) if isinstance(given, str) else given:
                document.add_text(name, value)
        for name, number in self.numbers.items():
            _expect(name, schema.numbers, schema)
            document.add_integer(name, number)
        for name, words in self.words.items():
            _expect(name, schema.words, schema)
            document.add_text(name, " ".join(words))
        return document


def watermark_document(watermark: int) -> tantivy.Document:
    """Commit payloads are not exposed and the largest number regresses after deletions: so the watermark is
    a document, rewritten in the same commit as what it vouches for."""
    document = tantivy.Document()
    document.add_text(KEY, WATERMARK_KEY)
    document.add_integer(WATERMARK, watermark)
    return document


def word_analyser() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


def _expect(name: str, known: tuple[str, ...], schema: Schema) -> None:
    if name not in known:
        raise LookupError(f"Index {schema.name!r} has no such field {name!r}; it has {known}.")
