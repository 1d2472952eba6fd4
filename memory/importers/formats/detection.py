"""What a file is, told from what is in it and never from its name."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, BinaryIO

from memory.importers.formats.json_stream import Value, read_values
from memory.importers.formats.json_texts import begins_array
from memory.importers.formats.markdown import HEADING, ITEM
from memory.importers.formats.records import Broken
from memory.importers.formats.registry import DUMP, MARKDOWN, MCP_MEMORY, Format
from memory.importers.formats.text_lines import Line, encoding_of, read_lines
from memory.importers.watching import Stopped, watched
from pawflow_web.lib.errors import Invalid

# A file that shows no record of its format within so many bytes after its first line is of another.
LOOKED_AT = 4 * 2**20
# Nor is it looked for longer: what is made to be damaged again and again takes minutes, and somebody waits.
SECONDS_MOST = 5.0
_HEAD = 4096
_LINES_LOOKED_AT = 2000

_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)
_UTF16 = ((b"\xff\xfe", "text in UTF-16; save it as UTF-8"), (b"\xfe\xff", "text in UTF-16; save it as UTF-8"))
_BLANK = b" \t\r\n\xef\xbb\xbf"
# Above such a share, what was decoded is no text: control characters and what could not be decoded.
_NO_TEXT_FROM = 0.1
_NO_TEXT = re.compile("[\x01-\x08\x0e-\x1f\x7f\ufffd]")
_HTML = re.compile(r"\s*<(?:!doctype\s+html|html|head|body|\?xml)\b", re.IGNORECASE)

_BEGINS_JSON = re.compile(r"\s*[\[{]")
_BEGINS_RECORD = re.compile(r"""\s*(?:\[\s*)?\{\s*["}]""")

_Signature = Callable[[Mapping[str, Any]], bool]
_JSON: tuple[tuple[str, _Signature], ...] = (
    ("a Claude Code session", lambda one: "sessionId" in one and ("uuid" in one or "leafUuid" in one)),
    ("a Codex session", lambda one: "payload" in one and "timestamp" in one and "type" in one),
    ("a Pi session", lambda one: one.get("type") == "session" and "cwd" in one),
    ("a ChatGPT export", lambda one: "mapping" in one and "title" in one),
    ("a claude.ai export", lambda one: "chat_messages" in one),
    ("a Gemini export", lambda one: "titleUrl" in one or one.get("header") == "Gemini Apps"),
    ("a mem0 export", lambda one: "memory" in one and ("user_id" in one or "hash" in one)),
    ("a Letta agent file", lambda one: "core_memory" in one or ("agents" in one and "blocks" in one)),
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
# What only Markdown holds, line by line, beside its headings.
_MARKED = re.compile(r"\s*+(?:```|~~~|<!--|\|?\s*+:?-{3,}+:?\s*+\|)")


def require_layout(form: Format, stream: BinaryIO) -> None:
    """Check that the stream, from its start, holds what the format names; an empty file does.

    Raises :class:`Invalid` saying what it looks like instead.
    """
    head = _head(stream)
    looks = "" if not head else _looks_like_text(stream, head) if form.is_record is None else _other(form, stream, head)
    if looks:
        raise Invalid(
            f"This is not {form.title}. It looks like {looks}.", fields={"path": f"holds no record of {form.name}"}
        )


def detect(stream: BinaryIO) -> Format:
    """The format of a file. Raises :class:`Invalid` for one that no format reads, saying what it looks like."""
    head = _head(stream)
    if not head:
        return MARKDOWN
    if _BEGINS_JSON.match(_text_of(head)) and not _other(MCP_MEMORY, stream, head):
        return MCP_MEMORY
    looks = _looks_like_text(stream, head)
    if looks:
        raise Invalid(f"This file cannot be imported. It looks like {looks}.", fields={"path": f"looks like {looks}"})
    if begins_array(stream):
        return DUMP
    return MARKDOWN if _is_markdown(list(islice(read_lines(stream), _LINES_LOOKED_AT))) else DUMP


# --- records ----------------------------------------------------------------------------------------------------


def _other(form: Format, stream: BinaryIO, head: bytes) -> str:
    """What the file looks like when it holds no record of the format; empty when it does."""
    looks = _by_first_bytes(head, (*_MAGIC, *_UTF16))
    with suppress(Stopped):
        for value in _values(stream) if not looks else ():
            if form.is_record is not None and form.is_record(value):
                return ""
            looks = looks or _by_keys(value)
    return looks or _by_text(head)


def _values(stream: BinaryIO) -> Iterator[Any]:
    """The decoded values of the first part. What is broken may be long: it is read past, so that one spoilt line
    does not hide the rest."""
    until = LOOKED_AT
    for found in _read_in_time(stream):
        if isinstance(found, Broken) and found.code == "line_too_long":
            until = stream.tell() + LOOKED_AT
            continue
        if isinstance(found, Value):
            yield found.value
        if stream.tell() > until:
            return


def _read_in_time(stream: BinaryIO) -> Iterator[Value | Broken]:
    """The values from the start of the stream. Raises :class:`Stopped` when there is no time for more."""
    clock = time.monotonic() + SECONDS_MOST
    stream.seek(0)
    for found in read_values(watched(stream, lambda _position: time.monotonic() < clock)):
        yield found
        if time.monotonic() > clock:
            raise Stopped


def _by_keys(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    known = next((what for what, fits in _JSON if fits(value)), "")
    if not known and isinstance(value.get("results"), list):
        known = next((_by_keys(one) for one in value["results"][:1]), "")
    return known or "JSON of another kind"


def _by_text(head: bytes) -> str:
    if b"\x00" in head.strip(b"\x00"):
        return "a binary file"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "damaged JSON"
    if text.startswith(b"<"):
        return "an HTML or XML document"
    if text.startswith((b"# ", b"## ", b"---")):
        return "a Markdown document"
    return "plain text"


# --- text -------------------------------------------------------------------------------------------------------


def _looks_like_text(stream: BinaryIO, head: bytes) -> str:
    """Empty for text that people wrote; else what it looks like."""
    magic = _by_first_bytes(head, _MAGIC)
    if magic:
        return magic
    text = _text_of(head)
    if len(_NO_TEXT.findall(text)) > len(text) * _NO_TEXT_FROM:
        return "a binary file"
    if _HTML.match(text):
        return "an HTML or XML document"
    if begins_array(stream):
        looks = _first_record(stream)
        # An array of objects is read as texts, unless it is the export of a product.
        return "" if looks in {"JSON of another kind", "damaged JSON"} else looks
    return _first_record(stream) if _BEGINS_RECORD.match(text) else ""


def _first_record(stream: BinaryIO) -> str:
    """What the first record of a file that begins like JSON looks like; empty for a file of texts."""
    try:
        first = next(_read_in_time(stream), None)
    except Stopped:
        return "damaged JSON"
    if isinstance(first, Broken):
        return "damaged JSON"
    if first is None:
        return ""
    is_ours = MCP_MEMORY.is_record is not None and MCP_MEMORY.is_record(first.value)
    return MCP_MEMORY.title if is_ours else _by_keys(first.value)


def _is_markdown(lines: list[Line]) -> bool:
    """Whether the structure of Markdown shows, or prose that is broken into lines; else each line stands alone."""
    texts = [line.text for line in lines]
    if texts and texts[0].rstrip() == "---":
        return True
    said = [text for text in texts if text.strip()]
    if len(said) > 1 and _FENCE.match(said[0]) and _FENCE.match(said[-1]):
        # put around a whole answer
        said = said[1:-1]
    if any(HEADING.match(text) or _MARKED.match(text) for text in said):
        return True
    plain = [bool(text.strip()) and not ITEM.match(text) for text in texts]
    goes_on = sum(plain[at] and plain[at + 1] and texts[at + 1].lstrip()[:1].islower() for at in range(len(texts) - 1))
    return goes_on * 3 > sum(plain) > 0


# --- bytes ------------------------------------------------------------------------------------------------------


def _head(stream: BinaryIO) -> bytes:
    """The start of the stream; empty when there is nothing but white space in it."""
    stream.seek(0)
    head = stream.read(_HEAD)
    if not head.strip(_BLANK):
        head += stream.read(LOOKED_AT)
    return head if head.strip(_BLANK) else b""


def _by_first_bytes(head: bytes, known: tuple[tuple[bytes, str], ...]) -> str:
    return next((what for magic, what in known if head.startswith(magic)), "")


def _text_of(head: bytes) -> str:
    return head[:_HEAD].decode(encoding_of(head[:_HEAD]), "replace").replace("\0", "").lstrip("\ufeff")
