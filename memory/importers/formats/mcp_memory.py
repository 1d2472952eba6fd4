"""The file of the MCP memory server: entities with observations, and relations between entities.

One JSON object a line as the server writes it. Forks of it leave ``type`` out, call it ``_type``, write
observations as objects or ends of relations as ``from_entity`` and ``to_entity``, and add columns of their own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from memory.importers.formats.json_stream import Value, read_values
from memory.importers.formats.records import Broken, Note, Read, Record, Relation, Skipped
from memory.importers.formats.sections import safe_slug
from memory.models.note import TAG_LONGEST
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.text import clean, fold, is_blank
from review.limits import TEXT_MOST

ENTITY, RELATION = "entity", "relation"

_TYPE = ("type", "_type")
_ENTITY_TYPE = ("entityType", "entity_type")
_RELATION_TYPE = ("relationType", "relation_type")
_FROM = ("from", "from_entity")
_TO = ("to", "to_entity")
_TEXT = ("text", "content", "observation")

# What may be said of a type that nobody knows: a plain word, never a passage of the file.
_PLAIN_WORD = re.compile(r"[\w.:-]{1,40}", re.ASCII)
_LETTER = re.compile(r"\w")
_TYPES_KEPT = 1000

_NOT_TEXT = ("not_text", "an observation that is not text was left out")
_EMPTY = ("empty", "an observation without words was left out")


def read(stream: BinaryIO) -> Iterator[Read]:
    """Every record of the file in order."""
    known: dict[str, str] = {}
    for found in read_values(stream):
        yield found if isinstance(found, Broken) else interpret(found, known)


def is_record(value: Any) -> bool:
    """Whether this is an entity or a relation, by its keys and not by a name."""
    return isinstance(value, dict) and isinstance(interpret(Value(0, value)), Record)


def interpret(found: Value, known: dict[str, str] | None = None) -> Read:
    """What one decoded value means. Never raises.

    Args:
        known: tags of the types that stand in the file before it; a new one is put in.
    """
    line, value = found.line, found.value
    if not isinstance(value, dict):
        return Broken(line, "bad_record", "this is not an object; it was left out")
    kind = _kind(value)
    if kind == ENTITY:
        return _entity(line, value, {} if known is None else known)
    if kind == RELATION:
        return _relation(line, value)
    return Skipped(line, kind)


def _kind(value: Mapping[str, Any]) -> str:
    """``entity``, ``relation`` or the name of another type; by the keys where no type is given."""
    named = _first(value, _TYPE)
    if isinstance(named, str) and not is_blank(named):
        kind = named.strip().lower()
        return kind if kind in {ENTITY, RELATION} else _plain(kind)
    if "observations" in value or ("name" in value and _has(value, _ENTITY_TYPE)):
        return ENTITY
    if _has(value, _RELATION_TYPE) or (_has(value, _FROM) and _has(value, _TO)):
        return RELATION
    return "untyped"


def _entity(line: int, value: Mapping[str, Any], known: dict[str, str]) -> Read:
    name = value.get("name")
    observations = value.get("observations")
    if not _is_words(name):
        return Broken(line, "bad_record", "this entity has no name; it was left out")
    if observations is None:
        observations = []
    elif isinstance(observations, str):
        observations = [observations]
    if not isinstance(observations, list):
        return Broken(line, "bad_record", "the observations of this entity are not a list; it was left out")
    return Record(line, ENTITY, _notes(str(name), _tag(_first(value, _ENTITY_TYPE), known), observations))


def _tag(entity_type: Any, known: dict[str, str]) -> str:
    """A file has many entities and few types, and looking for secrets takes longer than all the rest."""
    if not isinstance(entity_type, str) or len(entity_type) > TAG_LONGEST:
        return safe_slug(entity_type)
    if entity_type not in known:
        if len(known) >= _TYPES_KEPT:
            known.clear()
        known[entity_type] = safe_slug(entity_type)
    return known[entity_type]


def _relation(line: int, value: Mapping[str, Any]) -> Read:
    parts = (_first(value, _FROM), _first(value, _TO), _first(value, _RELATION_TYPE))
    if not all(_is_words(part) for part in parts):
        return Broken(line, "bad_record", "this relation lacks one of from, to and relationType; it was left out")
    subject, last, predicate = (str(part) for part in parts)
    return Record(line, RELATION, [Relation(subject, predicate, last)])


def _notes(name: str, tag: str, observations: Iterable[Any]) -> Iterator[Note]:
    subject = _subject(name)
    tags = (tag,) if tag else ()
    for observation in observations:
        words = _first(observation, _TEXT) if isinstance(observation, dict) else observation
        if not isinstance(words, str):
            yield Note("", fault=_NOT_TEXT)
        elif not _says_something(words):
            yield Note("", fault=_EMPTY)
        else:
            yield Note(f"{subject}: {words.strip()}", quote=words, tags=tags)


def _says_something(words: str) -> bool:
    """Whether anything is left of it by itself; with the name before it, even a full stop would be."""
    if _LETTER.search(words):
        return True
    try:
        return bool(fold(clean(words[: TEXT_MOST + 1])))
    except Invalid:
        return True


def _subject(name: str) -> str:
    """The name as it stands before each observation. A name that is too long for any belief stays too long, but is
    not repeated in full for every observation."""
    try:
        cleaned = clean(name)
    except Invalid:
        cleaned = name
    return cleaned.strip()[: TEXT_MOST + 1]


def _plain(kind: str) -> str:
    return kind if _PLAIN_WORD.fullmatch(kind) else "other"


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _has(value: Mapping[str, Any], keys: Iterable[str]) -> bool:
    return any(key in value for key in keys)


def _is_words(value: Any) -> bool:
    return isinstance(value, str) and not is_blank(value)
