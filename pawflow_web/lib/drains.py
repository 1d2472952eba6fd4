"""Drains: functions that do the work which our own rows say is left, one slice at a time.

``<app>/tasks.py`` registers them. A drain is idempotent, can be interrupted anywhere and looks at rows alone,
never at how it was called: being woken once too often costs a query, being woken too late costs seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pawflow_web.lib.registry import Registry

Where = Literal["cluster", "worker", "node"]

# ``deadline`` is a moment of ``time.monotonic()`` by which the slice should end. True: there is more to do.
Slice = Callable[[float], bool]


@dataclass(frozen=True, slots=True)
class Drain:
    """``cluster``: at most one runs in the whole installation at a time. ``worker``: the same on each machine, since
    what it works on lies on that machine's disk. ``node``: also where a machine has no worker, in a thread of its
    web process, since what it keeps up to date lies there."""

    kind: str
    where: Where
    run: Slice


class DrainRegistry(Registry[Drain]):
    def kinds(self, where: Where) -> list[str]:
        """In the order in which they came."""
        return [drain.kind for drain in self.all() if drain.where == where]


registry = DrainRegistry("drain")


def lock_of(kind: str) -> str:
    """The name of the advisory lock that a slice of this kind runs under, where ``where`` is ``cluster``; each
    ``worker`` adds its node."""
    return f"pawflow drain {kind}"


def drain(kind: str, *, where: Where = "cluster") -> Callable[[Slice], Slice]:
    """Register a function as the drain of ``kind``, the word that ``wake`` of the jobs app takes."""
    if not kind.isascii() or not kind.replace("_", "").isalnum() or len(kind) > 40:
        raise ValueError(f"{kind!r} is no name for a drain: ASCII letters, digits and _, at most 40.")

    def register(function: Slice) -> Slice:
        registry.add(kind, Drain(kind, where, function))
        return function

    return register
