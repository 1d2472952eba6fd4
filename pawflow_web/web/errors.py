"""What a refusal looks like: the error body under ``/api/``, a page elsewhere. No page here needs JavaScript.

Our pages never say more than the person may know: a crash shows a reference, and the log line with that
reference holds the rest.
"""

import secrets
import sys

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from pawflow_web.lib.errors import (
    BadRequest,
    Conflict,
    DomainError,
    Invalid,
    NotAllowed,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnsupportedMedia,
)

log = structlog.get_logger(__name__)

# Long enough for a pool to recover, short enough that nobody wonders.
RETRY_AFTER_SECONDS = 5


def new_reference() -> str:
    """``7F3A-91C2``: short enough to read out, unique enough to find one line in a log."""
    digits = secrets.token_hex(4).upper()
    return f"{digits[:4]}-{digits[4:]}"


def report(exception: BaseException | None, **context: object) -> str:
    """Log an exception nobody expected, and return the reference under which it can be found."""
    reference = new_reference()
    log.error("unexpected_error", reference=reference, exc_info=exception, **context)
    return reference


def internal_error(reference: str) -> DomainError:
    """The 500 that tells the caller the reference and nothing else."""
    error = DomainError(f"Something broke on our side (reference {reference}).", code="internal")
    error.status = 500
    return error


def database_away() -> Unavailable:
    return Unavailable("The database does not answer. Try again shortly.", retry_after=RETRY_AFTER_SECONDS)


def error_response(error: DomainError, *, status: int | None = None) -> JsonResponse:
    """The reply of ``/api/`` for an error: its body, status, ``Retry-After`` and ``WWW-Authenticate``."""
    response = JsonResponse(error.body(), status=status or error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if response.status_code == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def error_of_status(status: int) -> DomainError:
    """The error that a bare status stands for, when nothing better is known."""
    if status >= 500 and status != 503:
        return internal_error(new_reference())
    known: dict[int, DomainError] = {
        400: BadRequest("The request cannot be read."),
        401: Unauthenticated(),
        403: NotAllowed("This is not allowed."),
        404: NotFound("There is no such route."),
        405: BadRequest("This route does not take that method.", code="method_not_allowed"),
        409: Conflict("The state of things forbids it."),
        413: TooLarge("The body is larger than 2 MiB."),
        415: UnsupportedMedia("Send JSON as `Content-Type: application/json`."),
        422: Invalid("A value is not acceptable."),
        429: RateLimited("Too many calls.", retry_after=RETRY_AFTER_SECONDS),
        503: database_away(),
    }
    return known.get(status) or BadRequest("The request is refused.")


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def error_page(
    request: HttpRequest, status: int, *, title: str, message: str, reference: str = "", retry: bool = False
) -> HttpResponse:
    """A whole page for a refusal, or just its notice when htmx asked and will put it in place."""
    wants_fragment = request.headers.get("HX-Request") == "true"
    context = {
        "title": title,
        "message": message,
        "reference": reference,
        "retry": retry,
        "status_code": status,
        "back": request.get_full_path() if retry and request.method == "GET" else "",
    }
    # Without the request no context processor runs: nothing here may need the database that just failed.
    name = "errors/notice.html" if wants_fragment else "errors/page.html"
    return HttpResponse(render_to_string(name, context), status=status)


def domain_error_page(request: HttpRequest, error: DomainError) -> HttpResponse:
    """A :class:`DomainError` that reached the browser: its own words under its own status."""
    if isinstance(error, NotFound):
        return page_not_found(request)
    titles = {
        403: _("Not allowed"),
        409: _("Not done"),
        422: _("Not done"),
        429: _("Too many tries"),
        503: _("Not available just now"),
    }
    response = error_page(
        request,
        error.status,
        title=titles.get(error.status, _("Not done")),
        message=error.message,
        retry=error.status in {409, 429, 503},
    )
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django passes it
    """``CSRF_FAILURE_VIEW``: the form came without the token of this browser's session."""
    if is_api(request):
        return error_response(NotAllowed("Send the token of the page as `X-CSRFToken`.", code="csrf"))
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
    error: DomainError = BadRequest("The request cannot be read.")
    message = _("The request cannot be read. Nothing was changed.")
    if isinstance(exception, RequestDataTooBig):
        error = TooLarge("The body is larger than 2 MiB.")
        message = _("What you sent is larger than 2 MiB. Nothing was changed.")
    if is_api(request):
        return error_response(error)
    return error_page(request, error.status, title=_("This cannot be read"), message=message)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """``handler403``."""
    if is_api(request):
        return error_response(NotAllowed("This is not allowed."))
    return error_page(request, 403, title=_("Not allowed"), message=_("Your account may not do this."))


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """``handler404``: unknown, or not this person's. Both read alike on purpose."""
    if is_api(request):
        return error_response(NotFound("There is no such route."))
    return error_page(
        request,
        404,
        title=_("Nothing here"),
        message=_("There is nothing here that you may see. It may be another person's, or gone."),
    )


def _what_became_of_it(request: HttpRequest) -> str:
    """What to say about changes: a reading request makes none, of a writing one we cannot know."""
    if request.method in {"GET", "HEAD"}:
        return _("Nothing was changed.")
    return _("Look whether it was done before you send it again.")


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``, called while the exception is being handled.

    A :class:`DomainError` that a view let through has its own status; a database that is away is a 503.
    """
    exception = sys.exc_info()[1]
    if isinstance(exception, DomainError):
        return error_response(exception) if is_api(request) else domain_error_page(request, exception)
    if isinstance(exception, OperationalError | InterfaceError):
        log.error("database_away", error=type(exception).__name__)
        away = database_away()
        if is_api(request):
            return error_response(away)
        response = error_page(
            request,
            503,
            title=_("Not available just now"),
            message=" ".join(
                (_("The database does not answer. Try again in a few seconds."), _what_became_of_it(request))
            ),
            retry=True,
        )
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    reference = report(exception, path=request.path, method=request.method)
    if is_api(request):
        return error_response(internal_error(reference))
    return error_page(
        request,
        500,
        title=_("Something broke on our side"),
        message=f"{_what_became_of_it(request)} {_('When you report it, give this reference.')}",
        reference=reference,
        retry=True,
    )
