from pawflow_web.lib.db import execute
from pawflow_web.lib.drains import registry

# Drains that should look; drains that have begun to look (the worker need not remember them any longer).
WAKE_CHANNEL = "pawflow"
STARTED_CHANNEL = "pawflow_started"


def wake(*kinds: str) -> None:
    """Let the drains of these kinds look for work: delivered when the transaction commits, to every node, and not
    at all when it rolls back. Losing it costs at most a tick. Raises LookupError for an unknown kind."""
    for kind in kinds:
        if registry.find(kind) is None:
            raise LookupError(f"No drain is called {kind!r}; a tasks.py of an app must register it.")
    execute("SELECT pg_notify(%s, kind) FROM unnest(%s::text[]) AS kind", [WAKE_CHANNEL, list(kinds)])


def announce_start(kind: str) -> None:
    execute("SELECT pg_notify(%s, %s)", [STARTED_CHANNEL, kind])
