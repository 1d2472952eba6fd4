"""How a view answers: a whole page, or the part of it that htmx will put in place."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django_htmx.middleware import HtmxDetails

from pawflow_web.lib.errors import DomainError
from pawflow_web.web import ways_back
from pawflow_web.web.errors import refusal
from pawflow_web.web.paths import page_address, query_of
from pawflow_web.web.ways_back import WayBack

# More than this many parts beside the main one, and nobody can say what a click changes.
MAX_OUT_OF_BAND = 3

P = ParamSpec("P")


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """What htmx said about the request; false when it did not ask."""
    asked: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # put there by its middleware
    return asked


def page_behind(request: HttpRequest) -> tuple[str, QueryDict]:
    """Path and query of the page of ours that htmx asked from; empty when it says none."""
    try:
        address = htmx_of(request).current_url_abs_path or ""
    except ValueError:
        address = ""
    path, _mark, query = address.partition("?")
    return path, query_of(query)


def wants_partial(request: HttpRequest) -> bool:
    """Whether htmx asked for a part. A restored history entry needs the whole page."""
    return bool(htmx_of(request)) and not htmx_of(request).history_restore_request


def target_of(request: HttpRequest) -> str:
    """The id of what the answer will replace; empty when a page was asked for."""
    return (htmx_of(request).target or "") if wants_partial(request) else ""


def in_drawer(request: HttpRequest) -> bool:
    """Whether the answer goes into the drawer beside a conversation, where a panel's heading is second."""
    return target_of(request) == "drawer-body"


def render_panel(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partial: str | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    out_of_band: tuple[SafeString, ...] = (),
) -> HttpResponse:
    """Render ``template``, or its named ``partial`` when htmx asked for a part.

    Args:
        partial: name of a ``{% partialdef %}`` of the template. None: there is only the page.
        out_of_band: fragments made by :func:`out_of_band`, added to a partial answer only.
    """
    if len(out_of_band) > MAX_OUT_OF_BAND:
        raise ValueError(f"{len(out_of_band)} out-of-band parts; the most is {MAX_OUT_OF_BAND}.")
    as_part = partial is not None and wants_partial(request)
    name = f"{template}#{partial}" if as_part else template
    html: str = render_to_string(name, {**context, "in_drawer": in_drawer(request)}, request)
    if as_part:
        html += "".join(out_of_band)
    response = HttpResponse(html, status=status, headers=dict(headers or {}))
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request"))
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def out_of_band(request: HttpRequest, template: str, context: Mapping[str, Any]) -> SafeString:
    """One fragment that replaces what stands elsewhere on the page: its root carries ``hx-swap-oob``."""
    return mark_safe(render_to_string(template, dict(context), request))  # noqa: S308 - rendered by a template


def nothing_but(*parts: SafeString, status: int = 200, trigger: str = "") -> HttpResponse:
    """An answer that replaces nothing where it was asked for: only what stands elsewhere.

    Args:
        parts: made by :func:`out_of_band`.
        trigger: an event that the page is to hear.
    """
    # Not the dialog that may have asked: what is swapped there opens it.
    headers = {"HX-Retarget": "#toasts", "HX-Reswap": "none"} | ({"HX-Trigger": trigger} if trigger else {})
    return HttpResponse("".join(parts), status=status, headers=headers)


def toast(
    request: HttpRequest,
    message: str,
    *,
    detail: str = "",
    way_back: WayBack | None = None,
    url: str = "",
    url_text: str = "",
    more_url: str = "",
    more_text: str = "",
    detail_url: str = "",
) -> SafeString:
    """What happened, its consequence, and the way back, for the corner of the page.

    Args:
        way_back: the POST that takes it back. A toast with it stays until the next one.
        url: where it can be seen, under the words ``url_text``.
        more_url: where the consequence can be seen, likewise, after ``detail``.
        detail_url: where the rest of ``detail`` is fetched from, when it takes a while.
    """
    note: dict[str, Any] = {"message": message, "detail": detail, "way_back": way_back}
    note |= {"url": url, "url_text": url_text, "more_url": more_url, "more_text": more_text, "detail_url": detail_url}
    return out_of_band(request, "components/toast_out_of_band.html", {"toast": note})


def shell_news(request: HttpRequest) -> SafeString:
    """The numbers of the navigation and the seal, as they are now."""
    return out_of_band(request, "components/shell_news.html", {})


def way_back_closed(request: HttpRequest, error: DomainError) -> HttpResponse:
    """The refusal of a POST that would have taken something back: that way leads nowhere, and is offered no more."""
    ways_back.closed(request, request.path)
    response = refusal(request, error)
    if wants_partial(request):
        response.content += shell_news(request).encode()
    return response


def page_title(title: str) -> SafeString:
    """The title of the window, for an answer that changes it without being a page."""
    return format_html("<title>{} · PawFlow</title>", title)


def person_required(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Send whoever is not signed in to the sign-in page and back to where they were; htmx is told to do so (401)."""

    @wraps(view)
    def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if htmx_of(request):
            query = urlencode({"next": _path_of(htmx_of(request).current_url or "")})
            return HttpResponse(status=401, headers={"HX-Redirect": f"{settings.LOGIN_URL}?{query}"})
        return redirect_to_login(page_address(request))

    return checked


def _path_of(url: str) -> str:
    """``http://host/a?b`` -> ``/a?b``: a place of ours to come back to, never another host."""
    path = "/" + url.split("://", 1)[-1].partition("/")[2]
    return "/" + path.lstrip("/")
