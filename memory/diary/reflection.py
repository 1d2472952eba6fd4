"""When an agent is asked to look back over its diary, and that it is asked once.

A request to reflect that stands in every context is one that agents learn to skip. So it stands there while a
reflection is due, until the agent has seen it and gone on working: the first tool of its that writes anything after it
was handed such a context marks it as asked. Reading leaves no mark in the database; which agents were handed the
question is remembered by the process that answered. Where it is forgotten, the question is put once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.models import Diary
from pawflow_web.identity.call import Call
from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.followers import after_write

BLOCK = "reflection_due"
ENTRIES = 5
PAUSE = timedelta(hours=6)
# Nobody needs to know how many more.
COUNTED_MOST = 200

# By the order of writing: a clock that was put back hides no entry.
_LOOK = """
WITH last AS (
    SELECT id, created_at FROM memory_diaryentry
    WHERE agent_id = %(agent)s AND type = 'reflection' ORDER BY id DESC LIMIT 1
), since AS (
    SELECT id, created_at FROM memory_diaryentry
    WHERE agent_id = %(agent)s AND id > COALESCE((SELECT id FROM last), 0) ORDER BY id LIMIT %(most)s
)
SELECT (SELECT count(*) FROM since), (SELECT created_at FROM since ORDER BY id LIMIT 1),
       (SELECT created_at FROM last), (SELECT asked_at FROM memory_diary WHERE agent_id = %(agent)s),
       statement_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Due:
    """A reflection is due: ``count`` entries since the last one, or since the first of all, at ``since``.

    ``asked``: within the last six hours the agent was asked for it.
    """

    count: int
    since: datetime
    first: bool
    asked: bool


def due_of(agent_id: int) -> Due | None:
    """Whether that agent should look back; None while it need not. One statement."""
    count, begun, reflected, asked_at, at = execute(_LOOK, {"agent": agent_id, "most": COUNTED_MOST})[0]
    if count < ENTRIES or _lately(reflected, at):
        return None
    return Due(count, since=reflected or begun, first=reflected is None, asked=_lately(asked_at, at))


def _lately(moment: datetime | None, at: datetime) -> bool:
    """Within the pause. What lies ahead was written before the clock was put back, and holds nothing up."""
    return moment is not None and timedelta() <= at - moment < PAUSE


# --- who was handed the question ------------------------------------------------------------------------------

_handed: set[int] = set()


def note_context(principal: Principal, blocks: Sequence[str]) -> None:
    """An agent is handed a context of these blocks for itself."""
    if principal.agent_id is not None and BLOCK in blocks:
        _handed.add(principal.agent_id)


@after_write("reflection asked")
def _mark_asked(call: Call) -> None:
    agent_id = call.principal.agent_id
    if agent_id is None or agent_id not in _handed:
        return
    _handed.discard(agent_id)
    Diary.objects.update_or_create(agent_id=agent_id, defaults={"user_id": call.principal.user_id, "asked_at": now()})
