"""Any exception as the one error that the surfaces answer with."""

import structlog
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404

from pawflow_web.lib.errors import DomainError, NotFound, TooLarge
from pawflow_web.web.errors import database_away, internal_error, report

log = structlog.get_logger(__name__)


def failure_of(exception: BaseException, **context: object) -> DomainError:
    """What the caller may know of ``exception``; whatever nobody foresaw is logged and becomes a reference.

    Args:
        context: names and counts for the log line, never stored text.
    """
    if isinstance(exception, DomainError):
        return exception
    if isinstance(exception, RequestDataTooBig):
        return TooLarge("The body is larger than 2 MiB.")
    if isinstance(exception, Http404):
        return NotFound()
    if isinstance(exception, OperationalError | InterfaceError):
        # A pool without a free connection and a cancelled statement arrive as these two as well.
        log.error("database_away", error=type(exception).__name__, **context)
        return database_away()
    return internal_error(report(exception, **context))
