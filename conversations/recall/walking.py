"""A session as a stream of its records: for programs that read all of it."""

import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse

from conversations.models import Session
from conversations.recall.answering import lineage_of
from conversations.recall.coverage import CodedError
from conversations.recall.expanding import record_of
from conversations.recall.places import by_chunk, entry_count
from conversations.recall.scopes import find_session
from conversations.sessions.reading import entries_of
from pawflow_web.identity.call import Call
from pawflow_web.web.streaming import streamed


def walk(
    request: HttpRequest, call: Call, name: str, branches: str, first: int | None, last: int | None
) -> StreamingHttpResponse:
    """NDJSON: the records from ``first`` to ``last``, both inclusive, then ``{"type": "end", "visited": n}`` or
    ``{"type": "error", "error": …}``."""
    lines = streamed(request, _lines(call, name, branches, first, last))
    return StreamingHttpResponse(lines, content_type="application/x-ndjson")


def _lines(call: Call, name: str, branches: str, first: int | None, last: int | None) -> Iterator[str]:
    visited = 0
    try:
        for record in _records(call, name, branches, first, last):
            visited += 1
            yield _line(record)
    except CodedError as error:
        yield _line({"type": "error", "error": error.value})
    else:
        yield _line({"type": "end", "visited": visited})


def _records(call: Call, name: str, branches: str, first: int | None, last: int | None) -> Iterator[dict[str, Any]]:
    session = find_session(Session.objects.visible_to(call.principal), name)
    count = entry_count(session, branches)
    begin, end = first or 0, count - 1 if last is None else last
    if (first is not None or last is not None) and not 0 <= begin <= end < count:
        raise CodedError("index_out_of_bounds", f"The session has {count} entries.", entryCount=count)
    seen = _version(session, branches)
    for chunk, heads, numbers in by_chunk(session, branches, frozenset(range(begin, end + 1))):
        _require_same(_version(chunk.session, branches), seen)
        for placed in entries_of(chunk.session, chunk, heads, numbers):
            yield record_of(numbers[placed.place], placed.entry)
    # A branch that became shorter ends early.
    now = Session.objects.filter(pk=session.pk).first()
    _require_same(_version(now, branches) if now is not None else None, seen)


def _version(session: Session, branches: str) -> tuple[str, str]:
    return session.source_hash, lineage_of(session, branches)


def _require_same(now: tuple[str, str] | None, seen: tuple[str, str]) -> None:
    if now != seen:
        raise CodedError("stale_pointer", "The session changed while it was read. Ask again.")


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
