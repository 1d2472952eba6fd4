"""Everyday search for agents: over all past conversations, or within the one that they are in."""

from collections.abc import Mapping
from typing import Annotated, Literal

from django.db.models import Exists, OuterRef, Q
from pydantic import BaseModel, Field

from conversations.models import Conversation, Session, Turn
from conversations.models.session import SessionQuerySet
from conversations.recall import nudging
from conversations.recall.asked import Asked, Filters
from conversations.recall.coverage import Coverage
from conversations.recall.everyday import Heard, search, titled, turn_of
from conversations.recall.scopes import Scoped
from conversations.recall.snippets import snippet
from conversations.recall.words import query_words, searchable
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
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
    principal = call.principal
    sessions = Session.objects.visible_to(principal)
    narrowed = bool(agent) or (principal.conversation_id is not None and not include_current)
    if agent:
        sessions = _with_agent(sessions, agent)
    if principal.conversation_id is not None and not include_current:
        sessions = sessions.exclude(conversation_id=principal.conversation_id)
    filters = Filters(
        since=first_instant(since, principal.zone, field="since"),
        until=first_instant(until, principal.zone, field="until"),
    )
    question = {"query": query, "agent": agent, "current": include_current, "since": since, "until": until}
    where = Scoped(sessions, everything=not narrowed)
    return _result(call, where, Asked(query=query, filters=filters), question, limit, cursor, per_conversation)


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
    sessions = Session.objects.visible_to(principal)
    if scope == "conversation":
        if principal.conversation_id is None:
            told = "This call is in no conversation, so nothing was searched: name one, or ask with scope all."
            return _nothing(told, NO_CONVERSATION)
        sessions = sessions.filter(conversation_id=principal.conversation_id)
    question = {"query": query, "run": run_id, "scope": scope, "in": principal.conversation_id}
    where = Scoped(sessions, everything=scope == "all")
    return _result(call, where, Asked(query=query), question, limit, cursor, None, run_id)


def _with_agent(sessions: SessionQuerySet, agent: str) -> SessionQuerySet:
    told = Turn.objects.filter(conversation=OuterRef("conversation"), agent__name=agent)
    return sessions.filter(Q(Exists(told)) | Q(kind=agent) | Q(state__agent=agent))


def _result(
    call: Call,
    where: Scoped,
    asked: Asked,
    question: Mapping[str, object],
    limit: int,
    cursor: str | None,
    per_conversation: int | None,
    run: str | None = None,
) -> SearchResult:
    principal = call.principal
    pager = Pager.of("conversation_search", principal.user_id, question)
    begin = int(pager.read(cursor) or 0)
    coverage = where.coverage("active")
    ranking = search(principal.user_id, where, asked, coverage, run=run).few_of_each(per_conversation)
    page = ranking.read(begin, begin + limit)
    items = [_out(one, asked.query, who) for one, who in zip(page, _speakers(page), strict=True)]
    more = pager.write(begin + limit) if len(ranking.ranked) > begin + limit else None
    nudge = nudging.after_search(principal, [item.turn for item in items])
    shown = "\n\n".join(f"{item.turn}, {item.role}, {item.at}\n{item.snippet}" for item in items)
    told = shown or f"No matches among {coverage.eligible} conversations."
    return SearchResult(
        items=items,
        next=more,
        coverage=_coverage(principal, where, coverage),
        summary=None,
        nudge=nudge,
        display=f"{told}\n\n{nudge}" if nudge else told,
    )


def _speakers(page: list[Heard]) -> list[str]:
    """Who told each; of a file, whose sub-agent it is, or the product."""
    names = {turn_of(one.located) for one in page}
    runs = {name.rpartition(":")[0] for name in names}
    users = {one.located.session.user_id for one in page}
    turns = Turn.objects.filter(user_id__in=users, run__name__in=runs).select_related("run", "agent")
    told = {str(turn): turn.agent.name if turn.agent else turn.principal for turn in turns} if runs else {}
    return [
        told.get(turn_of(one.located), one.located.session.state.get("agent") or one.located.session.kind)
        for one in page
    ]


def _out(one: Heard, query: str, speaker: str) -> HeardOut:
    located = one.located
    text, _ = snippet(searchable(located.entry), query_words(query), chars=_SNIPPET)
    return HeardOut(
        conversation=located.session.conversation.ref,
        title=titled(located.session),
        agent=speaker,
        role=located.entry.role or "",
        turn=turn_of(located),
        at=iso_of_millis(located.entry.timestamp),
        snippet=text,
        score=round(one.score, 4),
    )


def _coverage(principal: Principal, where: Scoped, coverage: Coverage) -> HeardCoverage:
    entries = sum(where.sessions.order_by().values_list("active_entries", flat=True))
    sealed = Conversation.objects.visible_to(principal).filter(encrypted=True, turns__gt=0).count()
    return HeardCoverage(
        complete=coverage.complete,
        conversations=coverage.eligible,
        entries=entries,
        skipped_encrypted=sealed,
        reasons=sorted(coverage.reasons),
    )


def _nothing(told: str, reason: str) -> SearchResult:
    empty = HeardCoverage(complete=False, conversations=0, entries=0, skipped_encrypted=0, reasons=[reason])
    return SearchResult(items=[], next=None, coverage=empty, summary=None, nudge=None, display=told)
