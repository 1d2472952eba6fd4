"""Moments as a person says them. All arguments are aware and in the reader's zone."""

from datetime import datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def full_time(moment: datetime) -> str:
    """``12 March 2025, 16:04:09 UTC``: for the title and for detail."""
    return f"{date_format(moment, 'j F Y, H:i:s')} {moment.tzname()}"


def short_time(moment: datetime, *, now: datetime) -> str:
    """``9 min ago``, ``today, 09:41``, ``yesterday, 18:20``, ``12 Mar``, ``12 Mar 2024``, ``in 6 days``."""
    if moment > now:
        return _coming(moment, now=now)
    past = now - moment
    if past < _MINUTE:
        return _("just now")
    if past < _HOUR:
        return _("%(count)d min ago") % {"count": past // _MINUTE}
    clock = date_format(moment, "H:i")
    if moment.date() == now.date():
        return _("today, %(clock)s") % {"clock": clock}
    if moment.date() == (now - _DAY).date():
        return _("yesterday, %(clock)s") % {"clock": clock}
    return _day(moment, now=now)


def _coming(moment: datetime, *, now: datetime) -> str:
    ahead = moment - now
    if ahead < _MINUTE:
        return _("now")
    if ahead < _HOUR:
        return _("in %(count)d min") % {"count": ahead // _MINUTE}
    if ahead < _DAY:
        return _("in %(count)d h") % {"count": ahead // _HOUR}
    days = ahead // _DAY
    if days <= 30:
        return ngettext("in %(count)d day", "in %(count)d days", days) % {"count": days}
    return _day(moment, now=now)


def _day(moment: datetime, *, now: datetime) -> str:
    return date_format(moment, "j M" if moment.year == now.year else "j M Y")
