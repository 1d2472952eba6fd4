"""What is asked of recall, as it was checked, and the same as arguments that another call can carry on with."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import first_instant

Mode = Literal["literal", "phrase", "regex"]
Match = Literal["any", "all"]
Branches = Literal["active", "all"]
Outcome = Literal["succeeded", "failed", "aborted", "timed_out"]
OPERATIONS = ("tool", "ref", "provider", "action", "outcome")

# The whole reply as JSON, in bytes.
ENVELOPE = 30_000
RECALL, EXPAND = "memory.recall", "memory.expand"


@dataclass(frozen=True, slots=True)
class Filters:
    """What persisted fields must say; None: whatever they do."""

    role: str | None = None
    tool: str | None = None
    ref: str | None = None
    provider: str | None = None
    action: str | None = None
    outcome: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def operations(self) -> bool:
        """Whether operations are asked for, so that plumbing counts as much as prose."""
        return any(getattr(self, name) is not None for name in OPERATIONS)

    @property
    def any(self) -> bool:
        return self.operations or any(value is not None for value in (self.role, self.since, self.until))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to recall. ``arguments`` are those of the caller, by their names in the contract."""

    query: str = ""
    mode: Mode = "literal"
    match: Match = "any"
    branches: Branches = "active"
    filters: Filters = field(default_factory=Filters)
    entry_range: tuple[int, int] | None = None
    offset: int = 0
    page_size: int = 10
    snippet_chars: int = 480
    expected_hash: str | None = None
    expected_lineage: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any], zone: ZoneInfo) -> Self:
        """From arguments by their names in the contract; None for one that was left out. Raises :class:`Invalid` for a
        time that is none."""
        kept = {name: value for name, value in given.items() if value is not None}
        within = kept.get("entryRange")
        return cls(
            query=kept.get("query", ""),
            mode=kept["queryMode"],
            match=kept["queryMatch"],
            branches=kept["branches"],
            filters=Filters(
                **{name: kept.get(name) for name in ("role", *OPERATIONS)},
                since=first_instant(kept.get("since"), zone, field="since"),
                until=first_instant(kept.get("until"), zone, field="until"),
            ),
            entry_range=(within["first"], within["last"]) if within else None,
            offset=kept["offset"],
            page_size=kept["pageSize"],
            snippet_chars=kept["snippetChars"],
            expected_hash=kept.get("expectedSourceHash"),
            expected_lineage=kept.get("expectedLineageFingerprint"),
            arguments={name: value for name, value in kept.items() if name != "offset"},
        )

    def checked(self, *, single: bool) -> Self:
        """The same. Raises :class:`Invalid` for what does not go together; ``single``: one session was named."""
        if self.match == "all" and self.mode != "literal":
            raise Invalid("queryMatch goes with queryMode literal alone.", fields={"queryMatch": "goes with literal"})
        bound = {
            "expectedSourceHash": self.expected_hash,
            "expectedLineageFingerprint": self.expected_lineage,
            "entryRange": self.entry_range,
        }
        given = [name for name, value in bound.items() if value is not None]
        if given and not single:
            raise Invalid(
                f"{given[0]} needs the scope of one session.", fields={given[0]: "needs scope session:<id or path>"}
            )
        return self if self.query.strip() else replace(self, query="")

    def again(self, **changes: Any) -> dict[str, Any]:
        """The arguments of the caller, some of them changed; None takes one out."""
        merged = {**self.arguments, **changes}
        return {name: value for name, value in merged.items() if value is not None}
