"""The head of a note between two lines of ``---``: read as data, never obeyed.

Of YAML only what such heads hold is known: ``key: value``, lists in brackets and lists of dashes. Anything else in
it is passed over.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from memory.importers.formats.dates import iso_date
from memory.importers.formats.sections import Context, meaning_of, merged, safe_slugs
from memory.importers.formats.text_lines import Line
from memory.models.note import Category

_LINES_MOST = 200
_ENDS = frozenset({"---", "..."})
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w -]{0,60}?)\s*:(?:\s+(?P<value>.*))?\s*\Z")
_ENTRY = re.compile(r"\s*-\s+(?P<value>.+)\Z")
_QUOTED = re.compile(r"\A([\"'])(.*)\1\Z")
_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")


@dataclass(slots=True)
class FrontMatter:
    """What the head says of every note in the file."""

    context: Context = field(default_factory=Context)
    since: str = ""


def split_front_matter(lines: Iterable[Line]) -> tuple[FrontMatter, Iterator[Line]]:
    """The head of the file, empty where it has none, and the lines after it."""
    rest = iter(lines)
    head: list[Line] = []
    for line in rest:
        head.append(line)
        text = line.text.rstrip()
        if len(head) == 1 and text == "---":
            continue
        if len(head) == 1 or len(head) > _LINES_MOST or (len(head) == 2 and not _KEY.match(text)):
            break
        if text in _ENDS:
            return _meaning(head[1:-1]), rest
    return FrontMatter(), chain(head, rest)


def _meaning(lines: Iterable[Line]) -> FrontMatter:
    values = _values(lines)
    known = next(
        (found for key in ("type", "kind") for word in values.get(key, ()) if (found := meaning_of(word))), None
    )
    named = next((word.lower() for word in values.get("category", ()) if word.lower() in Category.values), "")
    days = (
        iso_date(match[0])
        for key in ("valid_from", "date", "created")
        for word in values.get(key, ())
        if (match := _DAY.match(word))
    )
    own = [known.tag] if known and known.tag else []
    tags = safe_slugs(word.lstrip("#") for key in ("tags", "tag") for word in values.get(key, ()))
    context = Context(merged(own, tags), named or (known.category if known else ""))
    return FrontMatter(context, next((day for day in days if day), ""))


def _values(lines: Iterable[Line]) -> dict[str, list[str]]:
    """Every key in lower case with its values; keys inside another one count like those beside it."""
    values: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        entry = _ENTRY.match(line.text)
        if entry and key:
            values[key].append(_plain(entry["value"]))
        elif match := _KEY.match(line.text.strip()):
            key = match["key"].strip().lower()
            values.setdefault(key, []).extend(_listed(match["value"] or ""))
    return values


def _listed(value: str) -> list[str]:
    value = value.strip()
    inside = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
    return [plain for part in inside if (plain := _plain(part))]


def _plain(value: str) -> str:
    value = value.strip()
    quoted = _QUOTED.match(value)
    return quoted[2] if quoted else value
