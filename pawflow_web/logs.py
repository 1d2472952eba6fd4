"""Structured logs on standard error. They carry references, names and counts, never stored text."""

import logging
import sys
import traceback
from collections.abc import Iterator

import structlog


def configure_logging(*, debug: bool) -> None:
    """Send structlog and the standard library's records to standard error, one line each."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderer = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()) if debug else structlog.processors.JSONRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.ExceptionRenderer(traceback_text),
                renderer,
            ],
        )
    )
    handler.addFilter(_refusal_in_one_line)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO if debug else logging.WARNING)
    # A refused host or a 404 is an answer, not an event: no line, and above all no traceback, for each.
    logging.getLogger("django.security.DisallowedHost").setLevel(logging.CRITICAL)
    # Its lines hold the path, and the path of a sign-in link is a way in.
    logging.getLogger("django.security.csrf").setLevel(logging.CRITICAL)
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    # The MCP SDK would say twice for each call that a session began and ended.
    logging.getLogger("mcp").setLevel(logging.WARNING)


def _refusal_in_one_line(record: logging.LogRecord) -> bool:
    """A request that Django thinks suspicious was refused, and nothing broke. What it says of it quotes the request."""
    name = record.name.removeprefix("django.security.")
    if name != record.name:
        record.msg, record.args = "request_refused: %s", (name,)
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True


def traceback_text(exc_info: "structlog.typing.ExcInfo") -> str:
    """The traceback without what the database quotes: its details hold whole rows, with what people wrote."""
    text = "".join(traceback.format_exception(*exc_info)).rstrip("\n")
    for error in _chain(exc_info[1]):
        diagnosis = getattr(error, "diag", None)
        if diagnosis is not None:
            text = text.replace(str(error), diagnosis.message_primary or type(error).__name__)
    return text


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
