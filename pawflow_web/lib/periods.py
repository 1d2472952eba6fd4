"""Dates and times as people and agents write them, as exact instants.

A date, a month or a year is a period in the owner's time zone. What it means depends on where it stands:
the *last* instant of the period as a question (``as_of``, ``known_at``), the *first* as a stored bound. So on
the day of a handover only the new value holds.
"""

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from pawflow_web.lib.errors import Invalid

TimeInput = str | float

_MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_NUMBER = re.compile(r"-?\d{9,17}(?:\.\d{1,6})?", re.ASCII)
# PostgreSQL and Python both stop at the year 9999; a bound needs room for the end of its period.
_YEARS = range(1, 9999)
_MILLISECONDS_ABOVE = 1e11


@dataclass(frozen=True, slots=True)
class Period:
    """``[first, last]``, both inclusive, in UTC; ``precision`` is year, month, day or instant."""

    first: datetime
    last: datetime
    precision: str


def parse_period(value: TimeInput, zone: ZoneInfo, *, field: str) -> Period:
    """Read an ISO instant with zone, an ISO date, month or year, or epoch seconds (above 1e11: milliseconds).

    Raises :class:`Invalid` naming ``field`` for anything else, a naive instant included.
    """
    if isinstance(value, int | float):
        return _from_epoch(value, field)
    text = value.strip()
    match = _DATE.fullmatch(text)
    if match:
        return _from_date(match, zone, field)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise _refused(
            value, field, "must be an ISO time with zone, a date, a month, a year or epoch seconds"
        ) from None
    if instant.tzinfo is None:
        raise _refused(value, field, "needs a time zone, for example a Z at its end")
    return _instant(instant, value, field)


def time_of_query(text: str) -> TimeInput:
    """A time out of an address, where every number is written as text: nine digits and more are epoch seconds, which
    no date is written like."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else text


def first_instant(value: TimeInput | None, zone: ZoneInfo, *, field: str) -> datetime | None:
    """Where the period begins, or None for None."""
    return None if value is None else parse_period(value, zone, field=field).first


def last_instant(value: TimeInput | None, zone: ZoneInfo, *, field: str) -> datetime | None:
    """Where the period ends (inclusive), or None for None."""
    return None if value is None else parse_period(value, zone, field=field).last


def iso(instant: datetime | None) -> str | None:
    """``2026-01-05T10:00:00.000000Z``, the one way times leave the product."""
    if instant is None:
        return None
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def iso_of_millis(millis: int | None) -> str | None:
    """The same of milliseconds since 1970; None also for what no calendar has."""
    try:
        return None if millis is None else iso(datetime.fromtimestamp(millis / 1000, tz=UTC))
    except (OverflowError, ValueError, OSError):
        return None


def _from_epoch(value: float, field: str) -> Period:
    if isinstance(value, bool) or not math.isfinite(value):
        raise _refused(value, field, "must be a finite number of seconds")
    seconds = value / 1000 if abs(value) > _MILLISECONDS_ABOVE else value
    try:
        instant = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        raise _refused(value, field, "is outside the years 1 to 9998") from None
    return _instant(instant, value, field)


def _from_date(match: re.Match[str], zone: ZoneInfo, field: str) -> Period:
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        first = date(year or 0, 1 if month is None else month, 1 if day is None else day)
        if month is None:
            after, precision = date(first.year + 1, 1, 1), "year"
        elif day is None:
            after = date(first.year + (month == 12), month % 12 + 1, 1)
            precision = "month"
        else:
            after, precision = first + timedelta(days=1), "day"
    except (ValueError, OverflowError):
        raise _refused(match.group(0), field, "is not a date") from None
    if first.year not in _YEARS:
        raise _refused(match.group(0), field, "is outside the years 1 to 9998")
    try:
        start, end = _midnight(first, zone), _midnight(after, zone)
        # A day that the zone skipped (Apia, 30 December 2011) has no instants: it stands for the one it would begin at.
        return Period(start, max(start, end - _MICROSECOND), precision)
    except OverflowError:
        raise _refused(match.group(0), field, "is outside the years 1 to 9998") from None


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def _instant(instant: datetime, value: TimeInput, field: str) -> Period:
    try:
        exact = instant.astimezone(UTC)
    except OverflowError:
        raise _refused(value, field, "is outside the years 1 to 9998") from None
    if exact.year not in _YEARS:
        raise _refused(value, field, "is outside the years 1 to 9998")
    return Period(exact, exact, "instant")


def _refused(value: TimeInput, field: str, sentence: str) -> Invalid:
    return Invalid(f"{field} is {ascii(value)[:80]}; it {sentence}.", fields={field: sentence})
