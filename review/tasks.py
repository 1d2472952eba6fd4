"""What the worker keeps up to date for this app."""

import time

import structlog

from pawflow_web.identity.models import UserClock
from pawflow_web.lib.drains import drain
from pawflow_web.lib.search import IndexWriteError
from review.index import catch_up, index_of
from review.ledger import INDEX_DRAIN

logger = structlog.get_logger(__name__)


@drain(INDEX_DRAIN, where="node")
def beliefs_index(deadline: float) -> bool:
    """Bring the search index of every owner on this node up to the owner's clock."""
    for user_id, seq in UserClock.objects.order_by("user_id").values_list("user_id", "seq"):
        watermark = index_of(user_id).watermark
        behind = watermark is None or watermark < seq
        while behind:
            if time.monotonic() > deadline:
                return True
            try:
                behind = catch_up(user_id)
            except IndexWriteError as error:
                # Another process is at it, or the disk is full: reads go on, the tick tries again.
                logger.warning("index_not_written", owner=user_id, reason=type(error).__name__)
                break
    return False
