"""The log that the indexes of entries follow: numbers of the owner's clock, and word of them to every node."""

from pawflow_web.identity.clock import Clock
from pawflow_web.jobs.services import wake

INDEX_DRAIN = "entries_index"


def next_numbers(clock: Clock, count: int = 1) -> range:
    """Numbers for so many changes of sessions, while the owner's clock is held; whoever indexes hears of them when they
    are committed."""
    if "sessions" not in clock.companions:
        clock.companions["sessions"] = True
        clock.before_commit.append(lambda: wake(INDEX_DRAIN))
    return clock.next_changes(count)
