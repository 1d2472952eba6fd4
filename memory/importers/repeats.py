"""Which words a dry run has met before, for files of any size."""

import sqlite3
from types import TracebackType
from typing import Self


class Repeats:
    """A set of keys in a temporary file of its own that vanishes with it; memory stays at a few megabytes."""

    def __enter__(self) -> Self:
        self._store = sqlite3.connect("")
        self._store.execute("CREATE TABLE met (key TEXT PRIMARY KEY) WITHOUT ROWID")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def add(self, key: str) -> bool:
        """Put it in. Returns whether it is new."""
        return self._store.execute("INSERT OR IGNORE INTO met VALUES (?)", (key,)).rowcount == 1
