"""Places of our own."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve
from django.utils.http import url_has_allowed_host_and_scheme


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
    came_from = urlsplit(request.headers.get("Referer", ""))
    if came_from.netloc == request.get_host():
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
