"""What follows from all facts of a caller, kept in this process until it may have become different.

By row ids alone: no name outlives the fact that holds it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute

T = TypeVar("T")

_VIEWERS_MOST = 64

_CLOCK = "SELECT at, statement_timestamp() FROM identity_userclock WHERE user_id = %s"
# When the next fact begins, ends or expires by itself. Those that stand in degrees do none of it; whose the others are
# does not matter, since asking too early does no harm.
_NEXT = """
SELECT min(moment) FROM graph_triple AS t CROSS JOIN LATERAL (
  SELECT expires_at FROM review_governanceitem WHERE id = t.item_id OFFSET 0
) AS i CROSS JOIN LATERAL (VALUES (lower(t.valid)), (upper(t.valid)), (i.expires_at)) AS moments (moment)
WHERE t.user_id = %(user)s AND t.live AND NOT t.counted AND NOT t.is_value
  AND coalesce(upper(t.valid), 'infinity') > %(now)s AND moment > %(now)s
"""


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    """``value`` as of a moment of the owner's clock. By itself it stays right until ``until``."""

    value: T
    at: datetime
    until: datetime | None

    def holds(self, at: datetime, now: datetime) -> bool:
        return self.at == at and (self.until is None or now < self.until)


class Kept(Generic[T]):
    """The answers of ``find`` for the callers that asked last."""

    def __init__(self, find: Callable[[Principal], T]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._finding = threading.Lock()
        self._entries: OrderedDict[tuple[object, ...], _Entry[T]] = OrderedDict()

    def of(self, principal: Principal) -> T:
        viewer = _viewer(principal)
        entry = self._current(principal, viewer)
        if entry is None:
            # One at a time: who waits for the same finds it then, and others would only share the processor.
            with self._finding:
                entry = self._current(principal, viewer) or self._found_anew(principal, viewer)
        return entry.value

    def _current(self, principal: Principal, viewer: tuple[object, ...]) -> _Entry[T] | None:
        at, now = _clock(principal)
        with self._lock:
            entry = self._entries.get(viewer)
            if entry is None or not entry.holds(at, now):
                return None
            self._entries.move_to_end(viewer)
            return entry

    def _found_anew(self, principal: Principal, viewer: tuple[object, ...]) -> _Entry[T]:
        # First the clock, then the facts: what changes in between is asked for again.
        at, now = _clock(principal)
        until = execute(_NEXT, {"user": principal.user_id, "now": now})[0][0]
        entry = _Entry(self._find(principal), at, until)
        with self._lock:
            self._entries[viewer] = entry
            self._entries.move_to_end(viewer)
            while len(self._entries) > _VIEWERS_MOST:
                self._entries.popitem(last=False)
        return entry


def _viewer(principal: Principal) -> tuple[object, ...]:
    """All that decides what a caller may see."""
    place = (principal.agent_id, principal.conversation_id)
    return (principal.user_id, principal.kind, *place, principal.reads_sensitive)


def _clock(principal: Principal) -> tuple[datetime, datetime]:
    """When anything of the owner's changed last, and now."""
    at, now = execute(_CLOCK, [principal.user_id])[0]
    return at, now
