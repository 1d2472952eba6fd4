"""Taking in a folder of session files, or one, from the command line."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conversations.context import find_project
from conversations.models import Project, Session, SourceOrigin
from conversations.sessions.storing import AUTO
from conversations.sessions.watching import files_in, name_of, take_in
from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, DomainError, Invalid, NotFound

ERRORS_SHOWN = 100
_AGAIN = 2


@dataclass(slots=True)
class Taken:
    """What came of it. ``passed_by``: files that hold no session."""

    files: int = 0
    passed_by: int = 0
    sessions: int = 0
    new: int = 0
    changed: int = 0
    entries: int = 0
    bad_lines: int = 0
    errors: list[dict[str, str]] = field(default_factory=list)
    errors_total: int = 0

    def value(self) -> dict[str, Any]:
        return {
            "format": "sessions",
            "files": self.files,
            "passed_by": self.passed_by,
            "sessions": {"all": self.sessions, "new": self.new, "changed": self.changed},
            "entries": self.entries,
            "bad_lines": self.bad_lines,
            "errors": self.errors,
            "errors_total": self.errors_total,
        }


def import_sessions(
    *,
    owner: str,
    path: Path,
    kind: str = AUTO,
    project: str | None = None,
    progress: Callable[[Taken], None] | None = None,
) -> Taken:
    """Keep every session of a file, or of the files in a folder and below. What is there already stays.

    Raises:
        NotFound: there is no such owner or project.
        Invalid: there is nothing to be read at that path.
    """
    user = User.objects.filter(username=owner).first()
    if user is None:
        raise NotFound(f"There is no owner {ascii(owner)[:80]}.")
    principal = principal_of_user(user)
    filed = find_project(principal, project) if project else None
    if not path.exists():
        raise Invalid(f"There is nothing at {ascii(str(path))[:200]}.", fields={"path": "does not exist"})
    taken = Taken()
    for one in files_in(path) if path.is_dir() else [path]:
        taken.files += 1
        before = _known(principal, one)
        try:
            stored = _take_in(principal, one.absolute(), filed, kind)
        except (DomainError, OSError) as error:
            _pass_by(taken, one, error)
        else:
            _count(taken, stored, before)
        if progress is not None:
            progress(taken)
    return taken


def _take_in(principal: Principal, path: Path, project: Project | None, kind: str) -> list[Session]:
    """Where another process takes in the same file at the same moment, what it left is read on."""
    for _ in range(_AGAIN):
        with suppress(Conflict):
            return take_in(principal, path, SourceOrigin.IMPORTED, project, kind)
    return take_in(principal, path, SourceOrigin.IMPORTED, project, kind)


def _known(principal: Principal, path: Path) -> dict[int, str]:
    named = name_of(path.absolute())
    mine = Session.objects.visible_to(principal)
    rows = mine.filter(path=named) | mine.filter(path__startswith=f"{named}#")
    return dict(rows.values_list("pk", "source_hash"))


def _count(taken: Taken, stored: list[Session], before: dict[int, str]) -> None:
    taken.sessions += len(stored)
    taken.new += sum(one.pk not in before for one in stored)
    taken.changed += sum(before.get(one.pk, one.source_hash) != one.source_hash for one in stored)
    taken.entries += sum(one.entries for one in stored)
    taken.bad_lines += sum(one.bad_lines for one in stored)


def _pass_by(taken: Taken, path: Path, error: DomainError | OSError) -> None:
    taken.passed_by += 1
    taken.errors_total += 1
    if len(taken.errors) < ERRORS_SHOWN:
        message = error.message if isinstance(error, DomainError) else error.strerror or "cannot be read"
        taken.errors.append({"file": str(path), "message": message})
