"""A JSON array of texts, as browser extensions and scripts save the memories of an assistant.

An element is a string, or an object that holds its words under one of the usual names. One element after another is
decoded, so that a damaged file gives what stands before the damage.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from memory.importers.formats.dates import iso_date
from memory.importers.formats.passages import note_of
from memory.importers.formats.records import Broken, Note, Read, Record, Skipped
from memory.importers.formats.sections import Context, meaning_of, merged, safe_slugs
from memory.importers.formats.text_lines import encoding_of

# The most that is decoded of such a file, in bytes; the elements are not records of a log and stay small.
ARRAY_MOST = 16 * 2**20
_SPACE = " \t\r\n"
_TEXT = ("text", "content", "memory", "value", "fact", "note")
_DATE = ("created_at", "created", "date", "timestamp", "updated_at")
_DECODER = json.JSONDecoder(strict=False)

_NOT_JSON = "this is not JSON; the file was left out from here"
_TORN = "the file ends in the middle of the array"
_TOO_LONG = f"the array is longer than {ARRAY_MOST // 2**20} MiB; the rest was left out"
_NO_TEXT = ("not_text", "an element that holds no text was left out")


def begins_array(stream: BinaryIO) -> bool:
    """Whether the file is a JSON array of strings or objects, told from its start."""
    stream.seek(0)
    head = stream.read(4096)
    text = head.decode(encoding_of(head), "replace").lstrip(_SPACE + "\ufeff")
    return text.startswith("[") and text[1:].lstrip(_SPACE)[:1] in {'"', "{"} and _begins_element(text)


def _begins_element(text: str) -> bool:
    """``["a"`` and ``[{"a":`` are JSON; ``["Quoted" words](link)`` is Markdown."""
    rest = text[1:].lstrip(_SPACE)
    if rest.startswith("{"):
        return rest[1:].lstrip(_SPACE)[:1] in {'"', "}", ""}
    try:
        _, end = _DECODER.raw_decode(rest)
    except ValueError:
        return len(text) > 1000
    after = rest[end:].lstrip(_SPACE)
    return after[:1] in {",", ""} or (after[:1] == "]" and after[1:].strip() == "")


def read_array(stream: BinaryIO, kind: str) -> Iterator[Read]:
    """Every element as a record of ``kind``. Never raises on what is in the file."""
    stream.seek(0)
    raw = stream.read(ARRAY_MOST + 1)
    text = raw[:ARRAY_MOST].decode(encoding_of(raw[:4096]), "replace")
    at = text.index("[") + 1
    line = 1 + text.count("\n", 0, at)
    while True:
        start = _skip(text, at)
        line += text.count("\n", at, start)
        if start >= len(text):
            yield Broken(line, *(("array_too_long", _TOO_LONG) if len(raw) > ARRAY_MOST else ("torn", _TORN)))
            return
        if text[start] == "]":
            return
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            cut = len(raw) > ARRAY_MOST
            yield Broken(line, *(("array_too_long", _TOO_LONG) if cut else ("bad_json", _NOT_JSON)))
            return
        yield _element(line, kind, value)
        line += text.count("\n", start, at)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE + ",":
        at += 1
    return at


def _element(line: int, kind: str, value: Any) -> Read:
    if isinstance(value, str):
        return Record(line, kind, [note_of(value, Context(), dated_at_end=True)])
    if not isinstance(value, dict):
        return Skipped(line, "untyped")
    words = next((value[key] for key in _TEXT if isinstance(value.get(key), str)), None)
    if words is None:
        return Record(line, kind, [Note("", fault=_NO_TEXT)])
    since = next((iso_date(value[key][:10]) for key in _DATE if isinstance(value.get(key), str)), "")
    return Record(line, kind, [note_of(words, _context(value), since=since, dated_at_end=True)])


def _context(value: dict[str, Any]) -> Context:
    tags = value.get("tags")
    known = next(
        (
            found
            for key in ("category", "type", "kind")
            if isinstance(value.get(key), str) and (found := meaning_of(value[key]))
        ),
        None,
    )
    own = [known.tag] if known and known.tag else []
    given = safe_slugs(tags) if isinstance(tags, list) else []
    return Context(merged(own, given), known.category if known else "")
