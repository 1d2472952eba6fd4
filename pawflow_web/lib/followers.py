"""What follows a write: done after a tool has written something, whichever tool it was.

An app registers here what has to know that a caller goes on working. It comes after the write, costs it nothing where
it has nothing to do, and cannot fail it.
"""

from collections.abc import Callable
from typing import Any

import structlog

from pawflow_web.lib.registry import Registry

log = structlog.get_logger(__name__)

# Given the call. What it asks of the database stands in an ``atomic`` of its own: a write may be part of another
# transaction, which a statement that failed would spoil.
Follower = Callable[[Any], None]

followers: Registry[Follower] = Registry("follower of a write")


def after_write(name: str) -> Callable[[Follower], Follower]:
    """Register a function as a follower."""

    def register(follow: Follower) -> Follower:
        followers.add(name, follow)
        return follow

    return register


def follow_up(call: Any) -> None:
    """Run them all; a failure is logged."""
    for name, follow in followers.items():
        try:
            follow(call)
        except Exception:
            log.exception("follower_failed", follower=name)
