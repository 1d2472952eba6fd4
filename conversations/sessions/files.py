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


@contextmanager
def opened(path: Path) -> Iterator[bytes]:
    """What the file holds now. Raises :class:`OSError`."""
    size = path.stat().st_size
    if size < _MAPPED_FROM:
        yield path.read_bytes()
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        # It is sliced, searched and hashed as bytes are.
        yield cast("bytes", mapped)


@contextmanager
def spooled(pieces: Iterable[bytes], *, most: int) -> Iterator[bytes]:
    """What comes in, by way of a file without a name in the data directory.

    Raises:
        TooLarge: it is more than ``most`` bytes.
        Unavailable: the disk takes no more.
    """
    size = 0
    try:
        with tempfile.NamedTemporaryFile(dir=settings.ENV.data_dir, prefix="session-") as file:
            for piece in pieces:
                size += len(piece)
                if size > most:
                    raise TooLarge(f"The file is larger than {most // 2**20:,} MiB.")
                file.write(piece)
            file.flush()
            with opened(Path(file.name)) as data:
                yield data
    except OSError as error:
        raise Unavailable(f"The file cannot be kept: {error.strerror or 'writing failed'}.") from error
