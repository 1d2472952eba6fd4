"""Places of our own."""

from urllib.parse import SplitResult, urlsplit

from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme

# What follows it in an address is a way in.
_WAY_IN = "/login/once/"


def split_address(address: str) -> SplitResult | None:
    """The parts of an address that somebody sent; None for what is none, as ``http://[``."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def query_of(text: str) -> QueryDict:
    """The parameters in an address that somebody sent, without NUL; none when there are more than a form may have."""
    try:
        sent = QueryDict(text)
    except TooManyFieldsSent:
        return QueryDict()
    return without_nul(sent)


def without_nul(sent: QueryDict) -> QueryDict:
    """The same parameters, fit for the database."""
    if not any("\0" in text for name, texts in sent.lists() for text in (name, *texts)):
        return sent
    kept = QueryDict(mutable=True)
    for name, texts in sent.lists():
        kept.setlist(name.replace("\0", ""), [text.replace("\0", "") for text in texts])
    return kept


def to_log(path: str) -> str:
    """The path as a log may keep it."""
    before, way_in, _secret = path.partition(_WAY_IN)
    return before + way_in


def own_path(url: str) -> str:
    """``url`` when it is a path of this server, else nothing: nobody is sent elsewhere by a parameter."""
    fits = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if fits else ""


def page_address(request: HttpRequest) -> str:
    """The address, with its query, of the page that a person looks at while ``request`` is answered.

    That of a form may take nothing but the form: then it is the page that the form stood on, else the nearest above.
    """
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    came_from = split_address(request.headers.get("Referer", ""))
    if came_from is not None and came_from.netloc == request.get_host():
        return own_path(came_from._replace(scheme="", netloc="", fragment="").geturl()) or "/"
    return _above(request.path)


def _above(path: str) -> str:
    while path := path.rpartition("/")[0]:
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"
