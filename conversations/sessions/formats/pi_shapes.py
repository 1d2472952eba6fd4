"""Strict reading of what the Fabric extension keeps inside a Pi session: a value has a shape to the letter, or none."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from conversations.sessions.formats.composing import string_of

Check = Callable[[Any], bool]

OUTCOMES = ("succeeded", "failed", "aborted", "timed_out")

# The largest whole number that every JSON reader gives exactly.
_LARGEST = 2**53 - 1

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def shaped(value: Any, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> bool:
    """Whether this is an object with all the required keys, none but the listed ones, and each value passes."""
    checks = {**required, **(optional or {})}
    return (
        isinstance(value, dict)
        and required.keys() <= value.keys() <= checks.keys()
        and all(checks[key](one) for key, one in value.items())
    )


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def is_any(_value: Any) -> bool:
    """For JSON values: :func:`nodes_of` looks at them."""
    return True


def is_one_of(*allowed: str | int) -> Check:
    """Equal and of the same type, so that ``true`` is not 1."""
    return lambda value: any(type(value) is type(one) and value == one for one in allowed)


def is_list_of(check: Check, *, most: int | None = None) -> Check:
    return lambda value: isinstance(value, list) and (most is None or len(value) <= most) and all(map(check, value))


def nodes_of(value: Any, *, depth: int, breadth: int | None = None) -> int | None:
    """How many values there are in a JSON value, itself included.

    None where it is no JSON (NaN and infinity are none), where it is nested deeper than ``depth`` or has a collection
    of more than ``breadth``. Walks without recursion, because nothing is known yet of what comes.
    """
    count = 0
    waiting = [(value, 0)]
    while waiting:
        one, level = waiting.pop()
        count += 1
        inside = _inside(one)
        if inside is None or level > depth or (breadth is not None and len(inside) > breadth):
            return None
        waiting += [(each, level + 1) for each in inside]
    return count


def _inside(value: Any) -> list[Any] | None:
    """The values directly inside of one, or None for what JSON does not have."""
    match value:
        case dict():
            return list(value.values()) if all(isinstance(key, str) for key in value) else None
        case list():
            return value
        case float():
            return [] if math.isfinite(value) else None
        case None | bool() | int() | str():
            return []
        case _:
            return None


def compact(value: Any) -> str:
    """As JSON without spaces, characters as they are."""
    return _encoder.encode(value)


def size_of(value: Any) -> int:
    """Bytes as compact JSON in UTF-8."""
    return len(compact(value).encode(errors="surrogatepass"))


def mended_json(value: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """An object without half characters, with its compact JSON."""
    text = compact(value)
    clean = string_of(text)
    return (value if clean == text else json.loads(clean)), clean
