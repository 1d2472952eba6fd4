"""Time bars: spans of time as lines on one axis, in percent, ready for ``components/ranges.html``."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from review.display.labels import STATUS

# A bar, its words above it, and room to the next one, in pixels.
_STEP = 34
_NAME_MOST = 40
_SHORTEST_AXIS = timedelta(hours=1)
# Where "now" stands, so that what is to come has room as well.
_NOW_AT = 92.0
# What began nobody knows when is dots up to the first moment that is known, at least so many percent wide.
_FADE, _FADE_DASH = 9.0, "1.5 6"
_DASHES = {"needs_review": "9 5", "candidate": "2 4"}


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``start`` (None: nobody knows) to ``end`` (None: it goes on), in the line of ``status``."""

    label: str
    status: str
    start: datetime | None
    end: datetime | None


def named_by(text: str) -> str:
    """So much of a belief's words as fits above its bar."""
    line = " ".join(text.split())
    return line if len(line) <= _NAME_MOST else line[: _NAME_MOST - 1].rstrip() + "…"


def ranges_of(intervals: Sequence[Interval], now: datetime) -> dict[str, Any] | None:
    """The drawing, or None when no moment of it is known."""
    if not any(each.start or each.end for each in intervals):
        return None
    axis = _Axis(intervals, now)
    height = len(intervals) * _STEP + 24
    return {
        "label": ". ".join(_sentence(interval) for interval in intervals),
        "bars": [bar for index, interval in enumerate(intervals) for bar in _bars(interval, index, axis)],
        "height": height,
        "axis_y": height - 20,
        "tick_y": height - 5,
        "ticks": axis.ticks(),
        "now": round(axis.at(now), 1),
        "now_text": _("now"),
    }


class _Axis:
    def __init__(self, intervals: Sequence[Interval], now: datetime) -> None:
        known = [moment for each in intervals for moment in (each.start, each.end) if moment is not None]
        self.first = min([*known, now - _SHORTEST_AXIS])
        self.open_start = any(each.start is None for each in intervals)
        last = max([*known, now])
        self.known = min([*known, now])
        # Room on the left for what began nobody knows when, on the right for what is to come.
        if self.open_start:
            self.first -= (last - self.first) * 0.15
        self.per_percent = (now - self.first) / _NOW_AT
        if last > now:
            self.per_percent = (last - self.first) / _NOW_AT
        self.now = now

    def at(self, moment: datetime) -> float:
        return max(0.0, min(100.0, (moment - self.first) / self.per_percent))

    def ticks(self) -> list[dict[str, Any]]:
        """Three dates left of now, none where they would run into it."""
        span = self.now - self.first
        if span > timedelta(days=700):
            shape = "Y"
        elif span > timedelta(days=3):
            shape = "j M" if self.first.year == self.now.year else "M Y"
        else:
            shape = "j M, H:i"
        # Times of day are long words: on a small screen only one fits beside "now".
        marks = (0.0,) if "H" in shape else (0.0, 30.0, 60.0)
        places = [percent for percent in marks if percent < self.at(self.now) - 18]
        texts = [date_format(timezone.localtime(self.first + self.per_percent * place), shape) for place in places]
        seen = dict(zip(reversed(texts), reversed(places), strict=True))
        return [{"at": place, "text": text} for text, place in sorted(seen.items(), key=lambda pair: pair[1])]


def _bars(interval: Interval, index: int, axis: _Axis) -> list[dict[str, Any]]:
    """The line of one interval; in two parts where its start is unknown."""
    start = 0.0 if interval.start is None else axis.at(interval.start)
    end = axis.at(axis.now) if interval.end is None else axis.at(interval.end)
    if interval.end is None and interval.start is not None and interval.start > axis.now:
        end = 100.0
    # A moment is still drawn as something one can see.
    end = max(end, 1.0)
    start = min(start, end - 1)
    dash = _DASHES.get(interval.status, "")
    whole = _line(interval, index, start, end, dash)
    if interval.start is not None:
        return [whole]
    fade = min(max(_FADE, axis.at(axis.known)), end)
    return [whole | {"end": round(fade, 1), "dash": _FADE_DASH}, _line(interval, index, fade, end, dash) | {"text": ""}]


def _line(interval: Interval, index: int, start: float, end: float, dash: str) -> dict[str, Any]:
    at_end = start > 50
    return {
        "status": interval.status,
        "start": round(start, 1),
        "end": round(end, 1),
        "y": index * _STEP + 22,
        "below": index * _STEP + 26,
        "text_y": index * _STEP + 13,
        "text_x": f"{min(end, 100.0) if at_end else start:.1f}",
        "anchor": "end" if at_end else "start",
        "text": interval.label,
        "dash": dash,
    }


def _sentence(interval: Interval) -> str:
    """``In use: Dublin, from 12 March 2025 until 1 April 2025``."""
    word = STATUS[interval.status].shown
    start = _("start unknown") if interval.start is None else _("from %(day)s") % {"day": _day(interval.start)}
    end = _("and goes on") if interval.end is None else _("until %(day)s") % {"day": _day(interval.end)}
    return f"{word}: {interval.label}, {start} {end}"


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j F Y")
