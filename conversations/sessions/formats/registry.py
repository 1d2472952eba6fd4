"""The formats that are known, and which of them a source is of."""

from itertools import islice
from typing import Any

from conversations.sessions.entries import Format, Record
from conversations.sessions.formats.chatgpt import ChatGptFormat
from conversations.sessions.formats.claude_ai import ClaudeAiFormat
from conversations.sessions.formats.claude_code import ClaudeCodeFormat
from conversations.sessions.formats.codex import CodexFormat
from conversations.sessions.formats.documents import elements_of, is_list
from conversations.sessions.formats.gemini_cli import GeminiCliFormat
from conversations.sessions.formats.jsonl import records_of_lines
from conversations.sessions.formats.pi import PiFormat

# The order decides where two claim the same: those with a header of their own come first.
_ALL: tuple[Format, ...] = (
    PiFormat(),
    GeminiCliFormat(),
    CodexFormat(),
    ClaudeCodeFormat(),
    ChatGptFormat(),
    ClaudeAiFormat(),
)
FORMATS: dict[str, Format] = {known.kind: known for known in _ALL}

# How much of a source is looked at: a first conversation, or a first line with a picture in it, may be long.
_BEGINNING = 32 << 20
_VALUES = 50


def format_of(kind: str) -> Format:
    """The format of a kind. Raises KeyError for a kind that is not known."""
    return FORMATS[kind]


def detect(source: bytes) -> Format | None:
    """The format of a source, told from the structure of its first values; None where no format is known."""
    beginning = source[:_BEGINNING]
    if is_list(beginning):
        sample = [element.value for element in islice(elements_of(beginning), _VALUES)]
        known = [one for one in FORMATS.values() if not one.appends]
    else:
        sample = _first_objects(beginning)
        known = list(FORMATS.values())
    return next((one for one in known if one.claims(sample)), None)


def _first_objects(beginning: bytes) -> list[Any]:
    found = islice(records_of_lines(beginning), _VALUES)
    return [record.value for record in found if isinstance(record, Record)]
