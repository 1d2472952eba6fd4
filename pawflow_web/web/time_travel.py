"""Two clocks in the address: ``as_of``, the day of the world, and ``known_at``, what was known here by then.

Whoever looks at another day sees it on every page, stays in it with every link, and can change nothing from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.lib.periods import Period, parse_period, time_of_query
from pawflow_web.web.errors import refusal
from pawflow_web.web.paths import page_address, query_of, split_address
from pawflow_web.web.per_request import per_request
from pawflow_web.web.then_html import of_another_day

AS_OF, KNOWN_AT = "as_of", "known_at"
PARAMETERS = (AS_OF, KNOWN_AT)
LONGEST = 40
# What is nobody's belief: coming and going.
_OTHER_WRITES = ("/login", "/logout")
# What is no page of a day.
_NO_PAGES = ("/api/", "/static/", "/admin", "/login", "/logout", "/favicon")
_SHOWS = "shows_the_past"
_TELLS = "tells_wrong_times"

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
GetResponse = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Then:
    """The day that an address names. ``as_of`` and ``known_at`` as they were written; ``at`` and ``known`` the last
    instants of what they mean, in the person's zone. ``error`` says in words which of them means nothing."""

    as_of: str
    known_at: str
    world: Period | None
    here: Period | None
    error: str

    @property
    def at(self) -> datetime | None:
        return self.world.last if self.world else None

    @property
    def known(self) -> datetime | None:
        return self.here.last if self.here else None

    @property
    def given(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in ((AS_OF, self.as_of), (KNOWN_AT, self.known_at)) if value]

    @property
    def sentence(self) -> str:
        """Which day it is, in words."""
        if self.world is None and self.here is None:
            return ""
        if self.here is None:
            return _("You are looking at %(day)s, as it is known now.") % {"day": _words(self.world)}
        if self.world is None:
            return _("You are looking at now, as it was known on %(day)s.") % {"day": _words(self.here)}
        return _("You are looking at %(day)s, as it was known on %(known)s.") % {
            "day": _words(self.world),
            "known": _words(self.here),
        }


def then_of(request: HttpRequest) -> Then | None:
    """The day that the address names; None for now. Read once a request."""
    return per_request(request, "web.then", lambda: _read(request.GET))


def shows_the_past(view: View) -> View:
    """Mark a view that shows that day; any other says that it shows now."""
    setattr(view, _SHOWS, True)
    return view


def tells_wrong_times(view: View) -> View:
    """Mark a view that says in its own form what is wrong with a time."""
    setattr(view, _TELLS, True)
    return view


def no_day(value: str) -> str:
    """What a page says of a value that means no time."""
    return _("“%(value)s” names no day and no moment.") % {"value": value[:LONGEST]}


def does_show_the_past(view: object) -> bool:
    return bool(getattr(view, _SHOWS, False))


def then(request: HttpRequest) -> dict[str, object]:
    """Context processor: ``then``, the day, and ``then_shown``, whether this page can be looked at as of that day;
    ``page_address``, where the person is; ``then_path``, ``then_kept`` (what else is asked there), ``day_fields``
    (name, label, value, type) and ``now_url`` for the form that chooses another."""
    day, match = then_of(request), request.resolver_match
    address = page_address(request)
    path, _mark, query = address.partition("?")
    kept = _without_day(query_of(query))
    return {
        "page_address": address,
        "then_path": path,
        "then": day,
        "then_shown": match is not None and does_show_the_past(match.func),
        "day_fields": [
            (name, label, value, input_type(value))
            for name, label, value in (
                (AS_OF, _("True on"), day.as_of if day else ""),
                (KNOWN_AT, _("As known on"), day.known_at if day else ""),
            )
        ],
        "then_kept": kept,
        "now_url": path + (f"?{urlencode(kept)}" if kept else ""),
    }


def time_travel(get_response: GetResponse) -> GetResponse:
    """Refuse what would write from another day, and keep its pages in it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(_NO_PAGES) or then_of(request) is None:
            return get_response(request)
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            return refusal(request, Conflict(_("Nothing can be changed from another day. Return to now first.")))
        return _kept(get_response(request), request)

    def process_view(
        request: HttpRequest, view: Callable[..., HttpResponseBase], *_arguments: object
    ) -> HttpResponse | None:
        if request.path.startswith(_NO_PAGES):
            return None
        day = then_of(request)
        if day is None or not day.error or getattr(view, _TELLS, False) or not request.user.is_authenticated:
            return None
        return render(request, "web/no_such_day.html", {"error": day.error}, status=422)

    middleware.process_view = process_view  # type: ignore[attr-defined]  # Django's hook
    return middleware


def _read(given: QueryDict) -> Then | None:
    texts = {name: given.get(name, "").strip() for name in PARAMETERS}
    if not any(texts.values()):
        return None
    zone = timezone.get_current_timezone()
    assert isinstance(zone, ZoneInfo)  # noqa: S101 - ours are
    periods: dict[str, Period | None] = dict.fromkeys(PARAMETERS)
    error = ""
    for name, text in texts.items():
        try:
            periods[name] = parse_period(time_of_query(text[:LONGEST]), zone, field=name) if text else None
        except Invalid:
            error = error or no_day(text)
    return Then(texts[AS_OF][:LONGEST], texts[KNOWN_AT][:LONGEST], periods[AS_OF], periods[KNOWN_AT], error)


def _kept(response: HttpResponseBase, request: HttpRequest) -> HttpResponseBase:
    """The page with the day in its links, or the way on with the day in its address."""
    day = then_of(request)
    assert day is not None  # noqa: S101 - asked before

    def stays(address: str) -> str | None:
        return with_day(address, day)

    if "Location" in response:
        response["Location"] = stays(response["Location"]) or response["Location"]
    is_page = isinstance(response, HttpResponse) and response.get("Content-Type", "").startswith("text/html")
    if isinstance(response, HttpResponse) and is_page and request.user.is_authenticated:
        response.content = of_another_day(response.content.decode(), stays, day.given, keeps=_OTHER_WRITES)
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
    return response


def with_day(address: str, day: Then) -> str | None:
    """An address of ours in that day; None for what is none, or is in a day already."""
    parts = split_address(address)
    if parts is None or parts.scheme or parts.netloc:
        return None
    if not address.startswith(("/", "?")) or parts.path.startswith(_NO_PAGES):
        return None
    query = parse_qsl(parts.query, keep_blank_values=True)
    if any(name in PARAMETERS for name, _ in query):
        return None
    return parts._replace(query=urlencode([*query, *day.given])).geturl()


def _without_day(asked: QueryDict) -> list[tuple[str, str]]:
    """What else is asked for. A place in a list is a place in the list of one day."""
    others = [(name, values) for name, values in asked.lists() if name not in {*PARAMETERS, "cursor"}]
    return [(name, value) for name, values in others for value in values]


def _words(period: Period | None) -> str:
    """``1 April 2025``, ``the last day of April 2025``, ``the last day of 2025``, ``1 April 2025, 10:00:00 CEST``."""
    assert period is not None  # noqa: S101 - asked for what is there
    local = timezone.localtime(period.last)
    if period.precision == "day":
        return date_format(local, "j F Y")
    if period.precision == "month":
        return _("the last day of %(period)s") % {"period": date_format(local, "F Y")}
    if period.precision == "year":
        return _("the last day of %(period)s") % {"period": date_format(local, "Y")}
    return f"{date_format(local, 'j F Y, H:i:s')} {local.tzname()}"


def input_type(value: str) -> str:
    """What is no plain day has to stay as it was written, which a date field would not let it."""
    plain = len(value) == len("2025-04-01") and value[4] == value[7] == "-"
    return "date" if plain or not value else "text"
