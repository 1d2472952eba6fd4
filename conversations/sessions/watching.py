"""Folders of session files: a walk through one for the command line, and those that the worker reads by itself."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog
from django.conf import settings

from conversations.models import Project, Session, SessionGone, SourceOrigin
from conversations.services.deleting import delete_conversation
from conversations.sessions.files import opened
from conversations.sessions.storing import AUTO, Source, digest_of, store_source
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError
from pawflow_web.lib.text import whole

log = structlog.get_logger(__name__)

SUFFIXES = frozenset({".jsonl", ".json"})
# A tree that is deeper is none of sessions.
_DEEPEST = 8
# Unchanged files that are read again at each look: one that was rewritten within its size and time is found so.
_LOOKED_AGAIN = 5
UNAVAILABLE = "source_unavailable"

Stamp = tuple[int, int, int]


@dataclass(slots=True)
class _Seen:
    """What this process took in. ``turn``: from which file on the next are looked at again. ``missing``: folders of
    which that was said."""

    stamps: dict[Path, Stamp] = field(default_factory=dict)
    turn: int = 0
    missing: set[Path] = field(default_factory=set)


_seen = _Seen()


def files_in(folder: Path) -> Iterator[Path]:
    """The files of sessions in a folder and below, without following links, in the order of their names."""
    for here, folders, names in os.walk(folder):
        if len(Path(here).relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
        folders.sort()
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path


def name_of(path: Path) -> str:
    """What a file is called here; bytes of its name that are no text cannot be kept."""
    return whole(str(path))


def take_in(
    principal: Principal, path: Path, origin: SourceOrigin, project: Project | None = None, kind: str = AUTO
) -> list[Session]:
    """Keep what a file holds. Raises :class:`DomainError` and :class:`OSError`."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    with opened(path) as data:
        source = Source(name_of(path), data, kind, mtime=changed, origin=origin)
        return store_source(principal=principal, source=source, project=project)


def look(deadline: float) -> bool:
    """Take in what is new in the folders of the settings, for the owner of this installation; what went from there goes
    here at the second look."""
    folders = [folder for folder in settings.ENV.sessions_dirs if _is_there(folder)]
    user = User.objects.filter(username=settings.ENV.owner).first() if folders else None
    if user is None:
        return False
    principal = principal_of_user(user)
    for folder in folders:
        found = list(files_in(folder))
        for path in _changed(found):
            if time.monotonic() > deadline:
                return True
            _follow(principal, path)
        _let_go(principal, folder, found)
    return False


def _is_there(folder: Path) -> bool:
    if folder.is_dir():
        _seen.missing.discard(folder)
        return True
    if folder not in _seen.missing:
        _seen.missing.add(folder)
        log.warning("sessions_folder_not_there", folder=str(folder))
    return False


def _changed(found: Sequence[Path]) -> Iterator[Path]:
    again = {found[(_seen.turn + n) % len(found)] for n in range(min(_LOOKED_AGAIN, len(found)))}
    _seen.turn += _LOOKED_AGAIN
    for path in found:
        try:
            stamp = _stamp(path)
        except OSError:
            continue
        if _seen.stamps.get(path) != stamp or path in again:
            yield path


def _stamp(path: Path) -> Stamp:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _follow(principal: Principal, path: Path) -> None:
    try:
        stamp = _stamp(path)
        take_in(principal, path, SourceOrigin.WATCHED)
        _seen.stamps[path] = stamp
    except DomainError as error:
        # It is no session, or another process was first: looked at again when it changes.
        log.info("session_file_passed_by", code=error.code)
        _seen.stamps[path] = stamp
    except OSError as error:
        log.warning("session_file_unreadable", error=error.strerror)


def _let_go(principal: Principal, folder: Path, found: Sequence[Path]) -> None:
    """Sessions whose files went, unless they may be away with their folder."""
    if not found or settings.ENV.recall.keep_deleted_sources:
        return
    there = {name_of(path) for path in found}
    mine = Session.objects.visible_to(principal).filter(
        origin=SourceOrigin.WATCHED, path__startswith=f"{name_of(folder)}/"
    )
    for session in mine.select_related("conversation"):
        is_there, was_gone = not there.isdisjoint(_files_of(session.path)), UNAVAILABLE in session.reasons
        if not is_there and was_gone:
            if not _away(folder, session.path):
                delete_conversation(principal=principal, conversation=session.conversation)
                # Its file may come back, and then it does.
                SessionGone.objects.filter(user_id=principal.user_id, path_digest=digest_of(session.path)).update(
                    path_digest=""
                )
        elif is_there == was_gone:
            # It went, or it came back: the other way round from now on.
            reasons = {*session.reasons} ^ {UNAVAILABLE}
            Session.objects.filter(pk=session.pk).update(reasons=sorted(reasons))


def _away(folder: Path, session: str) -> bool:
    """Whether a file is more likely out of reach than gone: a link leads to it, or the nearest folder above it that is
    there is empty, as one that is not mounted, or cannot be read."""
    for name in _files_of(session):
        way = [one for one in (Path(name), *Path(name).parents) if folder in one.parents]
        here = next((one for one in way if os.path.lexists(one)), folder)
        try:
            if any(one.is_symlink() for one in way) or (here.is_dir() and not any(here.iterdir())):
                return True
        except OSError:
            return True
    return False


def _files_of(path: str) -> Iterator[str]:
    """The files that a session of this path may be of: the names of files and of parts may hold a ``#`` themselves."""
    pieces = path.split("#")
    return ("#".join(pieces[:number]) for number in range(1, len(pieces) + 1))
