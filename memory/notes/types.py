"""Facts by what they are for: the table between types and what a note has, in both directions."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any

from memory.models.note import Category


class FactType(StrEnum):
    IDENTITY = "identity"
    RULE = "rule"
    PREFERENCE = "preference"
    DECISION = "decision"
    CONTEXT = "context"
    EVENT = "event"


# Some are told by a tag, some by the category, and what is left is context. The first that fits is the type.
_TAGS = {
    FactType.IDENTITY: ("identity", "profile"),
    FactType.RULE: ("rule",),
    FactType.DECISION: ("decision",),
}
_CATEGORIES = {FactType.PREFERENCE: Category.PREFERENCES, FactType.EVENT: Category.EVENTS}


def type_of(category: str, tags: Collection[str]) -> FactType:
    for kind, names in _TAGS.items():
        if not set(names).isdisjoint(tags):
            return kind
    return next((kind for kind, value in _CATEGORIES.items() if value == category), FactType.CONTEXT)


def narrowed_to_type(kind: FactType) -> dict[str, Any]:
    """What is of a type, as arguments of :class:`review.search.filters.ItemFilter`."""
    if kind in _TAGS:
        return {"tags": _TAGS[kind]}
    if kind in _CATEGORIES:
        return {"categories": (_CATEGORIES[kind].value,)}
    return {
        "other_tags": tuple(name for names in _TAGS.values() for name in names),
        "other_categories": tuple(value.value for value in _CATEGORIES.values()),
    }
