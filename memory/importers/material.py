"""What is imported: one file, or the notes of a folder, in an order that is always the same."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memory.importers.formats.detection import detect, require_layout
from memory.importers.formats.registry import MARKDOWN, Format, format_called
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.text import clean

NAME_MOST = 255
_CHUNK = 2**20
# Beyond it somebody named the wrong folder.
FILES_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """One file. ``name`` stands in the evidence, ``within`` is its place in the folder that was named, if one was."""

    name: str
    open: Callable[[], AbstractContextManager[BinaryIO]]
    within: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """All of it, with the digest by which it is known again."""

    name: str
    form: Format
    sha256: str
    parts: tuple[Part, ...]


def material_of_stream(format_name: str, stream: BinaryIO, name: str, *, sha256: str = "") -> Material:
    """One file that is open and stays so.

    Args:
        sha256: its digest where it is known already.

    Raises :class:`Invalid` for a format that is not read, and for a file of another one.
    """
    form = format_called(format_name)
    if form is None:
        form = detect(stream)
    else:
        require_layout(form, stream)
    stream.seek(0)
    digest = sha256 or _sha256(stream)
    name = shown_name(name)
    return Material(name, form, digest, (Part(name, lambda: nullcontext(stream)),))


@contextmanager
def opened(format_name: str, path: Path) -> Iterator[Material]:
    """The file or folder at ``path``. One handle of a file for the whole run: when it is replaced meanwhile, that
    does not matter.

    Raises:
        NotFound: there is none.
        Invalid: it is of another format, or a folder where the format takes none.
    """
    shown = ascii(str(path))[:200]
    if not path.exists():
        raise NotFound(f"There is no file {shown}.", fields={"path": "must be a file that can be read"})
    if path.is_dir():
        yield _folder(format_name, path)
        return
    if not path.is_file():
        raise Invalid(f"{shown} is not a file.", fields={"path": "must be a file that can be read"})
    with path.open("rb") as stream:
        yield material_of_stream(format_name, stream, path.name)


def shown_name(name: str) -> str:
    """A file's own name, in characters that can be stored and shown."""
    return clean(os.fsencode(name).decode("utf-8", "replace"))[:NAME_MOST]


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


# --- folders ----------------------------------------------------------------------------------------------------


def _folder(format_name: str, folder: Path) -> Material:
    form = format_called(format_name) or MARKDOWN
    if not form.endings:
        raise Invalid(
            f"{ascii(str(folder))[:200]} is not a file; only {MARKDOWN.name} is read from a folder.",
            fields={"path": "must be a file that can be read"},
        )
    found = list(_files(folder, form.endings))
    digest = hashlib.sha256()
    parts = []
    for path in found:
        within = shown_name(path.relative_to(folder).as_posix())
        with path.open("rb") as stream:
            require_layout(form, stream)
            stream.seek(0)
            digest.update(f"{within}\0{_sha256(stream)}\n".encode())
        parts.append(Part(within, _opener(path), within))
    return Material(shown_name(folder.resolve().name), form, digest.hexdigest(), tuple(parts))


def _opener(path: Path) -> Callable[[], AbstractContextManager[BinaryIO]]:
    return lambda: path.open("rb")


def _files(folder: Path, endings: tuple[str, ...]) -> Iterable[Path]:
    """By name. Hidden files and folders (settings, bins, version control) and links are passed over, and so
    is what would keep its reader waiting: pipes, sockets, devices."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        paths = [Path(parent, name) for name in names if not name.startswith(".") and name.lower().endswith(endings)]
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if len(found) > FILES_MOST:
            raise Invalid(
                f"There are more than {FILES_MOST:,} files in this folder.", fields={"path": "holds too many files"}
            )
    return sorted(found, key=lambda path: shown_name(path.relative_to(folder).as_posix()))
