"""Walks along the graph, from what a question names: a level at a time, or a path at a time.

However large the graph is, a walk reads little of it: each statement is bounded by how much may still be answered.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from graph.facts.seeds import Match, Seed, seeds_of
from graph.facts.steps import Fact, Ground, Step
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute

Mode = Literal["bfs", "dfs"]

DEPTH_MOST = 6
# What one statement may bring of many entities, and what of each of them it brings at least.
_LEVEL_MOST = 2000
_EACH_LEAST = 4


@dataclass(frozen=True, slots=True)
class Trail:
    """``edges``: facts in the order in which they were met, each with the number of hops to it from where the walk
    began. ``seeds``: names of entities, and what in the question stood for them. ``complete`` is false where more
    would have been found."""

    edges: tuple[tuple[Fact, int], ...]
    seeds: tuple[tuple[str, Match], ...]
    complete: bool


def walk(
    *,
    principal: Principal,
    question: str,
    mode: Mode = "bfs",
    depth: int = 3,
    max_results: int = 50,
    as_of: datetime | None = None,
    only: int | None = None,
) -> Trail:
    """Facts around what the question names, at most ``depth`` hops and at most ``max_results`` of them, each once.

    Args:
        mode: ``bfs`` goes from all that is named at once, a hop at a time; ``dfs`` from the best of it, each path to
            its end before the next.
        as_of: what held in the world then; default now.
        only: the row id of one fact; with it the same question answers whether that one is met.
    """
    ground = Ground(principal, as_of, only=only)
    seeds = seeds_of(ground, question)
    met = _Met(max_results)
    begin = [seed.entity for seed in seeds.found]
    if mode == "dfs":
        _Paths(ground, met).go(begin[:1], depth)
    else:
        _by_levels(ground, met, begin, depth)
    facts = ground.read(met.hops)
    edges = tuple((facts[pk], hop) for pk, hop in met.hops.items() if pk in facts)
    return Trail(edges, _named(seeds.found), seeds.complete and not met.cut)


def _named(seeds: tuple[Seed, ...]) -> tuple[tuple[str, Match], ...]:
    asked = [seed.entity for seed in seeds]
    names: dict[int, str] = dict(
        execute("SELECT id, name FROM graph_entity WHERE id = ANY (%s::bigint[])", [asked]) if asked else []
    )
    return tuple((names[seed.entity], seed.match) for seed in seeds if seed.entity in names)


@dataclass(slots=True)
class _Met:
    """Facts that were met, with their hop. ``cut``: there was one more, or nobody looked."""

    most: int
    hops: dict[int, int] = field(default_factory=dict)
    cut: bool = False

    @property
    def room(self) -> int:
        return self.most - len(self.hops)

    def add(self, fact: int, hop: int) -> bool:
        """Whether there was room for it."""
        if fact in self.hops:
            return True
        if not self.room:
            self.cut = True
            return False
        self.hops[fact] = hop
        return True


def _by_levels(ground: Ground, met: _Met, begin: list[int], depth: int) -> None:
    """All facts of one hop before any of the next, in one statement each. A fact between two entities of a level is
    met from both, so twice as many rows are enough."""
    reached = dict.fromkeys(begin)
    level = list(reached)
    for hop in range(1, depth + 1):
        if not level:
            return
        each = min(met.room + 1, max(_EACH_LEAST, _LEVEL_MOST // len(level)))
        steps = ground.steps(level, each=each, most=2 * (met.room + 1), passed=met.hops)
        level = []
        for step in steps:
            if not met.add(step.fact, hop):
                return
            met.cut = met.cut or step.nth == each
            if step.far is not None and step.far not in reached:
                reached[step.far] = None
                level.append(step.far)


class _Paths:
    """A walk that follows each path to its end. An entity that is met again on a shorter way is gone on from once
    more: otherwise the order of facts would decide what is within reach."""

    def __init__(self, ground: Ground, met: _Met) -> None:
        self._ground = ground
        self._met = met
        self._left: dict[int, int] = {}
        self._around: dict[int, list[Step]] = {}

    def go(self, begin: list[int], depth: int) -> None:
        for entity in begin:
            self._left[entity] = depth
            self._from(entity, depth, 1)

    def _from(self, entity: int, left: int, hop: int) -> None:
        if not left:
            return
        for step in self._steps(entity):
            if not self._met.add(step.fact, hop):
                return
            if step.far is not None and self._left.get(step.far, 0) < left - 1:
                self._left[step.far] = left - 1
                self._from(step.far, left - 1, hop + 1)
                if self._met.cut:
                    return

    def _steps(self, entity: int) -> list[Step]:
        """The newest facts of an entity, asked once. No walk can use more of them than it may answer with and one."""
        if entity not in self._around:
            enough = self._met.most + 1
            self._around[entity] = self._ground.steps([entity], each=enough, most=enough)
        return self._around[entity]
