"""The owner's clock: one lock, one time, one sequence for everything that changes what an owner's agents know.

The UPDATE that takes it is the first statement of the transaction. It gives a time that strictly increases
per owner (``transaction_timestamp`` does not: it is taken before the wait for the lock), gapless numbers, and
one order of locks, which is why admits and decisions cannot deadlock.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction

from pawflow_web.lib.db import execute, translated_commit
from pawflow_web.lib.errors import Unauthenticated, Unavailable

# Waiting for a busy owner must not use up the connections that other owners need: at most this many threads
# of one process hold a connection for one owner's clock, the rest wait outside.
_WAITING_PER_OWNER = 2
_PATIENCE_S = 5.0
_TICK = timedelta(microseconds=1)

_TAKE = (
    "UPDATE identity_userclock SET at = greatest(at + interval '1 microsecond', clock_timestamp()) "
    "WHERE user_id = %s AND NOT closed RETURNING at, seq, number, head"
)
_CHANGE_OF_SESSIONS = (
    "UPDATE identity_userclock SET session_seq = session_seq + %s WHERE user_id = %s RETURNING session_seq"
)
_WRITE_BACK = (
    "UPDATE identity_userclock SET at = %(clock_at)s, seq = %(clock_seq)s, number = %(clock_number)s, "
    "head = %(clock_head)s WHERE user_id = %(clock_user)s"
)


@dataclass(slots=True)
class Clock:
    """An owner's clock while it is held. ``at`` is the time of everything written under it."""

    user_id: int
    at: datetime
    seq: int
    number: int
    head: str
    # What runs before the transaction commits, in order; the journal writes its buffer here.
    before_commit: list[Callable[[], None]] = field(default_factory=list)
    # Lets a higher layer keep its own state for the time the clock is held.
    companions: dict[str, Any] = field(default_factory=dict)

    def next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def next_changes(self, count: int = 1) -> range:
        """So many numbers for changes of sessions, which are in no journal: a sequence of its own, stored at once."""
        (last,) = execute(_CHANGE_OF_SESSIONS, [count, self.user_id])[0]
        return range(last - count + 1, last + 1)

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def next_instant(self) -> datetime:
        """A later time for a further entry of the same transaction."""
        self.at += _TICK
        return self.at

    def write_back(self, *, behind: str = "", values: Mapping[str, Any] | None = None) -> None:
        """Store the counters and the head.

        Args:
            behind: a ``WITH`` clause that stores what they number, in the same statement.
            values: its parameters.
        """
        counters = {
            "clock_at": self.at,
            "clock_seq": self.seq,
            "clock_number": self.number,
            "clock_head": self.head,
            "clock_user": self.user_id,
        }
        execute(behind + _WRITE_BACK, {**(values or {}), **counters})


class _Held(threading.local):
    clock: Clock | None = None


_held = _Held()
_gates: dict[int, threading.BoundedSemaphore] = {}
_gates_lock = threading.Lock()


@contextmanager
def user_clock(user_id: int) -> Iterator[Clock]:
    """Hold the owner's clock in a transaction of its own, or join the one that this thread already holds.

    Raises:
        Unavailable: the owner is busy for longer than five seconds.
        Conflict: something named by the write vanished before the commit.
        Unauthenticated: the owner is being erased, or was.
        RuntimeError: another owner's clock is held.
    """
    if _held.clock is not None:
        if _held.clock.user_id != user_id:
            raise RuntimeError("one transaction may hold the clock of one owner only")
        yield _held.clock
        return
    gate = _gate(user_id)
    _wait_for_turn(gate)
    try:
        with _transaction(), _taken(user_id) as clock:
            yield clock
            for finish in clock.before_commit:
                finish()
    finally:
        gate.release()


def _wait_for_turn(gate: threading.BoundedSemaphore) -> None:
    if gate.acquire(blocking=False):
        return
    # The token was looked up before: this thread holds a connection of the pool, which others need meanwhile.
    if "pool" in connection.settings_dict["OPTIONS"] and not connection.in_atomic_block:
        connection.close()
    if not gate.acquire(timeout=_PATIENCE_S):
        raise Unavailable("Too many changes of this owner at once. Try again in a moment.", retry_after=1)


@contextmanager
def savepoint(clock: Clock) -> Iterator[None]:
    """Undo only this part when it fails: rows by a savepoint, and the clock's counters with them."""
    before = (clock.at, clock.seq, clock.number, clock.head)
    try:
        with transaction.atomic():
            yield
    except BaseException:
        clock.at, clock.seq, clock.number, clock.head = before
        raise


@contextmanager
def _taken(user_id: int) -> Iterator[Clock]:
    rows = execute(_TAKE, [user_id])
    if not rows:
        raise Unauthenticated("Everything of this owner is being erased, or was.")
    at, seq, number, head = rows[0]
    clock = Clock(user_id, at, seq, number, head)
    _held.clock = clock
    try:
        yield clock
    finally:
        _held.clock = None


@contextmanager
def _transaction() -> Iterator[None]:
    """``translated_commit``, and a wait for the clock that took too long in the words of the domain."""
    try:
        with translated_commit():
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") in {"55P03", "57014"}:
            raise Unavailable("This owner's memory is busy. Try again in a moment.", retry_after=1) from error
        raise


def _gate(user_id: int) -> threading.BoundedSemaphore:
    with _gates_lock:
        return _gates.setdefault(user_id, threading.BoundedSemaphore(_WAITING_PER_OWNER))


def now() -> datetime:
    """The database's clock, for reads that must agree with what was written."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    assert row is not None  # noqa: S101 - SELECT without FROM always has one row
    return row[0]  # type: ignore[no-any-return]
