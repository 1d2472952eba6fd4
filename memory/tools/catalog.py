"""Finding the right tool: for agents that were told of a few and may use more."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from conversations.recall.seen import operations_seen
from pawflow_web.identity.call import Call
from pawflow_web.lib import tool_catalog
from pawflow_web.lib.tool_fields import HowMany
from pawflow_web.lib.tools import Effect, Result, tool

ToolName = Annotated[str, Field(min_length=1, max_length=80)]


class ToolOut(BaseModel):
    name: str
    family: str
    effect: str = Field(description="read, write or destroy; seen: an operation of your sessions, for memory_recall")
    description: str = Field(description="its first sentence")


# The effect of what is no tool here, but was done in a session.
SEEN = "seen"


class ToolsResult(Result):
    items: list[ToolOut]


@tool("tool_search", family="core", effect=Effect.READ)
def tool_search(
    call: Call,
    query: Annotated[str, Field(min_length=1, max_length=4000, description="what you want to do")],
    limit: HowMany = 10,
) -> ToolsResult:
    """Find the tools for a task among all that you may use, most fitting first, then what was done for it in your
    sessions."""
    found = tool_catalog.search(query, limit=limit, abilities=call.principal.abilities)
    seen = operations_seen(call.principal, query, limit=limit // 3)
    items = [
        ToolOut(name=one.name, family=one.family, effect=one.effect, description=tool_catalog.first_sentence(one))
        for one in found[: limit - len(seen)]
    ]
    items += [
        ToolOut(
            name=one.ref, family=one.provider, effect=SEEN, description=f"{one.told} memory_recall with ref finds when."
        )
        for one in seen
    ]
    shown = "\n".join(f"- {item.name}: {item.description}" for item in items)
    return ToolsResult(items=items, display=shown or "No tool answers to that.")


class DescriptionOut(BaseModel):
    """A tool, as `GET /api/v1/tools` describes it."""

    name: str
    family: str
    effect: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    slash: str | None


class SchemaResult(Result):
    """One tool, or a family: ``name`` and what follows it, or ``family`` and ``tools``; the rest is null."""

    name: str | None = None
    family: str
    effect: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    slash: str | None = None
    tools: list[DescriptionOut] | None = None


@tool("get_tool_schema", family="core", effect=Effect.READ)
def get_tool_schema(
    call: Call,
    name: Annotated[ToolName | None, Field(description="one tool; or give family")] = None,
    family: Annotated[ToolName | None, Field(description="every tool of a family; or give name")] = None,
) -> SchemaResult:
    """See exactly what a tool takes and answers, or all tools of a family."""
    found = tool_catalog.schema_of(name=name, family=family, abilities=call.principal.abilities)
    shown = "\n\n".join(map(tool_catalog.in_words, [found] if name is not None else found["tools"]))
    return SchemaResult(**found, display=shown)
