"""Putting a context together: every block within its own deadline, a failure alone.

A statement that takes too long is ended by the database. Python that takes too long cannot be: its result is dropped
and the answer comes that much later. So builders ask the database and do little else.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

import structlog
from django.db import DatabaseError, connection, transaction

from pawflow_web.lib.blocks import ORDER, Ask, Block, Built, Content, fitted, registry
from pawflow_web.lib.db import statement_deadlines

log = structlog.get_logger(__name__)

Reason = Literal["error", "deadline", "budget", "frozen"]

_BETWEEN = "\n\n"
_QUERY_CANCELED = "57014"


@dataclass(frozen=True, slots=True)
class Assembled:
    """``built`` in the order in which they are sent; ``omitted`` says which blocks are missing, and why."""

    built: tuple[Built, ...]
    omitted: tuple[tuple[str, Reason], ...]
    budget: int

    @property
    def system(self) -> str:
        """What seldom changes: for the beginning of a prompt."""
        return self._joined("system")

    @property
    def text(self) -> str:
        """What changes: for the person's latest turn."""
        return self._joined("turn")

    @property
    def chars(self) -> int:
        """Code points of both parts as far as they share the budget: never above it."""
        parts: list[list[Built]] = [[], []]
        for one in self.built:
            parts[one.block.place == "turn"].append(one)
        return sum(_length(part) for part in parts)

    def _joined(self, place: str) -> str:
        return _BETWEEN.join(one.text for one in self.built if one.block.place == place)


def assemble(
    ask: Ask,
    *,
    budget: int,
    kept: Mapping[str, Content] | None = None,
    without: Mapping[str, Reason] | None = None,
    only: Collection[str] = (),
    patient: bool = False,
) -> Assembled:
    """Every registered block that has something to say, in at most ``budget`` characters.

    Args:
        kept: contents that stand in place of what the builders of these blocks would say.
        without: blocks that are not asked, with the reason to name.
        only: the blocks that are asked; where none is named, all are.
        patient: whether builders may take as long as they like; for whoever asks what an agent could be shown.
    """
    kept, omitted = kept or {}, dict(without or {})
    built: list[Built] = []
    with statement_deadlines() as allow:
        for block in registry.by_priority():
            if block.name in omitted or (only and block.name not in only):
                continue
            allow(None if patient or block.name in kept else block.deadline_ms)
            started = time.perf_counter()
            content = _outcome(block, ask, kept.get(block.name), patient=patient)
            if content is None:
                continue
            if not isinstance(content, Content):
                omitted[block.name] = content
                continue
            one = fitted(block, content, _room(block, budget, built))
            if one is None:
                omitted[block.name] = "budget"
                continue
            built.append(replace(one, took_ms=(time.perf_counter() - started) * 1000))
            ask = replace(ask, shown=ask.shown.union(line.item for line in one.content.lines()))
    built.sort(key=lambda one: ORDER.index(one.name))
    return Assembled(tuple(built), tuple(omitted.items()), budget)


def _outcome(block: Block, ask: Ask, kept: Content | None, *, patient: bool) -> Content | Reason | None:
    """What the block says, None for nothing, or why it is left out."""
    if kept is not None:
        return kept
    started = time.monotonic()
    try:
        with _contained():
            content = block.build(ask)
    except Exception as error:
        canceled = isinstance(error, DatabaseError) and getattr(error.__cause__, "sqlstate", "") == _QUERY_CANCELED
        log.warning("block_failed", block=block.name, error=type(error).__name__, exc_info=not canceled)
        return "deadline" if canceled else "error"
    took_ms = (time.monotonic() - started) * 1000
    if took_ms > block.deadline_ms and not patient:
        log.warning("block_slow", block=block.name, took_ms=round(took_ms, 1), deadline_ms=block.deadline_ms)
        return "deadline"
    return content


@contextmanager
def _contained() -> Iterator[None]:
    """A failed statement spoils the transaction it stands in. Without one each statement stands alone, and a
    savepoint would cost two more a block."""
    if not connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        yield


def _room(block: Block, budget: int, built: Sequence[Built]) -> int:
    """How long the block may be: its cap, and what the blocks before it have left of the budget."""
    left = budget
    for place in ("system", "turn"):
        same = [one for one in built if one.block.place == place]
        left -= _length(same)
        if place == block.place and any(one.content.counted for one in same):
            left -= len(_BETWEEN)
    return left if block.cap is None else min(left, block.cap)


def _length(built: Sequence[Built]) -> int:
    """Of these in one part, with what stands between them."""
    counted = [one.chars for one in built if one.content.counted]
    return sum(counted) + len(_BETWEEN) * max(0, len(counted) - 1)
