"""What agents read of where a belief comes from."""

from typing import Annotated

from pydantic import Field

from conversations.display import TurnOut, as_text, turn_of_session
from conversations.models import Turn
from conversations.recall.nudging import after_reading
from conversations.record.reading import find_turn, turns_of
from conversations.sessions.turns import session_turn
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.tools import Effect, Result, tool
from review.models import Evidence, GovernanceItem
from review.search.find import by_reference

# The newest voices of a belief that was said again and again.
_VOICES = 50


class TurnsResult(Result):
    turns: list[TurnOut] = Field(description="in the order in which they were said")


@tool("read_turn", family="conversation", effect=Effect.READ)
def read_turn(
    call: Call,
    ref: Annotated[
        str, Field(min_length=1, max_length=220, description="run:turn, or #42 for where a belief was said")
    ],
    full: Annotated[bool, Field(description="every step whole, and exactly as it was received")] = False,  # noqa: FBT002
) -> TurnsResult:
    """Read a turn with its tool calls and results, or the turns in which a belief was said."""
    after_reading(call.principal)
    shown = _shown(call.principal, ref, full=full)
    return TurnsResult(turns=shown, display=as_text(shown) or "No turn of it is kept.")


def _shown(principal: Principal, ref: str, *, full: bool) -> list[TurnOut]:
    if ref.startswith("#"):
        return [TurnOut.of(turn, full=full) for turn in _said_in(principal, ref)]
    of_file = session_turn(principal, ref)
    if of_file is not None:
        return [turn_of_session(of_file, full=full)]
    return [TurnOut.of(find_turn(principal, ref), full=full)]


def _said_in(principal: Principal, reference: str) -> list[Turn]:
    item = by_reference(GovernanceItem.objects.open_to(principal), reference)
    said = Evidence.objects.filter(item=item).exclude(turn="").order_by("-pk")
    references = list(dict.fromkeys(said.values_list("turn", flat=True)[:_VOICES]))
    turns = turns_of(principal, references)
    if references and not turns:
        raise NotFound(f"The turns in which {ascii(reference)[:40]} was said are not kept here.")
    return turns
