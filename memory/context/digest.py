"""The digest: the few beliefs that every turn begins with, by tier."""

from dataclasses import dataclass

from memory.context.newest import Row, newest_of_each
from pawflow_web.lib.blocks import Ask, Content, Group, LeftOut, Line

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
    decides nothing here. None where nothing is known."""
    rows = newest_of_each(ask.principal, _WANTED, longest=LONGEST, at=ask.at)
    groups, left_out = [], []
    for tier in TIERS:
        own = [row for row in rows if row.tier == tier.name]
        if own:
            groups.append(Group(tier.label, tuple(_line(row, tier) for row in own[: tier.most])))
        left_out += [LeftOut(row.ref, "limit") for row in own[tier.most :]]
    if not groups:
        return None
    return Content(tuple(groups), foot=FOOT, foot_always=True, left_out=tuple(left_out))


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
