"""Every refusal of a REST route in the one error body."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from pawflow_web.lib.errors import DomainError
from pawflow_web.lib.tools import invalid_of
from pawflow_web.web.errors import error_of_status, error_response, failure_of

# Where ninja's findings begin: ("body", "payload", ...) against ("query", ...), ("path", ...).
_BODY_PREFIX = 2
_PREFIX = 1


def add_handlers(api: NinjaAPI) -> None:
    """Ninja looks up the nearest class; each one listed here has a default of ninja's or Django's."""
    for kind in (DomainError, Http404, RequestDataTooBig, OperationalError, InterfaceError, Exception):
        api.add_exception_handler(kind, _any)
    api.add_exception_handler(ValidationError, _validation)
    api.add_exception_handler(HttpError, _http)


def _any(request: HttpRequest, exception: Exception | type[Exception]) -> HttpResponse:
    if isinstance(exception, type):
        exception = exception()
    return error_response(failure_of(exception, path=request.path, method=request.method))


def _http(request: HttpRequest, exception: HttpError | type[HttpError]) -> HttpResponse:
    if isinstance(exception, type):
        return _any(request, exception)
    # What our parser raises arrives wrapped.
    if isinstance(exception.__cause__, DomainError):
        return error_response(exception.__cause__)
    return error_response(error_of_status(exception.status_code), status=exception.status_code)


def _validation(request: HttpRequest, exception: ValidationError | type[ValidationError]) -> HttpResponse:
    if isinstance(exception, type):
        return _any(request, exception)
    findings = [_without_prefix(finding) for finding in exception.errors]
    known: list[str] = getattr(request, "_pawflow_body_fields", [])
    return error_response(invalid_of(findings, known=known))


def _without_prefix(finding: Mapping[str, Any]) -> dict[str, Any]:
    location = finding["loc"]
    skip = _BODY_PREFIX if location[:1] == ("body",) else _PREFIX
    return {**finding, "loc": location[skip:]}
