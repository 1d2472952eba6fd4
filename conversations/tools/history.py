"""What agents read of the conversation that they are in."""

from typing import Annotated

from pydantic import Field

from conversations.display import TurnOut, as_text
from conversations.record.reading import find_turn, history
from pawflow_web.identity.call import Call
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.tool_fields import HowMany
from pawflow_web.lib.tools import Effect, Result, tool


class HistoryResult(Result):
    items: list[TurnOut] = Field(description="in the order in which they were said")
    next: str | None = Field(description="before, for the turns that came earlier")


@tool("read_history", family="conversation", effect=Effect.READ)
def read_history(
    call: Call,
    limit: HowMany = 20,
    before: Annotated[str | None, Field(max_length=220, description="run:turn; only what was said before it")] = None,
) -> HistoryResult:
    """Read what was said last in this conversation. Long steps are shortened; read_turn gives them whole."""
    principal = call.principal
    if principal.conversation_id is None:
        raise Invalid("This call is in no conversation.", fields={"conversation": "name one, as header or parameter"})
    mark = find_turn(principal, before) if before is not None else None
    turns, more = history(principal, principal.conversation_id, limit=limit, before=mark)
    items = [TurnOut.of(turn) for turn in turns]
    shown = as_text(items) or "Nothing was said here yet."
    return HistoryResult(items=items, next=items[0].ref if more else None, display=shown)
