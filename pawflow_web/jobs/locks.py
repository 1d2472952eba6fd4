"""Advisory locks of the database: held by a connection, gone with it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection

from pawflow_web.lib.db import execute


@contextmanager
def drain_lock(kind: str) -> Iterator[bool]:
    """Whether this connection now holds the one lock of ``kind``; never waits. Opening a connection for it
    would cost more than most slices do, so it lies on the connection that the drain itself uses."""
    name = f"pawflow drain {kind}"
    held = bool(execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])[0][0])
    try:
        yield held
    finally:
        if held:
            _unlock(name)


def _unlock(name: str) -> None:
    try:
        execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
    except DatabaseError:
        connection.close()  # ends the session, and with it whatever it still holds
