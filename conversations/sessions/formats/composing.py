"""What the readers of all formats make of a loosely typed value: words, times, paths, the text of a tool's call.

Nothing here raises, whatever the value is.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from conversations.sessions.entries import Policy

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253_402_300_799_999  # the last millisecond of the year 9999
_FROM_HERE_MILLISECONDS = 1e11  # below, a number counts seconds
_PATH_KEY = re.compile(r"(?i:(?:.*_)?(?:files?|paths?|filename))|.*[a-z0-9](?:Files?|Paths?|File[Nn]ame)")
_SURROGATES = re.compile("[\ud800-\udfff]")


def object_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def string_of(value: Any) -> str:
    """The string, fit to be stored: halves of surrogate pairs and zero bytes are replaced. "" for anything else."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value.replace("\0", "\ufffd")
    return _SURROGATES.sub("\ufffd", value).replace("\0", "\ufffd")


def name_of(value: Any) -> str | None:
    """An id or a name; None where there is none."""
    return string_of(value) or None


def first_string(*values: Any) -> str:
    """The first of the values that is a string and not empty."""
    return next((found for value in values if (found := string_of(value))), "")


def joined(texts: Iterator[str] | list[str]) -> str:
    """The texts that hold words, a line break between them."""
    return "\n".join(text for text in texts if text.strip())


def milliseconds(value: Any) -> int | None:
    """A time as milliseconds since 1970: ISO 8601, UTC where no zone is named, or a number of seconds or milliseconds.
    None for what is no time."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _of_iso(value)
    # compared before it is reckoned with: integers of JSON have no bound, and no comparison with NaN holds
    if not isinstance(value, int | float) or not 0 <= value <= _LATEST:
        return None
    time = round(value if value > _FROM_HERE_MILLISECONDS else value * 1000)
    return time if time <= _LATEST else None


def _of_iso(value: str) -> int | None:
    if len(value) < len("2026-01-01"):
        return None
    try:
        time = datetime.fromisoformat(value)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        found = (time - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None
    return found if found >= 0 else None


def paths_in(value: Any) -> tuple[str, ...]:
    """The paths of files that the arguments of a tool name, each once: strings whose nearest key says so."""
    found: dict[str, None] = {}
    # A stack instead of recursion: arguments may be nested as deeply as a parser allows.
    waiting: list[tuple[bool, Any]] = [(False, value)]
    while waiting:
        named, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend((_PATH_KEY.fullmatch(key) is not None, inner) for key, inner in reversed(item.items()))
        elif isinstance(item, list):
            waiting.extend((named, inner) for inner in reversed(item))
        elif named and (path := string_of(item).strip()):
            found[path] = None
    return tuple(found)


def compact(value: Any) -> str:
    """The value as JSON without blanks."""
    try:
        return string_of(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    except (ValueError, RecursionError):
        return "…"


def arguments_of(value: Any) -> Any:
    """Arguments that may be kept as the JSON text of an object; a text that is none stays one."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict | list) else value


def call_text(name: str, arguments: Any) -> str:
    """The words of a call. Arguments that are a text and no JSON, as a patch, stand as they are."""
    inside = string_of(arguments) if isinstance(arguments, str) else compact({} if arguments is None else arguments)
    return f"Tool: {name}({inside})"


def result_text(name: str, body: str, *, is_error: bool, policy: Policy) -> str:
    """The words of what a tool answered."""
    head = f"toolResult({name})" if name else "toolResult"
    head += " [error]" if is_error else ""
    return f"{head}: {body}" if policy.tool_output and body else head


def text_of_blocks(value: Any) -> str:
    """The words of a text, or of a list of texts and of blocks that hold one."""
    if isinstance(value, str):
        return string_of(value)
    blocks = value if isinstance(value, list) else [value]
    return joined([string_of(block) or string_of(object_of(block).get("text")) for block in blocks])


def has_words(text: str) -> bool:
    return bool(text.strip())
