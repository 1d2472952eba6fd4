"""What a reader of a file hands to the import, one after another and in the file's order."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """Words of a record that are to become a belief.

    ``quote`` is the passage of the file they stand for. With a ``fault`` (code, sentence) they are no words at
    all and count as invalid.

    Args:
        since: the ISO date or month that the file gives for them; they hold from then on.
        uncertain: the file itself says that it is not sure.
    """

    text: str
    quote: str = ""
    tags: tuple[str, ...] = ()
    fault: tuple[str, str] | None = None
    category: str = ""
    since: str = ""
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """Two names of a record and how they are related, which are to become a fact of the graph."""

    subject: str
    predicate: str
    object: str

    @property
    def quote(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


Said = Note | Relation


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a known kind. ``notes`` are what it says; they may be lazy and are gone through once."""

    line: int
    kind: str
    notes: Iterable[Said] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A good record of a kind that this format does not know."""

    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A place that could not be read. ``message`` is ASCII and holds nothing of the file."""

    line: int
    code: str
    message: str


Read = Record | Skipped | Broken
