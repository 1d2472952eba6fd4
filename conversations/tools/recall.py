"""Exact recall for agents: find, list, read, and go on with a call that an answer gave."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from conversations.recall.answering import recall
from conversations.recall.asked import Asked, Branches, Match, Mode, Outcome
from conversations.recall.expanding import Wanted, expand
from conversations.recall.listing import sessions
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import TimeInput
from pawflow_web.lib.tool_fields import Cursor
from pawflow_web.lib.tools import WHOLE_NUMBER, Effect, registry, tool

# The functions below spell their parameters as callers do.
# ruff: noqa: N803, N815

Scope = Annotated[
    str, Field(min_length=1, max_length=2100, description="session, project, global, or session:<id or path>")
]
BranchesIn = Annotated[Branches, Field(description="active: the branch that each session ended on; all: every one")]
Name = Annotated[str | None, Field(max_length=512, description="exactly this; empty for any")]
Bound = Annotated[str | None, Field(max_length=64, description="from an earlier answer: refused if it changed since")]
Index = Annotated[int, Field(ge=-(2**31), le=2**31), WHOLE_NUMBER]


class EntryRange(BaseModel):
    """Numbers of entries, both inclusive."""

    model_config = ConfigDict(extra="forbid")

    first: Index
    last: Index


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RecallCall(_Answer):
    """A call that runs as it is: give it to the tool call."""

    ref: Literal["memory.recall", "memory.expand"]
    args: dict[str, Any]


class RecallResult(_Answer):
    total: int = Field(description="hits on all pages")
    hits: list[dict[str, Any]] = Field(description="entries, and older sessions as a whole; each with follow")
    next: RecallCall | None = Field(description="the next page")
    coverage: dict[str, Any] = Field(description="an empty answer proves something only where this is complete")
    error: dict[str, Any] | None = Field(default=None, description="code, message and what belongs to it")


class SessionsResult(_Answer):
    scope: str
    branches: str
    sessions: list[dict[str, Any]]
    next: str | None
    coverage: dict[str, Any]
    error: dict[str, Any] | None = None


class ExpandResult(_Answer):
    session: str
    sourceHash: str | None = None
    branches: str | None = None
    lineageFingerprint: str | None = None
    entryCount: int | None = None
    entries: list[dict[str, Any]]
    next: RecallCall | None
    error: dict[str, Any] | None = None


class CallResult(RootModel[dict[str, Any]]):
    """What the called tool answers."""


@tool("memory_recall", family="recall", effect=Effect.READ, camel=True)
def memory_recall(
    call: Call,
    query: Annotated[
        str | None, Field(max_length=4096, description="words to find; empty lists what filters keep")
    ] = None,
    queryMode: Annotated[Mode, Field(description="literal words, a phrase as it stands, or a regex (RE2)")] = "literal",
    queryMatch: Annotated[Match, Field(description="any word, or all of them in one entry; literal only")] = "any",
    scope: Scope = "session",
    branches: BranchesIn = "active",
    role: Name = None,
    tool: Name = None,
    ref: Name = None,
    provider: Name = None,
    action: Name = None,
    outcome: Annotated[Outcome | None, Field(description="how an operation ended")] = None,
    since: Annotated[TimeInput | None, Field(description="not said before")] = None,
    until: Annotated[TimeInput | None, Field(description="not said after")] = None,
    entryRange: Annotated[EntryRange | None, Field(description="only these entries of one session")] = None,
    offset: Annotated[int, Field(ge=0, le=10_000, description="hits to pass by")] = 0,
    pageSize: Annotated[int, Field(ge=1, le=50, description="most hits")] = 10,
    snippetChars: Annotated[int, Field(ge=80, le=2000, description="longest snippet")] = 480,
    expectedSourceHash: Bound = None,
    expectedLineageFingerprint: Bound = None,
) -> RecallResult:
    """Find exactly what was said and done in past sessions. Every hit has follow, a call that reads it whole."""
    given = {
        "query": query or None,
        "queryMode": queryMode,
        "queryMatch": queryMatch,
        "scope": scope,
        "branches": branches,
        "role": role or None,
        "tool": tool or None,
        "ref": ref or None,
        "provider": provider or None,
        "action": action or None,
        "outcome": outcome,
        "since": since,
        "until": until,
        "entryRange": entryRange.model_dump() if entryRange else None,
        "offset": offset,
        "pageSize": pageSize,
        "snippetChars": snippetChars,
        "expectedSourceHash": expectedSourceHash,
        "expectedLineageFingerprint": expectedLineageFingerprint,
    }
    return RecallResult(**recall(call, Asked.of(given, call.principal.zone), scope))


@tool("memory_sessions", family="recall", effect=Effect.READ, camel=True)
def memory_sessions(
    call: Call,
    scope: Scope = "session",
    branches: BranchesIn = "active",
    limit: Annotated[int, Field(ge=1, le=500, description="how many at the most")] = 50,
    cursor: Cursor = None,
) -> SessionsResult:
    """List past sessions, the newest first."""
    return SessionsResult(**sessions(call, scope, branches, limit=limit, cursor=cursor))


@tool("memory_expand", family="recall", effect=Effect.READ, camel=True)
def memory_expand(
    call: Call,
    session: Annotated[str, Field(min_length=1, max_length=2100, description="its path, ref or id")],
    indices: Annotated[list[Index], Field(max_length=200, description="numbers of entries")] = [],  # noqa: B006
    entryIds: Annotated[
        list[Annotated[str, Field(max_length=512)]], Field(max_length=200, description="ids of entries")
    ] = [],  # noqa: B006
    operationAddresses: Annotated[
        list[Annotated[str, Field(max_length=512)]], Field(max_length=200, description="addresses of operations")
    ] = [],  # noqa: B006
    entryRange: Annotated[EntryRange | None, Field(description="these entries and all between them")] = None,
    before: Annotated[int, Field(ge=0, le=100, description="entries before the one that is named")] = 0,
    after: Annotated[int, Field(ge=0, le=100, description="entries after it")] = 0,
    entryOffset: Annotated[int, Field(ge=0, le=2**31, description="of next: entries to pass by")] = 0,
    textOffset: Annotated[int, Field(ge=0, le=2**31, description="of next: characters to pass by")] = 0,
    maxChars: Annotated[int, Field(ge=256, le=24_000, description="most characters of text")] = 20_000,
    maxEntries: Annotated[int, Field(ge=1, le=20, description="most entries")] = 10,
    branches: BranchesIn = "active",
    expectedSourceHash: Bound = None,
    expectedLineageFingerprint: Bound = None,
) -> ExpandResult:
    """Read entries of a session whole, whatever their length: follow next until it is null."""
    given = {
        "indices": indices or None,
        "entryIds": entryIds or None,
        "operationAddresses": operationAddresses or None,
        "entryRange": entryRange.model_dump() if entryRange else None,
        "before": before or None,
        "after": after or None,
    }
    wanted = Wanted(
        session=session,
        branches=branches,
        indices=indices,
        entry_ids=entryIds,
        addresses=operationAddresses,
        entry_range=(entryRange.first, entryRange.last) if entryRange else None,
        before=before,
        after=after,
        entry_offset=entryOffset,
        text_offset=textOffset,
        max_chars=maxChars,
        max_entries=maxEntries,
        expected_hash=expectedSourceHash,
        expected_lineage=expectedLineageFingerprint,
        arguments={name: value for name, value in given.items() if value is not None},
    )
    return ExpandResult(**expand(call, wanted))


@tool("call", family="recall", effect=Effect.READ)
def call_(
    call: Call,
    ref: Annotated[str, Field(min_length=1, max_length=80, description="memory.recall, or the name of a reading tool")],
    args: Annotated[dict[str, Any], Field(description="its arguments")],
) -> CallResult:
    """Run a call that an answer gave as follow or next, unchanged."""
    found = registry.get(ref.replace(".", "_"))
    if found.effect is not Effect.READ or found.name == "call":
        raise Invalid(f"{found.name} is not called this way.", fields={"ref": "must be a tool that only reads"})
    return CallResult(found.run(call, args).model_dump(mode="json"))
