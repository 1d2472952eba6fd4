"""Where a new value stands among the values of its key in world time. Pure: no rows are read or written.

The date it *became true* decides, not the date it arrived: an older value is stored already closed, one in
between gets both bounds, and the one that contains the start ends there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange


@dataclass(frozen=True, slots=True)
class Placement:
    """``valid`` is the newcomer's range. ``loser`` is the index of the one row that its start falls into, and
    ``loser_valid`` what is left of that row. ``fits`` False: only a person may put it there; without a
    ``loser_valid`` not even a person, and ``loser`` is the last row that it meets."""

    valid: DateTimeTZRange
    fits: bool
    loser: int | None = None
    loser_valid: DateTimeTZRange | None = None
    # the start was not given: it is the moment of taking over
    assumed_start: bool = False


EMPTY = DateTimeTZRange(empty=True)


def place(rows: Sequence[DateTimeTZRange], valid: DateTimeTZRange, now: datetime) -> Placement:
    """Fit ``valid`` among ``rows``, the non-empty ranges of one key; at most one of them contains any moment.

    ``rows`` come from the database, where an EXCLUDE constraint keeps them apart.
    """
    if not any(_overlap(row, valid) for row in rows):
        return Placement(valid, fits=True)
    start, assumed = (now, True) if valid.lower is None else (valid.lower, False)
    if valid.upper is not None and valid.upper <= start:
        # An unknown start with an end in the past: where it began nobody can say.
        return Placement(valid, fits=False, loser=_latest(rows, valid))
    nexts = [row.lower for row in rows if row.lower is not None and row.lower > start]
    end = min([bound for bound in (valid.upper, *nexts) if bound is not None], default=None)
    newcomer = DateTimeTZRange(start, end)
    loser = _containing(rows, start)
    if loser is None:
        return Placement(newcomer, fits=True, assumed_start=assumed)
    row = rows[loser]
    left = EMPTY if row.lower is not None and row.lower >= start else DateTimeTZRange(row.lower, start)
    # A newcomer that ends inside the row it would cut leaves a gap behind it: that is for a person to decide.
    fits = end is None or (row.upper is not None and row.upper <= end)
    return Placement(newcomer, fits=fits, loser=loser, loser_valid=left, assumed_start=assumed)


def nothing_left(valid: DateTimeTZRange, now: datetime) -> bool:
    """Whether a range holds at no moment from ``now`` on."""
    return bool(valid.isempty) or (valid.upper is not None and valid.upper <= now)


def _overlap(one: DateTimeTZRange, other: DateTimeTZRange) -> bool:
    """Whether there is a moment in both."""
    if one.isempty or other.isempty:
        return False
    starts_before_end = one.lower is None or other.upper is None or one.lower < other.upper
    ends_after_start = one.upper is None or other.lower is None or other.lower < one.upper
    return starts_before_end and ends_after_start


def _containing(rows: Sequence[DateTimeTZRange], moment: Any) -> int | None:
    for index, row in enumerate(rows):
        if not row.isempty and moment in row:
            return index
    return None


def _latest(rows: Sequence[DateTimeTZRange], valid: DateTimeTZRange) -> int:
    """The row that begins last of those that overlap ``valid``, of which there is at least one."""
    met = [(row.lower is not None, row.lower, index) for index, row in enumerate(rows) if _overlap(row, valid)]
    return max(met)[2]
