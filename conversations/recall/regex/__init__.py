"""Regular expressions over whole transcripts: linear in time, in a process that can be killed, within limits.

Patterns are those of RE2 and are found anywhere in a text, in either case. ``.`` stops at the end of a line unless
``(?s)`` is set; ``\\w``, ``\\d`` and ``\\b`` know ASCII alone, ``\\p{L}`` and its like know Unicode.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from conversations.recall.regex.literals import required
from conversations.recall.regex.pool import RegexError, Worker, worker_for_a_query

__all__ = ["Limits", "Matcher", "RegexError", "matching", "required"]


@dataclass(frozen=True, slots=True)
class Limits:
    """``pattern_bytes``: UTF-8. ``timeout_ms``: wall clock from the beginning of a query to its end, the wait for a
    process and its start included. ``memory_bytes``: address space of the process, of which the interpreter takes
    some 30 MiB and RE2 at most a quarter; a batch of texts has to fit in the rest."""

    pattern_bytes: int = 1024
    timeout_ms: int = 250
    memory_bytes: int = 256 * 1024 * 1024


class Matcher:
    """One pattern and the process that holds it."""

    def __init__(self, worker: Worker, deadline: float) -> None:
        self._worker = worker
        self._deadline = deadline

    def matches(self, texts: Sequence[str]) -> list[bool]:
        """Whether the pattern is found in each text, in their order. Half a surrogate pair counts as ``?``.

        Raises :class:`RegexError`: ``regex_timeout`` or ``regex_worker_error``. Nothing more can be asked then.
        """
        return self._worker.match([text.encode(errors="replace") for text in texts], self._deadline) if texts else []


@contextmanager
def matching(pattern: str, limits: Limits) -> Iterator[Matcher]:
    """One query, which may ask about any number of batches of texts.

    Raises :class:`RegexError`: ``regex_pattern_too_large``, ``invalid_regex``, ``regex_timeout`` or
    ``regex_worker_error``.
    """
    deadline = time.monotonic() + limits.timeout_ms / 1000
    encoded = _encoded(pattern, limits)
    with worker_for_a_query(deadline) as worker:
        worker.compile(encoded, deadline, memory_bytes=limits.memory_bytes)
        yield Matcher(worker, deadline)


def _encoded(pattern: str, limits: Limits) -> bytes:
    size = len(pattern.encode(errors="surrogatepass"))
    if size > limits.pattern_bytes:
        message = f"The pattern has {size} bytes; at most {limits.pattern_bytes} are allowed."
        raise RegexError("regex_pattern_too_large", message)
    try:
        return pattern.encode()
    except UnicodeEncodeError as error:
        half = ascii(pattern[error.start])
        raise RegexError("invalid_regex", f"The pattern holds half a character, {half}; write it whole.") from None
