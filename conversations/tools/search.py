"""Everyday search for agents: over all past conversations, or within the one that they are in."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from conversations.recall import nudging
from conversations.recall.asked import Asked, Filters
from conversations.recall.everyday import titled, turn_of
from conversations.recall.hearing import Hearing, Spoken, hear, past_sessions, sessions_in
from conversations.recall.snippets import snippet
from conversations.recall.words import query_words, searchable
from pawflow_web.identity.call import Call
from pawflow_web.lib.paging import Pager
from pawflow_web.lib.periods import TimeInput, first_instant, iso_of_millis
from pawflow_web.lib.tool_fields import Cursor
from pawflow_web.lib.tools import Effect, Result, tool

NO_CONVERSATION = "no_conversation"
# Of a hit's text.
_SNIPPET = 500

Query = Annotated[str, Field(min_length=1, max_length=4000, description="what you are looking for, in words")]
HowMany = Annotated[int, Field(ge=1, le=50, description="how many at the most")]


class HeardOut(BaseModel):
    conversation: str
    title: str
    agent: str
    role: str
    turn: str = Field(description="for read_turn")
    at: str | None
    snippet: str
    score: float


class HeardCoverage(BaseModel):
    complete: bool
    conversations: int = Field(description="that were searched")
    entries: int
    skipped_encrypted: int = Field(description="conversations that nobody can search")
    reasons: list[str]


class SearchResult(Result):
    items: list[HeardOut]
    next: str | None
    coverage: HeardCoverage
    summary: str | None = Field(description="of what was found, where a model is bound that can write one")
    nudge: str | None = Field(description="what to do next")


@tool("conversation_search", family="conversation", effect=Effect.READ)
def conversation_search(
    call: Call,
    query: Query,
    agent: Annotated[str | None, Field(max_length=64, description="only what this agent was told or said")] = None,
    limit: HowMany = 10,
    include_current: Annotated[bool, Field(description="also this conversation")] = False,  # noqa: FBT002
    summarize: Annotated[bool, Field(description="ask for a summary; null where no model is bound")] = False,  # noqa: ARG001, FBT002
    since: Annotated[TimeInput | None, Field(description="not said before")] = None,
    until: Annotated[TimeInput | None, Field(description="not said after")] = None,
    per_conversation: Annotated[int, Field(ge=1, le=20, description="most hits of one conversation")] = 3,
    cursor: Cursor = None,
) -> SearchResult:
    """Search everything that was said in past conversations. Read a hit whole with read_turn."""
    zone = call.principal.zone
    filters = Filters(
        since=first_instant(since, zone, field="since"),
        until=first_instant(until, zone, field="until"),
    )
    where = past_sessions(call.principal, agent=agent or "", with_current=include_current)
    asked = Asked(query=query, filters=filters)
    question = {"query": query, "agent": agent, "current": include_current, "since": since, "until": until}
    return _result(hear(call.principal, where, asked, most_of_each=per_conversation), call, question, limit, cursor)


@tool("search_conversation_history", family="conversation", effect=Effect.READ)
def search_conversation_history(
    call: Call,
    query: Query,
    run_id: Annotated[str | None, Field(max_length=200, description="only this run")] = None,
    scope: Annotated[
        Literal["conversation", "all"], Field(description="this conversation, or every one")
    ] = "conversation",
    limit: HowMany = 10,
    cursor: Cursor = None,
) -> SearchResult:
    """Search what was said before and is in your context no more. Read a hit whole with read_turn."""
    principal = call.principal
    where = sessions_in(principal, everywhere=scope == "all")
    if where is None:
        told = "This call is in no conversation, so nothing was searched: name one, or ask with scope all."
        return _nothing(told, NO_CONVERSATION)
    question = {"query": query, "run": run_id, "scope": scope, "in": principal.conversation_id}
    return _result(hear(principal, where, Asked(query=query), run=run_id), call, question, limit, cursor)


def _result(
    hearing: Hearing, call: Call, question: Mapping[str, object], limit: int, cursor: str | None
) -> SearchResult:
    principal = call.principal
    pager = Pager.of("conversation_search", principal.user_id, question)
    begin = int(pager.read(cursor) or 0)
    items = [_out(one, str(question["query"])) for one in hearing.page(begin, begin + limit)]
    nudge = nudging.after_search(principal, [item.turn for item in items])
    shown = "\n\n".join(f"{item.turn}, {item.role}, {item.at}\n{item.snippet}" for item in items)
    told = shown or f"No matches among {hearing.coverage.eligible} conversations."
    return SearchResult(
        items=items,
        next=pager.write(begin + limit) if hearing.total > begin + limit else None,
        coverage=HeardCoverage(
            complete=hearing.coverage.complete,
            conversations=hearing.coverage.eligible,
            entries=hearing.entries,
            skipped_encrypted=hearing.sealed,
            reasons=sorted(hearing.coverage.reasons),
        ),
        summary=None,
        nudge=nudge,
        display=f"{told}\n\n{nudge}" if nudge else told,
    )


def _out(one: Spoken, query: str) -> HeardOut:
    located = one.located
    text, _ = snippet(searchable(located.entry), query_words(query), chars=_SNIPPET)
    return HeardOut(
        conversation=located.session.conversation.ref,
        title=titled(located.session),
        agent=one.speaker,
        role=located.entry.role or "",
        turn=turn_of(located),
        at=iso_of_millis(located.entry.timestamp),
        snippet=text,
        score=round(one.score, 4),
    )


def _nothing(told: str, reason: str) -> SearchResult:
    empty = HeardCoverage(complete=False, conversations=0, entries=0, skipped_encrypted=0, reasons=[reason])
    return SearchResult(items=[], next=None, coverage=empty, summary=None, nudge=None, display=told)
