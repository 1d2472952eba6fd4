"""Indexes that follow the clocks of their owners, each on the node where its files lie."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from pawflow_web.identity.models import UserClock
from pawflow_web.lib.search import Index, IndexWriteError

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Followed:
    """One kind of index, and the column of the clock that numbers what it holds.

    ``catch_up`` brings an owner's one batch forward and says whether there is more; ``renew`` builds it anew until a
    moment of ``time.monotonic()`` and says whether it was not done. ``erased`` gives for each owner the number up to
    which words were erased: files that are older hold some of them. Others wait ``renewal_s`` seconds at the most while
    one is built anew.
    """

    column: str
    index_of: Callable[[int], Index]
    catch_up: Callable[[int], bool]
    renew: Callable[[int, float], bool]
    erased: Callable[[], Mapping[int, int]]
    renewal_s: float

    def follow(self, deadline: float) -> bool:
        """A slice of the work for every owner, until a moment of ``time.monotonic()``. Returns whether there is
        more."""
        erased = self.erased()
        more = False
        clocks = UserClock.objects.filter(closed=False).order_by("user_id")
        for user_id, seq in clocks.values_list("user_id", self.column):
            try:
                if self._bring_up(user_id, seq, deadline):
                    return True
                more |= self._clean(user_id, erased.get(user_id, 0))
            except IndexWriteError as error:
                # Another process is at it, or the disk is full: reads go on, the tick tries again.
                name = self.index_of(user_id).schema.name
                logger.warning("index_not_written", index=name, owner=user_id, reason=type(error).__name__)
        return more

    def _bring_up(self, user_id: int, seq: int, deadline: float) -> bool:
        watermark = self.index_of(user_id).watermark
        behind = watermark is None or watermark < seq
        while behind:
            if time.monotonic() > deadline:
                return True
            behind = self.catch_up(user_id)
        return False

    def _clean(self, user_id: int, erased: int) -> bool:
        built = self.index_of(user_id).built_under
        if built is None or built >= erased:
            return False
        return self.renew(user_id, time.monotonic() + self.renewal_s)
