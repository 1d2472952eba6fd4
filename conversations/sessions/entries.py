"""The one form that every session takes, whatever product wrote it.

A *source* is bytes, kept as they came. It is cut into *records*, each of which can be read again by its place alone.
A *reader* turns each record into *entries*: what a search finds and a person reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

# Kinds of what was passed by that are counted each by itself.
KINDS_MOST = 100
OTHER_KINDS = "other"


@dataclass(frozen=True, slots=True)
class Policy:
    """What becomes text. It changes no number of entries, only their words."""

    thinking: bool = False
    tool_output: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """One parsed piece of a source. ``start`` and ``end`` are bytes of the source, the end exclusive; ``ordinal``
    counts the records of a source from 0."""

    ordinal: int
    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Bad:
    """Bytes that hold no record. ``code``: ``bad_json``, ``not_an_object`` or ``too_deep``."""

    start: int
    end: int
    code: str


@dataclass(frozen=True, slots=True)
class Node:
    """The place of a record in the tree of its session. ``clings``: it is on every branch that its parent is on, as the
    answer of one of several tools that were called at once."""

    id: str
    parent: str | None
    clings: bool = False


@dataclass(slots=True)
class Entry:
    """One thing that was said or done. Names that are not there are None.

    ``child`` numbers the entries that a record could give from 0, so that one of them is found again when the record
    is read alone. ``timestamp`` is milliseconds since 1970. ``prose``: the own words of a person or an assistant, which
    a machine-made message of the role user is not. ``calls``: the calls of tools in it, or those it answers, with the
    names of the tools.
    """

    ordinal: int
    start: int
    end: int
    child: int
    type: str
    role: str | None
    text: str
    entry_id: str | None = None
    parent_id: str | None = None
    tool: str | None = None
    timestamp: int | None = None
    is_error: bool = False
    prose: bool = False
    paths: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    ref: str | None = None
    provider: str | None = None
    action: str | None = None
    outcome: str | None = None
    parent_entry_id: str | None = None
    operation_address: str | None = None
    operation: dict[str, Any] | None = None
    branch_fact: dict[str, Any] | None = None
    fact_address: str | None = None
    carrier_entry_id: str | None = None
    carrier_parent_id: str | None = None
    carrier_from_id: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What a record gives: its place in the tree, if it takes part, and its entries."""

    node: Node | None = None
    entries: Sequence[Entry] = ()


@dataclass(slots=True)
class State:
    """What reading has come to know, kept so that it can go on where it stopped. Plain JSON.

    ``leaf``: the end of the active branch where the source names one; otherwise it is the last node. ``parent``: the
    id or the path of the session that this one was begun from. ``reasons``: why what is read here is not all that
    there was. ``skipped``: what was passed by, by its kind.
    """

    session_id: str = ""
    cwd: str = ""
    title: str = ""
    started: int | None = None
    parent: str = ""
    agent: str = ""
    leaf: str | None = None
    previous: str | None = None
    calls: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    # what one format keeps for itself
    own: dict[str, Any] = field(default_factory=dict)

    def skip(self, kind: str) -> None:
        """Count a record that gives nothing. Of a source that makes up kinds without end the later ones are one."""
        known = len(self.skipped) < KINDS_MOST or kind[:80] in self.skipped
        name = kind[:80] if known else OTHER_KINDS
        self.skipped[name] = self.skipped.get(name, 0) + 1

    def because(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Self:
        return cls(**kept)


class Reader(ABC):
    """Reads the records of one session in their order. It never raises for what a record holds.

    To read one record again, a reader is made with a state whose ``calls`` are those of its entries; it then gives the
    same entries with the same numbers ``child``.
    """

    def __init__(self, policy: Policy, state: State | None = None) -> None:
        self.policy = policy
        self.state = state or State()

    @abstractmethod
    def read(self, record: Record) -> Read:
        """The place of the record in the tree, and its entries."""


@dataclass(frozen=True, slots=True)
class Part:
    """One session of a source that holds several: its own bytes, by place. ``name`` tells it from the others."""

    name: str
    start: int
    end: int


class Format(ABC):
    """How one product keeps its sessions."""

    kind: ClassVar[str]
    # A source that only grows: read on from where reading stopped.
    appends: ClassVar[bool] = True

    @abstractmethod
    def claims(self, sample: Sequence[Any]) -> bool:
        """Whether a source whose first JSON values these are is of this format. Told by structure alone."""

    @abstractmethod
    def reader(self, policy: Policy, state: State | None = None) -> Reader: ...

    def parts(self, source: bytes) -> Sequence[Part]:
        """The sessions of a source."""
        return [Part("", 0, len(source))]

    @abstractmethod
    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        """The records of one session from a byte on, in their order; ``begin`` is where a record begins, and the
        first gets ``ordinal``. What may be the beginning of a record stands unfinished at the end of a source that
        grows: it is left for later, neither read nor bad."""
