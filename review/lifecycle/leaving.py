"""What an agent alone could read, when that agent is erased and its owner wants to keep it.

It goes where every agent reads, but no agent does before the owner says so.
"""

from typing import Any

from pawflow_web.lib.errors import Conflict
from review.gate.proposals import Place
from review.journal.acts import Act
from review.kinds import kind_of
from review.lifecycle.conditions import require_no_twin
from review.models import LIVE, GovernanceItem, Reason, Scope, Status
from review.transitions import check_transition

_EVERYWHERE = Place(Scope.GLOBAL)


def hand_to_owner(current: Act, item: GovernanceItem) -> None:
    """Of a belief that was read ``locked()``: what was in use waits for the owner, history and what stands everywhere
    already is put away, and what waited or was refused stays so. None of it is an agent's from now on."""
    if item.status == Status.SUPERSEDED or (item.status in LIVE and _stands_everywhere(current, item)):
        _move(current, item, "forget", Status.STALE, retired_at=current.clock.at)
    elif item.status == Status.ACTIVE:
        _move(current, item, "flag", Status.NEEDS_REVIEW)
    # A decision of its own, and after the other: an undo brings no place back, nor the key that belongs to one.
    with current.decision():
        current.write(
            item,
            "edit",
            scope=Scope.GLOBAL,
            scope_agent=None,
            scope_conversation=None,
            exclusive_key=kind_of(item).key(item, _EVERYWHERE),
        )


def _move(current: Act, item: GovernanceItem, verb: str, status: Status, **columns: Any) -> None:
    check_transition(item.status, verb, status)
    with current.decision():
        current.write(item, verb, status=status, reason=Reason.AGENT_ERASED, **columns)


def _stands_everywhere(current: Act, item: GovernanceItem) -> bool:
    try:
        require_no_twin(current, item, item.valid, place=_EVERYWHERE)
    except Conflict:
        return True
    return False
