"""What the worker keeps up to date for this app."""

import time

import structlog
from django.utils.translation import gettext_lazy as _

from pawflow_web.identity.models import UserClock
from pawflow_web.jobs.work import kind_of_work
from pawflow_web.lib.drains import drain
from pawflow_web.lib.search import IndexWriteError
from review.journal.acts import EMBED_DRAIN, INDEX_DRAIN
from review.lifecycle import sweeps
from review.lifecycle.bulk import WORK
from review.pages.outcomes import told_of_many
from review.queue import background
from review.search.embedding import embed_slice
from review.search.index import catch_up, drop_strangers, erased_by_owner, index_of, renew
from review.search.vectors import RETRY

logger = structlog.get_logger(__name__)

# Building a large index anew takes seconds; so long others wait for what is new of theirs.
RENEWAL_S = 1.0


@drain(INDEX_DRAIN, where="node")
def beliefs_index(deadline: float) -> bool:
    """Bring the search index of every owner on this node up to the owner's clock, and build those anew whose files
    hold words that were erased since."""
    drop_strangers()
    erased = erased_by_owner()
    more = False
    for user_id, seq in UserClock.objects.filter(closed=False).order_by("user_id").values_list("user_id", "seq"):
        try:
            if _bring_up(user_id, seq, deadline):
                return True
            more |= _clean(user_id, erased.get(user_id, 0))
        except IndexWriteError as error:
            # Another process is at it, or the disk is full: reads go on, the tick tries again.
            logger.warning("index_not_written", owner=user_id, reason=type(error).__name__)
    return more


def _bring_up(user_id: int, seq: int, deadline: float) -> bool:
    watermark = index_of(user_id).watermark
    behind = watermark is None or watermark < seq
    while behind:
        if time.monotonic() > deadline:
            return True
        behind = catch_up(user_id)
    return False


def _clean(user_id: int, erased: int) -> bool:
    built = index_of(user_id).built_under
    return built is not None and built < erased and renew(user_id, time.monotonic() + RENEWAL_S)


drain(WORK)(background.work)
kind_of_work(
    WORK,
    title=_("A decision over many"),
    summary=lambda result: told_of_many(result["verb"], result["done"], result["left"]),
)

# Every tick looks; without anything expired that is one statement.
drain("expire_beliefs")(sweeps.expire_beliefs)
kind_of_work("expire_beliefs", title=_("A belief expires"), next_at=sweeps.next_expiry)
drain(sweeps.THIN_USES)(sweeps.thin_uses)
kind_of_work(sweeps.THIN_USES, title=_("Records of use older than 90 days are forgotten"))
drain(EMBED_DRAIN)(embed_slice)
kind_of_work(RETRY, title=_("A belief that could not be embedded is tried again"))
