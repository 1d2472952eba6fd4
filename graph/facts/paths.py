"""The shortest way between two entities."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.facts.linking import known_entities
from graph.facts.parts import normal
from graph.facts.reading import facts
from graph.facts.steps import Ground, Step
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem

HOPS_MOST = 10
# Entities and facts that are looked at before a search gives up.
SEEN_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Way:
    """Facts from the one end to the other, in their order; empty between an entity and itself. ``complete`` is false
    where the search gave up before it knew."""

    found: bool
    path: tuple[GovernanceItem, ...] = ()
    complete: bool = True


def way_between(*, principal: Principal, start: str, end: str, max_hops: int = 6, only: int | None = None) -> Way:
    """A way with the fewest facts, whatever direction they are said in, over those that the caller may read and that
    hold now. Names that nobody has and names that the caller may not know of have none. ``only``: as in a walk."""
    ground = Ground(principal, only=only)
    known = known_entities(principal.user_id, [start, end])
    first, last = known.get(normal(start), 0), known.get(normal(end), 0)
    if not {first, last} <= ground.within_reach({first, last}):
        return Way(found=False)
    search = _Search(ground, first, last)
    met = search.run(max_hops)
    if met is None:
        return Way(found=False, complete=not search.gave_up)
    path = search.path(met)
    rows = facts(principal).select_related("triple").in_bulk(path)
    # Between two statements one may have been rejected, and with it the way.
    if len(rows) < len(path):
        return Way(found=False, complete=False)
    return Way(found=True, path=tuple(rows[fact] for fact in path))


@dataclass(slots=True)
class _Side:
    """How each entity was met first, coming from one end; ``level`` are those met last."""

    level: list[int]
    met: dict[int, Step | None] = field(default_factory=dict)

    @classmethod
    def of(cls, entity: int) -> "_Side":
        return cls([entity], {entity: None})

    def back(self, entity: int) -> list[int]:
        """The facts from an entity to the end that this side began at."""
        path = []
        while (step := self.met[entity]) is not None:
            path.append(step.fact)
            entity = step.near
        return path


class _Search:
    """From both ends at once, each time a level further on the side where that is less."""

    def __init__(self, ground: Ground, first: int, last: int) -> None:
        self._ground = ground
        self._ends = (_Side.of(first), _Side.of(last))
        self.gave_up = False

    def run(self, max_hops: int) -> int | None:
        """The entity at which both sides met; None where they did not within so many hops."""
        one, other = self._ends
        if one.level == other.level:
            return one.level[0]
        for _ in range(max_hops):
            near, far = sorted(self._ends, key=lambda side: len(side.level))
            met = self._further(near, far)
            if met is not None or self.gave_up or not near.level:
                return met
        return None

    def path(self, met: int) -> list[int]:
        one, other = self._ends
        return [*reversed(one.back(met)), *other.back(met)]

    def _further(self, side: _Side, opposite: _Side) -> int | None:
        """One level: whole, or it would not be the shortest way."""
        room = SEEN_MOST - sum(len(end.met) for end in self._ends)
        steps: Sequence[Step] = self._ground.steps(side.level, each=room + 1, most=room + 1)
        side.level = []
        for step in steps:
            if step.far is not None and step.far not in side.met:
                side.met[step.far] = step
                if step.far in opposite.met:
                    return step.far
                side.level.append(step.far)
        self.gave_up = len(steps) > room
        return None
