"""``GET /context`` and ``GET /memory.md``: what an agent is to know before its next turn."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import BaseModel, Field

from memory.context.build import BUDGET, LEAST_BUDGET, MOST_BUDGET, QUERY_MOST, build_context
from memory.context.scoped import GLOBAL_TOKENS, PROJECT_TOKENS, scoped_view
from memory.diary import reflection
from pawflow_web.identity.models import Profile
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.rest import call_of, reader
from pawflow_web.identity.services import find_agent, principal_of_agent
from pawflow_web.lib.blocks import Ask
from review.models import GovernanceItem
from review.readership import use

router = Router(tags=["memory"])

JSON, PLAIN = "application/json", "text/plain"
Latest = Annotated[str, Query(max_length=QUERY_MOST, description="the person's latest words")]


class BlockOut(BaseModel):
    name: str
    title: str
    place: Literal["system", "turn"]
    text: str
    chars: int


class OmittedOut(BaseModel):
    name: str
    reason: Literal["budget", "deadline", "error", "frozen"]


class ShownOut(BaseModel):
    """A line of a block."""

    ref: str
    number: int
    tier: str | None
    chars: int
    words: list[str] = Field(description="the words of the query that it holds")


class LeftOutOut(BaseModel):
    ref: str
    reason: str = Field(description="budget, limit or aged")


class ExplanationOut(BaseModel):
    tokens: int
    ms: float
    items: list[ShownOut]
    left_out: list[LeftOutOut]


class ContextOut(BaseModel):
    """What stands before a turn. `system` seldom changes and belongs at the beginning of a prompt, `text` before the
    person's latest words."""

    system: str
    text: str
    chars: int
    budget: int
    blocks: list[BlockOut]
    omitted: list[OmittedOut]
    explain: dict[str, ExplanationOut] | None = Field(default=None, exclude_if=lambda value: value is None)


@router.get("/context", auth=reader, response=ContextOut)
def context(
    request: HttpRequest,
    agent: Annotated[
        str | None, Query(max_length=80, description="whose context; an agent's own, a person's any")
    ] = None,
    query: Latest = "",
    budget: Annotated[int, Query(ge=LEAST_BUDGET, le=MOST_BUDGET, description="the most characters")] = BUDGET,
    freeze: Annotated[bool, Query(description="keep the conversation's memory as it was first sent")] = False,  # noqa: FBT002
    explain: Annotated[bool, Query(description="say why each line is there")] = False,  # noqa: FBT002 - by name only
) -> Any:
    """What an agent is to know before its next turn, from `?conversation=` and `?project=`.

    With `Accept: text/plain` only `text`.
    """
    call = call_of(request)
    principal = _asked_for(call.principal, agent)
    own = principal is call.principal
    found = build_context(
        principal, project=call.project, query=query, budget=budget, freeze=freeze, previewing=not own
    )
    if own:
        use.record(principal, "context", found.items())
        reflection.note_context(principal, [block.name for block in found.built])
    if request.get_preferred_type([JSON, PLAIN]) == PLAIN:
        return HttpResponse(found.text, content_type=f"{PLAIN}; charset=utf-8")
    return found.to_dict(explain=explain)


@router.get("/memory.md", auth=reader, response={200: str})
def memory_md(
    request: HttpRequest,
    query: Latest = "",
    global_tokens: Annotated[int, Query(ge=0, le=50_000, description="for what belongs to no project")] = GLOBAL_TOKENS,
    project_tokens: Annotated[int, Query(ge=0, le=50_000, description="for the projects at hand")] = PROJECT_TOKENS,
) -> HttpResponse:
    """The memory as Markdown: about you, this project, mentioned projects, recent history, other projects."""
    call = call_of(request)
    text = ""
    if call.principal.profile != Profile.SECURE:
        view = scoped_view(
            Ask(call.principal, call.project, query), global_tokens=global_tokens, project_tokens=project_tokens
        )
        text = view.markdown()
        use.record(call.principal, "memory_md", [GovernanceItem(pk=pk) for pk in view.items])
    return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _asked_for(principal: Principal, name: str | None) -> Principal:
    """The agent of that name as this caller may ask for it: an agent for itself, a person for any of theirs. Raises as
    :func:`find_agent` does."""
    if name is None or name == principal.agent_name:
        return principal
    agent = find_agent(principal, name)
    return principal_of_agent(agent, principal.zone).within(principal.conversation_id, principal.conversation_ref)
