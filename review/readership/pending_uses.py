"""What answers have shown and nobody has written yet: kept in memory by the process that answers, written by a thread
of its own once a second. The thread begins with the first answer and holds no connection while it waits."""

import atexit
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from pawflow_web.lib.db import execute

log = structlog.get_logger(__name__)

FLUSH_S = 1.0
FLUSH_ROWS = 500
# While the database is away so many are kept; then the oldest go.
MOST_ROWS = 20_000
# A belief that a decision holds locked is tried again; one that is gone is given up.
TRIES = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """One belief in one answer. ``at`` is a moment of ``time.monotonic()``: only the database tells the time."""

    user_id: int
    item_id: int
    agent_id: int | None
    principal: str
    conversation_id: int | None
    reader: str
    rank: int
    at: float
    tries: int = 0


class Pending:
    """Events on their way to the database. ``by_itself``: write them in the background, and at the end."""

    def __init__(self, *, by_itself: bool) -> None:
        self._by_itself = by_itself
        self._rows: list[Shown] = []
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, rows: Iterable[Shown]) -> None:
        """Keep them. Takes no time and raises nothing, whatever the database does."""
        with self._changed:
            self._keep([*self._rows, *rows])
            if self._by_itself and (self._thread is None or not self._thread.is_alive()):
                self._begin()
            self._changed.notify()

    def flush(self) -> int:
        """Write what is there now on this thread's connection. Returns how many events were written.

        Raises :class:`DatabaseError`; what it kept from being written is kept.
        """
        with self._writing:
            with self._changed:
                rows, self._rows = self._rows, []
            if not rows:
                return 0
            try:
                written = write_events(rows)
            except (OperationalError, InterfaceError):
                self._return(rows)
                raise
            except DatabaseError:
                self._return(_tried(rows))
                raise
            self._return(_tried([row for row in rows if row.item_id not in written]))
            return sum(row.item_id in written for row in rows)

    def _begin(self) -> None:
        if self._thread is None:
            atexit.register(self._write)
        self._thread = threading.Thread(target=self._run, name="uses", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._rows)
                self._changed.wait_for(lambda: len(self._rows) >= FLUSH_ROWS, timeout=FLUSH_S)
            if not self._write():
                time.sleep(FLUSH_S)

    def _write(self) -> bool:
        """Whether it could be written: a thread that nobody waits for has nobody to raise to."""
        try:
            self.flush()
        except DatabaseError as error:
            log.warning("uses_not_written", error=type(error).__name__, pending=len(self._rows))
            return False
        finally:
            # Back to the pool: requests need it more than a thread that sleeps.
            connection.close()
        return True

    def _return(self, rows: Sequence[Shown]) -> None:
        with self._changed:
            self._keep([*rows, *self._rows])

    def _keep(self, rows: list[Shown]) -> None:
        dropped = len(rows) - MOST_ROWS
        if dropped > 0:
            log.warning("uses_dropped", number=dropped)
        self._rows = rows[-MOST_ROWS:]


def _tried(rows: Sequence[Shown]) -> list[Shown]:
    return [replace(row, tries=row.tries + 1) for row in rows if row.tries + 1 < TRIES]


# A decision locks its items and may wait for sums of theirs; whoever waited for items here while holding sums
# would meet it in a deadlock. So what is locked is left for the next time. Sums are taken in one order everywhere.
_WRITE = """
WITH shown AS (
    SELECT * FROM unnest(
        %(item)s::bigint[], %(agent)s::bigint[], %(principal)s::text[], %(conversation)s::bigint[],
        %(reader)s::text[], %(rank)s::smallint[], %(age)s::float8[]
    ) AS t (item_id, agent_id, principal, conversation_id, reader, rank, age)
), present AS (
    SELECT id, user_id FROM review_governanceitem WHERE id = ANY(%(item)s) ORDER BY id FOR KEY SHARE SKIP LOCKED
), events AS (
    INSERT INTO review_useevent (user_id, item_id, agent_id, principal, conversation_id, reader, rank, at)
    SELECT present.user_id, present.id, agent.id, principal, place.id, reader, rank,
           statement_timestamp() - make_interval(secs => age)
    FROM shown
    JOIN present ON present.id = shown.item_id
    LEFT JOIN identity_agent agent ON agent.id = shown.agent_id
    LEFT JOIN conversations_conversation place ON place.id = shown.conversation_id
    RETURNING user_id, item_id, at
), sums AS (
    INSERT INTO review_itemuse (item_id, user_id, count, last_at)
    SELECT item_id, user_id, count(*), max(at) FROM events GROUP BY item_id, user_id ORDER BY item_id
    ON CONFLICT (item_id) DO UPDATE
    SET count = review_itemuse.count + excluded.count, last_at = greatest(review_itemuse.last_at, excluded.last_at)
)
SELECT id FROM present
"""


def write_events(rows: Sequence[Shown]) -> set[int]:
    """Store the events and add them to the sums, in one statement. Returns the items that are there and were free."""
    now = time.monotonic()
    columns: dict[str, list[Any]] = {
        "item": [row.item_id for row in rows],
        "agent": [row.agent_id for row in rows],
        "principal": [row.principal for row in rows],
        "conversation": [row.conversation_id for row in rows],
        "reader": [row.reader for row in rows],
        "rank": [row.rank for row in rows],
        "age": [now - row.at for row in rows],
    }
    return {pk for (pk,) in execute(_WRITE, columns)}
