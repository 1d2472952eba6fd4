"""The digest: the few beliefs that every turn begins with, by tier."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.blocks import most_connected
from memory.context.newest import Row, newest_of_each
from pawflow_web.lib.blocks import Ask, Block, Content, Group, LeftOut, Line, fitted

TITLE = "Persistent memory"
MOST_CHARS = 1200
# One memory takes at most half of it, unless a person pinned it.
LONGEST = MOST_CHARS // 2
FOOT = "Search before saying that you do not know."


@dataclass(frozen=True, slots=True)
class Tier:
    """A part of the digest: beliefs whose kind files them under ``name``, at most so many."""

    name: str
    level: str
    label: str
    most: int


TIERS = (
    Tier("identity", "L0", "Identity:", 3),
    Tier("facts", "L1", "Key facts:", 5),
    Tier("preferences", "L1", "Preferences:", 3),
    Tier("events", "L2", "Recent events:", 3),
    Tier("decisions", "L3", "Decisions:", 3),
    Tier("discoveries", "L4", "Discoveries:", 3),
    Tier("advice", "L4", "Advice:", 2),
)
# One more than it holds, so that what is left out can be named.
_WANTED = {tier.name: tier.most + 1 for tier in TIERS}


def digest(ask: Ask) -> Content | None:
    """Within each tier what a person pinned, then the newest: importance is what agents say of their own words, so it
    decides nothing here. Last what most facts of the graph name, as it is now. None where nothing is known."""
    rows = newest_of_each(ask.principal, _WANTED, longest=LONGEST, at=ask.at)
    groups, left_out = [], []
    for tier in TIERS:
        own = [row for row in rows if row.tier == tier.name]
        # What could not even stand there alone takes nobody's place.
        too_long = {row.id for row in own if len(row.words) > LONGEST and not _fits_alone(row, tier)}
        left_out += [LeftOut(row.ref, "budget") for row in own if row.id in too_long]
        own = [row for row in own if row.id not in too_long]
        if own:
            groups.append(Group(tier.label, tuple(_line(row, tier) for row in own[: tier.most])))
        left_out += [LeftOut(row.ref, "limit") for row in own[tier.most :]]
    topics = most_connected(ask.principal) if ask.at is None else None
    if topics is not None:
        groups.append(Group("Central topics:", (topics,)))
    return _content(groups, left_out) if groups or left_out else None


def _content(groups: Sequence[Group], left_out: Sequence[LeftOut] = ()) -> Content:
    return Content(tuple(groups), foot=FOOT, foot_always=True, left_out=tuple(left_out))


# What a belief is measured in.
_EMPTY = Block("persistent_memory", TITLE, "turn", digest)


def _fits_alone(row: Row, tier: Tier) -> bool:
    return fitted(_EMPTY, _content([Group(tier.label, (_line(row, tier),))]), MOST_CHARS) is not None


def _line(row: Row, tier: Tier) -> Line:
    return Line(
        row.words,
        before="- ",
        after=f" #{row.number}",
        item=row.id,
        ref=row.ref,
        number=row.number,
        revision=row.revision,
        tier=tier.level,
    )
