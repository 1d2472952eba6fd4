"""What a file is, told from what is in it and never from its name."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from memory.importers.formats import Format
from memory.importers.json_stream import Value, read_values
from pawflow_web.lib.errors import Invalid

# A file that shows no record of its format within this many bytes is of another.
LOOKED_AT = 4 * 2**20

_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)
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


def require_layout(form: Format, stream: BinaryIO) -> None:
    """Check that the stream, from its start, holds records of the format; an empty file does.

    Raises :class:`Invalid` saying what it looks like instead.
    """
    stream.seek(0)
    head = stream.read(4096)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        head += stream.read(LOOKED_AT)
        if not head.strip(b" \t\r\n\xef\xbb\xbf"):
            return
    stream.seek(0)
    looks = _by_first_bytes(head)
    for value in _values(stream) if looks is None else ():
        if form.is_record(value):
            return
        looks = looks or _by_keys(value)
    looks = looks or _by_text(head)
    raise Invalid(
        f"This is not {form.title}. It looks like {looks}.", fields={"path": f"holds no record of {form.name}"}
    )


def _values(stream: BinaryIO) -> Iterator[Any]:
    for found in read_values(stream):
        if isinstance(found, Value):
            yield found.value
        if stream.tell() > LOOKED_AT:
            return


def _by_first_bytes(head: bytes) -> str | None:
    found = next((what for magic, what in _MAGIC if head.startswith(magic)), None)
    if found is None and b"\x00" in head.strip(b"\x00"):
        return "a binary file"
    return found


def _by_keys(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    known = next((what for what, fits in _JSON if fits(value)), None)
    if known is None and isinstance(value.get("results"), list):
        known = next((_by_keys(one) for one in value["results"][:1]), None)
    return known or "JSON of another kind"


def _by_text(head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "damaged JSON"
    if text.startswith(b"<"):
        return "an HTML or XML document"
    if text.startswith((b"# ", b"## ", b"---")):
        return "a Markdown document"
    return "plain text"
