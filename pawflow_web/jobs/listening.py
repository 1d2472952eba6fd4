"""Hearing what commits announce, on a connection of its own."""

import selectors
from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import connections
from psycopg import sql


class Listener:
    """Listens to some channels. Connects when first asked and again after every failure."""

    def __init__(self, channels: Sequence[str]) -> None:
        self._channels = channels
        self._connection: psycopg.Connection[Any] | None = None

    def connect(self) -> None:
        """Listen from now on; what was said before is not heard. Raises :class:`psycopg.OperationalError`."""
        if self._connection is not None:
            return
        parameters = connections["default"].get_connection_params()
        connection = psycopg.connect(
            **{key: value for key, value in parameters.items() if key not in {"cursor_factory", "context"}},
            autocommit=True,
        )
        for channel in self._channels:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        self._connection = connection

    def wait(self, timeout: float, *, also: Sequence[int] = ()) -> list[tuple[str, str]]:
        """``(channel, payload)`` of everything heard, after at most ``timeout`` seconds.

        Returns early, perhaps with nothing, when one of the file descriptors ``also`` can be read.
        Raises :class:`psycopg.OperationalError` when the connection is lost.
        """
        connection = self._connection
        with selectors.DefaultSelector() as selector:
            for readable in [*also, *([connection.fileno()] if connection else [])]:
                selector.register(readable, selectors.EVENT_READ)
            selector.select(timeout)
        heard = connection.notifies(timeout=0) if connection else ()
        return [(notification.channel, notification.payload) for notification in heard]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
