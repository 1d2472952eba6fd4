"""A file that is read under a watch: many lines may say nothing, and nobody could stop their reader meanwhile."""

import io
from collections.abc import Callable
from typing import BinaryIO

# Of what is slowest to read, so much takes a fraction of a second.
_PIECE = 64 * 1024


class Stopped(Exception):
    """Whoever watches had enough of it."""


def watched(stream: BinaryIO, goes_on: Callable[[int], bool]) -> BinaryIO:
    """The same bytes. The given stream stays open when this one goes.

    Args:
        goes_on: asked before each piece with the bytes until there; when it says no, reading raises :class:`Stopped`.
    """
    return io.BufferedReader(_Watched(stream, goes_on), _PIECE)


class _Watched(io.RawIOBase):
    def __init__(self, stream: BinaryIO, goes_on: Callable[[int], bool]) -> None:
        super().__init__()
        self._stream = stream
        self._goes_on = goes_on

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if not self._goes_on(self._stream.tell()):
            raise Stopped
        read = self._stream.read(len(buffer))
        buffer[: len(read)] = read
        return len(read)
