"""How what a person did last is taken back, for ten minutes and also after a reload.

It is kept in the session: an address, the fields that go with it and a few words. Never the words of a belief,
which must not outlive the belief itself.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpRequest

MINUTES = 10
# So many steps can be walked back, one by one.
MOST = 50
_KEY = "ways_back"


@dataclass(frozen=True, slots=True)
class WayBack:
    """A POST of ``fields`` to ``url`` takes back what ``words`` name. ``deed`` is the verb that it undoes."""

    url: str
    words: str
    fields: Mapping[str, str]
    deed: str
    at: float


def remember(request: HttpRequest, *, url: str, words: str, fields: Mapping[str, str], deed: str) -> WayBack:
    """The person did something that can be taken back there."""
    way = WayBack(url, words, dict(fields), deed, time.time())
    request.session[_KEY] = [*_kept(request), asdict(way)][-MOST:]
    return way


def last(request: HttpRequest) -> WayBack | None:
    """How the newest thing is taken back; None when there was nothing, or too long ago."""
    kept = _kept(request)
    return WayBack(**kept[-1]) if kept else None


def used(request: HttpRequest, url: str, *, fields: Mapping[str, str] | None = None) -> WayBack | None:
    """The way to ``url`` was walked, or turned out to be closed: it is offered no more. Returns it.

    Args:
        fields: what an earlier way to the same place has to send from now on.
    """
    kept = _kept(request)
    found = next((way for way in reversed(kept) if way["url"] == url), None)
    if found is None:
        return None
    left = [way for way in kept if way is not found]
    if fields is not None:
        left = [{**way, "fields": dict(fields)} if way["url"] == url else way for way in left]
    request.session[_KEY] = left
    return WayBack(**found)


def closed(request: HttpRequest, url: str) -> None:
    """Nothing is taken back there any more: what it was about is gone."""
    request.session[_KEY] = [way for way in _kept(request) if way["url"] != url]


def _kept(request: HttpRequest) -> list[dict[str, Any]]:
    since = time.time() - MINUTES * 60
    return [way for way in request.session.get(_KEY, ()) if way["at"] > since]
