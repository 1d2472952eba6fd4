"""Middleware as plain functions. Their order is the one of ``settings.MIDDLEWARE``."""

import json
import re
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from structlog.contextvars import bound_contextvars

from pawflow_web.lib.errors import DomainError
from pawflow_web.web.errors import error_of_status, error_response, is_api, method_not_allowed, page_not_found, refusal
from pawflow_web.web.paths import without_nul

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
# What described the replaced body. Everything else (Allow, Retry-After, the security headers) is kept.
_BODY_HEADERS = {
    "content-type",
    "content-length",
    "content-encoding",
    "content-disposition",
    "etag",
    "last-modified",
}

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
    )
)


def request_id_of(given: str) -> str:
    """The caller's own id of a request when it is plain, else a new one."""
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id: the caller's ``X-Request-Id`` when it is plain, else a new one.

    It stands in every log line of the request and in the reply.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        chosen = request_id_of(request.headers.get("X-Request-Id", ""))
        with bound_contextvars(request_id=chosen):
            response = get_response(request)
        response["X-Request-Id"] = chosen
        return response

    return middleware


def api_errors(get_response: GetResponse) -> GetResponse:
    """Under ``/api/`` every refusal has the one error body, whoever refused.

    A bad ``Host``, an unknown route, a wrong method, a missing CSRF token or a crash are answered by Django
    before or after our own code; their HTML is replaced here.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < 400 or not request.path.startswith("/api/") or _has_error_body(response):
            return response
        replaced = error_response(error_of_status(response.status_code), status=response.status_code)
        for name, value in response.items():
            if name.lower() not in _BODY_HEADERS:
                replaced[name] = value
        replaced.cookies = response.cookies
        replaced["Content-Length"] = str(len(replaced.content))
        # Not response.close(): that would announce the end of a request that is still being answered.
        replaced._resource_closers.extend(response._resource_closers)  # type: ignore[attr-defined]
        return replaced

    return middleware


def no_nul(get_response: GetResponse) -> GetResponse:
    """No row can hold a NUL, and PostgreSQL refuses to be asked about one: a path with it leads nowhere, and a page is
    asked for without it. ``/api/`` says itself which value it refuses."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if is_api(request):
            return get_response(request)
        if "\0" in request.path:
            return page_not_found(request)
        asked = without_nul(request.GET)
        if asked is not request.GET:
            request.GET = asked  # type: ignore[assignment]  # read like the immutable one
            request.META["QUERY_STRING"] = asked.urlencode()
        return get_response(request)

    return middleware


def refusals(get_response: GetResponse) -> GetResponse:
    """A :class:`DomainError` that a view lets through becomes our page, in development as well; so does Django's own
    empty answer to a method that a view does not take."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if is_api(request) or not isinstance(response, HttpResponseNotAllowed):
            return response
        page = method_not_allowed(request)
        page["Allow"] = response["Allow"]
        return page

    def process_exception(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return refusal(request, exception) if isinstance(exception, DomainError) else None

    middleware.process_exception = process_exception  # type: ignore[attr-defined]  # Django's hook
    return middleware


def content_security_policy(get_response: GetResponse) -> GetResponse:
    """Only our own files run and style: no inline script, no inline style, no eval."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        return response

    return middleware


def _has_error_body(response: HttpResponseBase) -> bool:
    """Whether the reply is ``{"error": {"code", "message", "fields"}}`` already."""
    if not isinstance(response, HttpResponse) or not response.get("Content-Type", "").startswith("application/json"):
        return False
    try:
        body = json.loads(response.content)
    except ValueError:
        return False
    error = body.get("error") if isinstance(body, dict) else None
    return isinstance(error, dict) and error.keys() == {"code", "message", "fields"}
