"""Dates of facts as precise as they were said."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import TimeInput, iso, parse_period

_WRITTEN = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}


def said_date(moment: datetime | None, precision: str, zone: ZoneInfo) -> str | None:
    """``2025``, ``2025-06``, ``2025-06-30`` or an instant; None where nobody said one."""
    if moment is None:
        return None
    written = _WRITTEN.get(precision)
    if written is None:
        return iso(moment)
    local = moment.astimezone(zone)
    return local.strftime(written).rjust(
        len(written.replace("%Y", "0000").replace("%m", "00").replace("%d", "00")), "0"
    )


def range_of(start: TimeInput | None, end: TimeInput | None, zone: ZoneInfo) -> tuple[DateTimeTZRange, tuple[str, str]]:
    """When a fact holds, half-open, and how precisely both bounds were said.

    Raises :class:`Invalid`: one is no date, or it would end before it begins.
    """
    first = parse_period(start, zone, field="valid_from") if start is not None else None
    last = parse_period(end, zone, field="valid_to") if end is not None else None
    if first and last and last.first <= first.first:
        raise Invalid("It would end before it begins.", fields={"valid_to": "must lie after valid_from"})
    bounds = DateTimeTZRange(first.first if first else None, last.first if last else None)
    return bounds, (first.precision if first else "", last.precision if last else "")
