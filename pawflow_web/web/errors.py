"""What a refusal looks like: the error body under ``/api/``, a page elsewhere. No page here needs JavaScript.

Our pages never say more than the person may know: a crash shows a reference, and the log line with that
reference holds the rest.
"""

import secrets
import sys

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from pawflow_web.lib.errors import (
    BadRequest,
    Conflict,
    CsrfMissing,
    DatabaseAway,
    DiskFull,
    DomainError,
    Internal,
    Invalid,
    MethodNotAllowed,
    NotAllowed,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthenticated,
    UnsupportedMedia,
)
from pawflow_web.web import health
from pawflow_web.web.paths import to_log

log = structlog.get_logger(__name__)

# PostgreSQL's code for it.
_DISK_FULL = "53100"
# Whatever the form or the list that asked would have replaced stays, with what was typed in it.
_BESIDE_THE_PAGE = {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend"}


def failure_of(exception: BaseException | None, **context: object) -> DomainError:
    """Any exception as the one error that every surface answers with; whatever nobody foresaw is logged and becomes
    a reference.

    Args:
        context: names and counts for the log line, never stored text.
    """
    if isinstance(exception, DomainError):
        return exception
    if "path" in context:
        context["path"] = to_log(str(context["path"]))
    if isinstance(exception, RequestDataTooBig):
        return TooLarge()
    if isinstance(exception, Http404):
        return NotFound()
    if isinstance(exception, OperationalError) and getattr(exception.__cause__, "sqlstate", "") == _DISK_FULL:
        log.error("disk_full", **context)
        health.disk_is_full()
        return DiskFull()
    if isinstance(exception, OperationalError | InterfaceError):
        # A pool without a free connection and a cancelled statement arrive as these two as well.
        log.error("database_away", error=type(exception).__name__, **context)
        return DatabaseAway()
    reference = new_reference()
    log.error("unexpected_error", reference=reference, exc_info=exception, **context)
    return Internal(reference)


def new_reference() -> str:
    """``7F3A-91C2``: short enough to read out, unique enough to find one line in a log."""
    digits = secrets.token_hex(4).upper()
    return f"{digits[:4]}-{digits[4:]}"


def error_of_status(status: int) -> DomainError:
    """The error that a bare status stands for, when nothing better is known."""
    if status >= 500 and status != 503:
        return Internal(new_reference())
    known: dict[int, DomainError] = {
        400: BadRequest("The request cannot be read."),
        401: Unauthenticated(),
        403: NotAllowed("This is not allowed."),
        404: NotFound("There is no such route."),
        405: MethodNotAllowed(),
        409: Conflict("The state of things forbids it."),
        413: TooLarge(),
        415: UnsupportedMedia(),
        422: Invalid("A value is not acceptable."),
        429: RateLimited("Too many calls.", retry_after=DatabaseAway().retry_after),
        503: DatabaseAway(),
    }
    return known.get(status) or BadRequest("The request is refused.")


def error_response(error: DomainError, *, status: int | None = None) -> JsonResponse:
    """The reply of ``/api/`` for an error: its body, status, ``Retry-After`` and ``WWW-Authenticate``."""
    response = JsonResponse(error.body(), status=status or error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if response.status_code == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def error_page(
    request: HttpRequest, status: int, *, title: str, message: str, reference: str = "", retry: bool = False
) -> HttpResponse:
    """A whole page for a refusal. Nothing that htmx asked for is replaced by one: a note beside the page tells it."""
    # Its middleware has not been asked yet when something before it refuses.
    wants_fragment = bool(HtmxDetails(request))
    context = {
        "title": title,
        "message": message,
        "reference": reference,
        "retry": retry,
        "status_code": status,
        "back": request.get_full_path() if retry and request.method == "GET" else "",
    }
    # Without the request no context processor runs: nothing here may need the database that just failed.
    if wants_fragment:
        return HttpResponse(render_to_string("errors/toast.html", context), status=status, headers=_BESIDE_THE_PAGE)
    return HttpResponse(render_to_string("errors/page.html", context), status=status)


def refusal(request: HttpRequest, error: DomainError) -> HttpResponse:
    """The reply to an error: its body under ``/api/``, elsewhere a page in its own words under its own status."""
    if is_api(request):
        return error_response(error)
    if isinstance(error, NotFound):
        return page_not_found(request)
    response = _page_of(request, error)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def _page_of(request: HttpRequest, error: DomainError) -> HttpResponse:
    if isinstance(error, Internal):
        message = f"{_what_became_of_it(request)} {_('When you report it, give this reference.')}"
        title = _("Something broke on our side")
        return error_page(request, error.status, title=title, message=message, reference=error.reference, retry=True)
    titles = {
        403: _("Not allowed"),
        429: _("Too many tries"),
        503: _("Not available just now"),
    }
    message = error.message
    if isinstance(error, DatabaseAway):
        message = f"{_('The database does not answer. Try again in a few seconds.')} {_what_became_of_it(request)}"
    elif isinstance(error, DiskFull):
        message = f"{_('The disk of the database is full. Make room there.')} {_what_became_of_it(request)}"
    return error_page(
        request,
        error.status,
        title=titles.get(error.status, _("Not done")),
        message=message,
        retry=error.status in {409, 429, 503},
    )


def _what_became_of_it(request: HttpRequest) -> str:
    """What to say about changes: a reading request makes none, of a writing one we cannot know."""
    if request.method in {"GET", "HEAD"}:
        return _("Nothing was changed.")
    return _("Look whether it was done before you send it again.")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django passes it
    """``CSRF_FAILURE_VIEW``: the form came without the token of this browser's session."""
    if is_api(request):
        return error_response(CsrfMissing())
    return error_page(
        request,
        403,
        title=_("This form is out of date"),
        message=_(
            "Your sign-in changed since the page was opened, or cookies are off. Nothing was changed. "
            "Go back, reload the page and send it again."
        ),
    )


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """``handler400``: an unreadable request, a host we do not answer to, or a body over the bound."""
    error = error_of_status(400)
    message = _("The request cannot be read. Nothing was changed.")
    if isinstance(exception, RequestDataTooBig):
        error = TooLarge()
        message = _("What you sent is larger than 2 MiB. Nothing was changed.")
    if is_api(request):
        return error_response(error)
    return error_page(request, error.status, title=_("This cannot be read"), message=message)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """``handler403``."""
    if is_api(request):
        return error_response(error_of_status(403))
    return error_page(request, 403, title=_("Not allowed"), message=_("Your account may not do this."))


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """``handler404``: unknown, or not this person's. Both read alike on purpose."""
    if is_api(request):
        return error_response(error_of_status(404))
    return error_page(
        request,
        404,
        title=_("Nothing here"),
        message=_("There is nothing here that you may see. It may be another person's, or gone."),
    )


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    """An address that only takes what a form sends, opened like a page: after a sign-in, or out of the history."""
    return error_page(
        request,
        405,
        title=_("Nothing to look at here"),
        message=_(
            "This address only takes what a form sends. Nothing was changed. Open the page again and decide there."
        ),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``, called while the exception is being handled: also one that has a status of its own."""
    return refusal(request, failure_of(sys.exc_info()[1], path=request.path, method=request.method))
