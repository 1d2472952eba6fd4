"""The formats that an import may name, and how each is read. Filled here and nowhere else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from memory.importers import mcp_memory
from memory.importers.records import Read
from pawflow_web.lib.errors import Invalid


@dataclass(frozen=True, slots=True)
class Format:
    """One layout of files."""

    name: str
    title: str
    # changes whenever the same bytes may give other notes or another order of them
    parser_version: int
    read: Callable[[BinaryIO], Iterator[Read]]
    # whether a decoded JSON value belongs to this format
    is_record: Callable[[Any], bool]
    # kind of record -> its name in the plural, as the report counts them
    counted: Mapping[str, str]
    # kinds whose records wait for a later version
    waits: tuple[str, ...] = ()


_ALL = (
    Format(
        name="mcp-memory",
        title="the file of the MCP memory server",
        parser_version=1,
        read=mcp_memory.read,
        is_record=mcp_memory.is_record,
        counted={mcp_memory.ENTITY: "entities", mcp_memory.RELATION: "relations"},
        waits=(mcp_memory.RELATION,),
    ),
)
FORMATS: Mapping[str, Format] = {one.name: one for one in _ALL}
NOT_YET = ("markdown", "dump", "sessions", "chatgpt", "claude-ai", "gemini", "obsidian", "mem0", "bundle")
NAMES = (*FORMATS, *NOT_YET)


def format_called(name: str) -> Format:
    """Raises :class:`Invalid` for one that this version does not read."""
    found = FORMATS.get(name)
    if found is None:
        known = ", ".join(FORMATS)
        shown = name if name in NOT_YET else ascii(name)[:40]
        raise Invalid(
            f"This version cannot import {shown}; it imports {known}.", fields={"format": f"must be one of {known}"}
        )
    return found
