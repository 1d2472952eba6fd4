"""The folder of an index on disk: its marker, its lock, how it comes and goes.

``<folder>/`` holds the files of the index and ``index_epoch``; ``<folder>.lock`` lies beside it, so that
dropping the folder does not drop the lock somebody holds.
"""

import contextlib
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pawflow_web.lib.search.schema import Schema

MARKER = "index_epoch"
META = "meta.json"
BROKEN = "broken"


class IndexWriteError(Exception):
    """The index cannot take this batch now. Nothing of it is visible; reads go on."""


class Busy(IndexWriteError):
    """Another process writes this index."""


class Moved(IndexWriteError):
    """The index does not stand where the batch begins: read its watermark again and start from there."""


class Unwritable(IndexWriteError):
    """The folder cannot be written (disk full, permissions, dropped meanwhile)."""


@dataclass(frozen=True, slots=True)
class Marker:
    """What a folder was built as. ``generation`` differs for every folder ever created."""

    name: str
    version: int
    epoch: int
    generation: str

    def serves(self, schema: Schema, epoch: int) -> bool:
        return (self.name, self.version) == (schema.name, schema.version) and self.epoch >= epoch


def read_marker(folder: Path) -> Marker | None:
    try:
        return Marker(**json.loads((folder / MARKER).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def stat_meta(folder: Path) -> os.stat_result | None:
    """What tells one commit from the next; None where there is nothing to read."""
    try:
        return None if (folder / BROKEN).exists() else (folder / META).stat()
    except OSError:
        return None


def create(folder: Path, schema: Schema, epoch: int) -> Marker:
    """An empty private folder with its marker; whatever was there before is gone. Raises :class:`OSError`."""
    drop(folder)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700)
    marker = Marker(schema.name, schema.version, epoch, secrets.token_hex(8))
    handle = os.open(folder / MARKER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(asdict(marker), file)
    return marker


def drop(folder: Path) -> None:
    """Take the folder away. The rename makes it unreadable at once, for other processes and for a writer in
    the middle of a batch too; what an interrupted removal left behind goes with it."""
    _set_aside(folder)
    _sweep(folder)


def replace(folder: Path, by: Path) -> None:
    """Put ``by`` in the place of ``folder``, which is gone afterwards. Raises :class:`OSError`."""
    _set_aside(folder)
    by.rename(folder)
    _sweep(folder)


def _set_aside(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        folder.rename(folder.with_name(f"{folder.name}.gone-{secrets.token_hex(4)}"))


def _sweep(folder: Path) -> None:
    for left in folder.parent.glob(f"{folder.name}.gone-*"):
        shutil.rmtree(left, ignore_errors=True)


def make_private(folder: Path) -> None:
    """The library creates files as the umask says; ours are for their owner alone. A folder that somebody has dropped
    meanwhile needs nothing."""
    try:
        found = os.scandir(folder)
    except FileNotFoundError:
        return
    with found as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_mode & 0o077:
                    Path(entry.path).chmod(0o600)


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file of its own; the system frees it when the process dies.
    Raises :class:`Busy` at once when somebody else holds it, :class:`Unwritable` when it cannot be made."""
    handle = _lock(path)
    try:
        yield
    finally:
        os.close(handle)


def _lock(path: Path) -> int:
    while True:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue  # the parent went away between the two calls
        except OSError as error:
            raise Unwritable(f"{path.name}: {error.strerror}") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_ino == path.stat().st_ino:
                return handle
        except BlockingIOError:
            os.close(handle)
            raise Busy(f"{path.name} is held by another process") from None
        except FileNotFoundError:
            pass
        os.close(handle)  # the file was replaced under us: lock the one that is there now
