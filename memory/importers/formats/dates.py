"""Dates that a note carries in its own line: ``[2025-05-12] User prefers tabs``."""

import re
from datetime import date

_ISO = r"\d{4}-\d{2}(?:-\d{2})?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_NAMED = rf"{_MONTH}\s+\d{{1,2}},?\s+\d{{4}}|\d{{1,2}}\.?\s+{_MONTH},?\s+\d{{4}}"
_WRITTEN = rf"(?:{_ISO}|{_NAMED})"
_LEADING = re.compile(rf"\s*[\[(](?P<date>{_WRITTEN})[\])]\s*[.:,–—-]?\s*", re.IGNORECASE)
# A search begins nowhere within a row of full stops but at its first.
_TRAILING = re.compile(rf"(?<![\s.])[\s.]*+[\[(](?P<date>{_WRITTEN})[\])]\s*\Z", re.IGNORECASE)
_ALONE = re.compile(rf"\s*+[\[(]?(?P<date>{_WRITTEN})[\])]?\s*+:?\s*\Z", re.IGNORECASE)
_PARTS = re.compile(r"[a-z]+|\d+", re.IGNORECASE)
# Their first or last moment lies outside the calendar in some time zone.
_YEARS_AT_THE_ENDS = frozenset({1, 9999})


def leading_date(text: str) -> tuple[str, str]:
    """The text without a date in brackets at its start, and that date; ``""`` for none."""
    match = _LEADING.match(text)
    found = iso_date(match["date"]) if match else ""
    return (text[match.end() :], found) if match and found and match.end() < len(text) else (text, "")


def trailing_date(text: str) -> tuple[str, str]:
    """The same at its end."""
    match = _TRAILING.search(text)
    found = iso_date(match["date"]) if match else ""
    return (text[: match.start()], found) if match and found and match.start() > 0 else (text, "")


def lone_date(text: str) -> str:
    """The date that a line consists of; ``""`` for another line."""
    match = _ALONE.match(text)
    return iso_date(match["date"]) if match else ""


def iso_date(written: str) -> str:
    """``2025-05-12``, ``2025-05`` or ``""`` for what is no day of the calendar in every time zone."""
    parts = _PARTS.findall(written)
    if parts and parts[0].isdigit() and len(parts[0]) == 4:
        numbers = [int(part) for part in parts if part.isdigit()]
        return _checked(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None)
    names = [part for part in parts if not part.isdigit()]
    numbers = [int(part) for part in parts if part.isdigit()]
    if len(names) != 1 or len(numbers) != 2 or names[0][:3].lower() not in _MONTHS:
        return ""
    return _checked(numbers[1], _MONTHS.index(names[0][:3].lower()) + 1, numbers[0])


def _checked(year: int, month: int, day: int | None) -> str:
    try:
        checked = date(year, month, day or 1)
    except ValueError:
        return ""
    if year in _YEARS_AT_THE_ENDS:
        return ""
    return checked.isoformat() if day is not None else checked.isoformat()[:7]
