"""What the worker keeps up to date for this app."""

import time

import structlog

from conversations.recall.index import catch_up, gone_up_to, index_of, renew
from conversations.sessions import uploads, watching
from conversations.sessions.log import INDEX_DRAIN
from pawflow_web.identity.models import UserClock
from pawflow_web.lib.drains import drain
from pawflow_web.lib.search import IndexWriteError

logger = structlog.get_logger(__name__)

# Building a large index anew takes long; so long others wait for what is new of theirs.
RENEWAL_S = 5.0


@drain(INDEX_DRAIN, where="node")
def entries_index(deadline: float) -> bool:
    """Bring the index of every owner's entries on this node up to the owner's clock, and build those anew whose files
    hold words of sessions that were deleted since."""
    more = False
    for user_id, seq in (
        UserClock.objects.filter(closed=False).order_by("user_id").values_list("user_id", "session_seq")
    ):
        try:
            if _bring_up(user_id, seq, deadline):
                return True
            more |= _clean(user_id)
        except IndexWriteError as error:
            # Another process is at it, or the disk is full: reads go on, the tick tries again.
            logger.warning("entries_index_not_written", owner=user_id, reason=type(error).__name__)
    return more


def _bring_up(user_id: int, seq: int, deadline: float) -> bool:
    watermark = index_of(user_id).watermark
    behind = watermark is None or watermark < seq
    while behind:
        if time.monotonic() > deadline:
            return True
        behind = catch_up(user_id)
    return False


def _clean(user_id: int) -> bool:
    built = index_of(user_id).built_under
    return built is not None and built < gone_up_to(user_id) and renew(user_id, time.monotonic() + RENEWAL_S)


drain("session_folders", where="worker")(watching.look)
drain("session_uploads")(uploads.sweep)
