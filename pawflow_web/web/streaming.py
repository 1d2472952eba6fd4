"""Long answers, part by part."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest


def streamed(request: HttpRequest, parts: Iterator[str]) -> Iterator[str] | AsyncIterator[str]:
    """The parts in the form the server takes them in. Under ASGI a plain iterator would be collected whole,
    in memory, before the first byte leaves."""
    return _asynchronous(parts) if isinstance(request, ASGIRequest) else parts


async def _asynchronous(parts: Iterator[str]) -> AsyncIterator[str]:
    step = sync_to_async(lambda: next(parts, None))
    while (part := await step()) is not None:
        yield part
