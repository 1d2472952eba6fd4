"""Files that wait on this machine for the worker: in the data directory, readable by nobody else, deleted after."""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from pawflow_web.lib.errors import TooLarge, Unavailable

# What is taken in. How much of it the worker can bring depends on what is in it: see docs/imports.md.
UPLOAD_MOST = 2**30
_TOKEN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Upload:
    """``token`` names the file; it is what a row may keep of it."""

    token: str
    sha256: str
    size: int

    @property
    def path(self) -> Path:
        return path_of(self.token)


def uploads_dir() -> Path:
    return settings.ENV.data_dir / "uploads"


def path_of(token: str) -> Path:
    """Raises :class:`ValueError` for what names no upload."""
    if not _TOKEN.fullmatch(token):
        raise ValueError("this names no upload")
    return uploads_dir() / token


def save(chunks: Iterable[bytes], *, most: int = UPLOAD_MOST) -> Upload:
    """Keep what comes in as a file of mode 0600.

    Raises:
        TooLarge: it is more than ``most`` bytes.
        Unavailable: the disk takes no more.
    """
    token = secrets.token_hex(16)
    folder = uploads_dir()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        handle = os.open(folder / token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                size += len(chunk)
                if size > most:
                    raise TooLarge(f"The file is larger than {most // 2**20:,} MiB.")
                digest.update(chunk)
                file.write(chunk)
    except OSError as error:
        discard(token)
        raise Unavailable(f"The file cannot be kept: {error.strerror or 'writing failed'}.") from error
    except BaseException:
        discard(token)
        raise
    return Upload(token, digest.hexdigest(), size)


def discard(token: str) -> None:
    with suppress(FileNotFoundError, ValueError):
        path_of(token).unlink()


def kept() -> dict[str, float]:
    """What lies on this machine: token -> its age in seconds."""
    ages = {}
    with suppress(FileNotFoundError):
        for entry in os.scandir(uploads_dir()):
            if _TOKEN.fullmatch(entry.name):
                with suppress(FileNotFoundError):
                    ages[entry.name] = time.time() - entry.stat().st_mtime
    return ages
