"""Files as bytes, without having all of a large one in memory."""

import mmap
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from django.conf import settings

from pawflow_web.lib.errors import TooLarge, Unavailable

# A smaller file is read at once.
_MAPPED_FROM = 8 * 2**20
_PIECE = 2**20


@contextmanager
def opened(path: Path) -> Iterator[bytes]:
    """What the file holds now. Raises :class:`OSError`."""
    with path.open("rb") as file, _nameless() as copy:
        # A file of somebody else is never mapped: one that is cut off while it is read would end the process.
        while piece := file.read(_PIECE):
            copy.write(piece)
        with _bytes_of(copy) as data:
            yield data


@contextmanager
def spooled(pieces: Iterable[bytes], *, most: int) -> Iterator[bytes]:
    """What comes in, by way of a file without a name in the data directory.

    Raises:
        TooLarge: it is more than ``most`` bytes.
        Unavailable: the disk takes no more.
    """
    size = 0
    try:
        with _nameless() as file:
            for piece in pieces:
                size += len(piece)
                if size > most:
                    raise TooLarge(f"The file is larger than {most // 2**20:,} MiB.")
                file.write(piece)
            with _bytes_of(file) as data:
                yield data
    except OSError as error:
        raise Unavailable(f"The file cannot be kept: {error.strerror or 'writing failed'}.") from error


def _nameless() -> "tempfile.SpooledTemporaryFile[bytes]":
    """A file that is gone with its process, however that ends; a small one is none at all."""
    return tempfile.SpooledTemporaryFile(_MAPPED_FROM, "w+b", dir=str(settings.ENV.data_dir))


@contextmanager
def _bytes_of(file: "tempfile.SpooledTemporaryFile[bytes]") -> Iterator[bytes]:
    size = file.tell()
    if size <= _MAPPED_FROM:
        file.seek(0)
        yield file.read()
        return
    file.flush()
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        # It is sliced, searched and hashed as bytes are.
        yield cast("bytes", mapped)
