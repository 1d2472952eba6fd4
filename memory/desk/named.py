"""References of tasks and notes, such as ``td_3fa4c1d2e5b6``, and what is said where one leads nowhere."""

from typing import Protocol

from pawflow_web.lib.errors import NotFound, StaleRevision
from pawflow_web.lib.ids import parse_ref


class _Numbered(Protocol):
    revision: int


def ref_of(prefix: str, reference: str) -> str:
    """The 12 digits of a reference with or without its prefix; '' for anything else, which no row has."""
    return parse_ref(reference.strip().removeprefix(prefix)) or ""


def nothing_called(noun: str, reference: str) -> NotFound:
    """The same for what never was, is gone, and is somebody else's."""
    return NotFound(f"There is no {noun} {ascii(reference)[:100]}.")


def require_revision(row: _Numbered, revision: int | None) -> None:
    """Raises :class:`StaleRevision` when ``revision`` is given and the row has another by now."""
    if revision is not None and row.revision != revision:
        raise StaleRevision(
            f"This is revision {row.revision} by now, not {revision}. Read it again, then change it.",
            fields={"revision": row.revision},
        )
