"""The formats that an import may name, and how each is read. Filled here and nowhere else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from conversations.sessions.formats.registry import FORMATS as SESSION_FORMATS
from memory.importers.formats import dump, markdown, mcp_memory
from memory.importers.formats.records import Read
from pawflow_web.lib.errors import Invalid


@dataclass(frozen=True, slots=True)
class Format:
    """One layout of files."""

    name: str
    title: str
    # changes whenever the same bytes may give other notes or another order of them
    parser_version: int
    read: Callable[[BinaryIO], Iterator[Read]]
    # kind of record -> its name in the plural, as the report counts them
    counted: Mapping[str, str]
    # whether a decoded JSON value belongs to this format; None: it is text
    is_record: Callable[[Any], bool] | None = None
    # kinds whose records an earlier version only counted: the report goes on saying how many wait, which is none
    waited: tuple[str, ...] = ()
    # endings of the files that are taken from a folder of this format; none: it is always one file
    endings: tuple[str, ...] = ()


MCP_MEMORY = Format(
    name="mcp-memory",
    title="the file of the MCP memory server",
    parser_version=2,
    read=mcp_memory.read,
    counted={mcp_memory.ENTITY: "entities", mcp_memory.RELATION: "relations"},
    is_record=mcp_memory.is_record,
    waited=(mcp_memory.RELATION,),
)
MARKDOWN = Format(
    name="markdown",
    title="a Markdown memory file",
    parser_version=1,
    read=markdown.read,
    counted={markdown.ENTRY: "entries", markdown.PARAGRAPH: "paragraphs", markdown.ROW: "rows"},
    endings=(".md", ".markdown"),
)
DUMP = Format(
    name="dump",
    title="a text with a memory on each line",
    parser_version=1,
    read=dump.read,
    counted={dump.ENTRY: "entries"},
)
FORMATS: Mapping[str, Format] = {one.name: one for one in (MCP_MEMORY, MARKDOWN, DUMP)}
NOT_YET = ("gemini", "obsidian", "mem0", "bundle")
# What was said rather than what is believed: the command takes these to the sessions.
SESSIONS = "sessions"
SESSION_KINDS = tuple(SESSION_FORMATS)
# told from what is in the file
AUTO = "auto"
NAMES = (*FORMATS, AUTO, SESSIONS, *SESSION_KINDS, *NOT_YET)


def format_called(name: str) -> Format | None:
    """The format of that name; None for :data:`AUTO`. Raises :class:`Invalid` for one that this version does not
    read."""
    if name == AUTO:
        return None
    found = FORMATS.get(name)
    if name in (SESSIONS, *SESSION_KINDS):
        raise Invalid(
            f"Files of {name} hold what was said, no beliefs: send them to POST /sessions, or take "
            f"manage.py import {name}.",
            fields={"format": "is for sessions"},
        )
    if found is None:
        known = ", ".join([*FORMATS, AUTO])
        shown = name if name in NOT_YET else ascii(name)[:40]
        raise Invalid(
            f"This version cannot import {shown}; it imports {known}.", fields={"format": f"must be one of {known}"}
        )
    return found
