"""A small filter language, compiled to queries of the index. Text of a user is never parsed.

Every permission and every filter belongs *inside* the query: filtering afterwards starves a narrow viewer,
whose rows may all lie behind the first sixty of somebody else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import tantivy
from tantivy import Occur
from tantivy import Query as Compiled

from pawflow_web.lib.search.schema import EXACT, KEY, KEY_PREFIX, STEMS, WATERMARK_KEY, Schema

# Beyond this many values one set query is cheaper than a disjunction of single terms.
_SET_FROM = 24


@dataclass(frozen=True, slots=True)
class Term:
    """The field holds this value."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field holds one of these values; none at all matches nothing."""

    field: str
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Range:
    """``least <= number <= most``; an absent bound is open, but the number must be there."""

    field: str
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class OfKey:
    """The document belongs to the group of this key."""

    key: str


@dataclass(frozen=True, slots=True)
class HasWord:
    """The document holds this word. ``field``: which words are looked at, :data:`~.schema.EXACT` or some of the
    schema's."""

    word: str
    field: str = EXACT


@dataclass(frozen=True, slots=True)
class HasWordLike:
    """The document holds an exact word that the pattern matches as a whole. ``pattern`` is one of this library."""

    pattern: str


@dataclass(frozen=True, slots=True)
class HasPhrase:
    """The document holds exact words one after another, at least two, each of which a pattern matches as a whole."""

    patterns: tuple[str, ...]


class All:
    """Every part holds; no part at all matches everything."""

    __slots__ = ("parts",)

    def __init__(self, *parts: "Filter") -> None:
        self.parts = parts


class Any:
    """At least one part holds; no part at all matches nothing."""

    __slots__ = ("parts",)

    def __init__(self, *parts: "Filter") -> None:
        self.parts = parts


@dataclass(frozen=True, slots=True)
class Not:
    part: "Filter"


Filter = Term | AnyOf | Range | OfKey | HasWord | HasWordLike | HasPhrase | All | Any | Not

EVERYTHING = All()

_MOST_INTEGER = 2**63 - 1


class TooBroad(LookupError):
    """A pattern stands for more words than are looked at, or is longer than one may be."""


# How the library says so.
_OF_A_PATTERN = ("max expansions", "exceeds size limit")


def raise_too_broad(error: ValueError) -> None:
    """Raises :class:`TooBroad` where an error of the library is one of a pattern, and not of the files."""
    if any(words in str(error) for words in _OF_A_PATTERN):
        raise TooBroad(str(error)) from None


class Compiler:
    """Turns filters into queries of one schema. Raises :class:`LookupError` for an unknown field, :class:`TooBroad` for
    a pattern that is too long."""

    def __init__(self, schema: Schema, compiled: tantivy.Schema) -> None:
        self._schema = schema
        self._compiled = compiled

    def where(self, part: Filter, *, without_keys: Sequence[str] = ()) -> Compiled:
        """Documents that match ``part``, without the watermark and without those of some keys."""
        clauses = [(Occur.Must, self._filter(part)), (Occur.MustNot, self._term(KEY, WATERMARK_KEY))]
        if without_keys:
            keys = [KEY_PREFIX + key for key in without_keys]
            clauses.append((Occur.MustNot, Compiled.term_set_query(self._compiled, KEY, keys)))
        return Compiled.const_score_query(Compiled.boolean_query(clauses), 0)

    def key(self, key: str) -> Compiled:
        return self._term(KEY, key)

    def _filter(self, part: Filter) -> Compiled:
        match part:
            case Term(field, value):
                return self._term(self._known(field, self._schema.terms), value)
            case AnyOf(field, values):
                return self._any_of(self._known(field, self._schema.terms), values)
            case Range(field, least, most):
                return self._range(self._known(field, self._schema.numbers), least, most)
            case OfKey(key):
                return self._term(KEY, KEY_PREFIX + key)
            case HasWord() | HasWordLike() | HasPhrase():
                return self._worded(part)
            case All():
                return self._all(part.parts)
            case Any():
                return self._either([self._filter(inner) for inner in part.parts])
            case Not():
                return self._all((part,))

    def _worded(self, part: HasWord | HasWordLike | HasPhrase) -> Compiled:
        try:
            match part:
                case HasWord(word, field):
                    return self._term(self._known(field, (EXACT, STEMS, *self._schema.words)), word)
                case HasWordLike(pattern):
                    return Compiled.regex_query(self._compiled, EXACT, pattern)
                case HasPhrase(patterns):
                    return Compiled.regex_phrase_query(self._compiled, EXACT, list(patterns))
        except ValueError as error:
            raise_too_broad(error)
            raise

    def _all(self, parts: Sequence[Filter]) -> Compiled:
        wanted = [self._filter(part) for part in parts if not isinstance(part, Not)]
        unwanted = [self._filter(part.part) for part in parts if isinstance(part, Not)]
        # The library finds nothing by exclusions alone.
        clauses = [(Occur.Must, query) for query in wanted or [Compiled.all_query()]]
        return Compiled.boolean_query(clauses + [(Occur.MustNot, query) for query in unwanted])

    def _any_of(self, field: str, values: Sequence[str]) -> Compiled:
        if len(values) >= _SET_FROM:
            return Compiled.term_set_query(self._compiled, field, list(values))
        return self._either([self._term(field, value) for value in values])

    def _range(self, field: str, least: int | None, most: int | None) -> Compiled:
        lower = -_MOST_INTEGER if least is None else max(least, -_MOST_INTEGER)
        upper = _MOST_INTEGER if most is None else min(most, _MOST_INTEGER)
        if lower > upper:
            return Compiled.empty_query()
        return Compiled.range_query(self._compiled, field, tantivy.FieldType.Integer, lower, upper)

    def _term(self, field: str, value: str) -> Compiled:
        return Compiled.term_query(self._compiled, field, value, index_option="basic")

    @staticmethod
    def _either(queries: Sequence[Compiled]) -> Compiled:
        if not queries:
            return Compiled.empty_query()
        if len(queries) == 1:
            return queries[0]
        return Compiled.boolean_query([(Occur.Should, query) for query in queries])

    def _known(self, field: str, fields: tuple[str, ...]) -> str:
        if field not in fields:
            raise LookupError(f"Index {self._schema.name!r} cannot filter by {field!r}; it has {fields}.")
        return field
