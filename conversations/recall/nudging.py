"""A line for an agent that searches again and again without reading what it found.

How often it did lives in this process alone: forgetting it costs a later line, and nothing else.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from pawflow_web.identity.principal import Principal

# So many searches with hits in a row bring the line.
SEARCHES = 3
_PARTIES = 10_000

_counts: OrderedDict[tuple[object, ...], int] = OrderedDict()
_lock = Lock()


def after_search(principal: Principal, turns: Sequence[str]) -> str | None:
    """Count a search that found these turns. Returns the line when it is time for one."""
    if not turns:
        return None
    who = _who(principal)
    with _lock:
        count = _counts[who] = _counts.pop(who, 0) + 1
        if len(_counts) > _PARTIES:
            _counts.popitem(last=False)
    if count < SEARCHES:
        return None
    return f"You searched {count} times and read nothing: read_turn {turns[0]} shows the best hit whole."


def after_reading(principal: Principal) -> None:
    """It read one: the count begins anew."""
    with _lock:
        _counts.pop(_who(principal), None)


def _who(principal: Principal) -> tuple[object, ...]:
    return principal.user_id, principal.token_ref, principal.agent_id, principal.conversation_id
