"""Where the boxes of a drawing stand: one in the middle, its neighbours around it, and theirs around those.

Pure and without chance: the same graph is drawn alike every time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]
Size = tuple[float, float]

# Room between two boxes, and for the words on the lines between two rings.
_GAP: Size = (26.0, 20.0)
_WORDS_ACROSS, _WORDS_DOWN = 96.0, 74.0
# More than this many side by side on a ring, and they stand in several rows behind each other.
_ABREAST = 12
# Rounds of pushing boxes apart before everything is given more room.
_ROUNDS = 40
_MORE_ROOM = 1.12
# Boxes that touch by less than this are apart.
_NEARLY = 0.01
_UPWARDS = -math.pi / 2


@dataclass(slots=True)
class _Branch:
    """A box in the tree of shortest ways from the middle: the first that led to it is its parent."""

    index: int
    depth: int
    children: "list[_Branch]" = field(default_factory=list)

    @property
    def weight(self) -> float:
        """How much of the circle it needs for itself and for what stands behind it."""
        return max(1.0, 0.8 * sum(child.weight for child in self.children))


def places_of(sizes: Sequence[Size], neighbours: Mapping[int, Sequence[int]]) -> list[Point]:
    """The middle of each box, the first one's at ``(0, 0)``; no two boxes touch.

    Args:
        neighbours: of each box, in the order in which they shall stand.
    """
    if not sizes:
        return []
    rings = _rings(len(sizes), neighbours)
    places: list[Point] = [(0.0, 0.0)] * len(sizes)
    reach: Size = (sizes[0][0] / 2, sizes[0][1] / 2)
    for ring in rings:
        reach = _stand_around(ring, sizes, places, reach)
    return _apart(places, sizes)


def _rings(number: int, neighbours: Mapping[int, Sequence[int]]) -> list[list[tuple[int, float]]]:
    """By how many steps they are away: boxes with the angle at which each stands. Whatever no line leads to stands in
    a ring of its own around the others."""
    root = _Branch(0, 0)
    level, seen, branches = [root], {0}, [root]
    while level:
        following = []
        for branch in level:
            for index in neighbours.get(branch.index, ()):
                if index not in seen:
                    seen.add(index)
                    branch.children.append(_Branch(index, branch.depth + 1))
            following += branch.children
        branches += following
        level = following
    alone = [index for index in range(number) if index not in seen]
    outermost = branches[-1].depth + 1
    root.children += [_Branch(index, outermost) for index in alone]
    rings: dict[int, list[tuple[int, float]]] = {}
    _spread(root, _UPWARDS, _UPWARDS + 2 * math.pi, rings)
    return [sorted(rings[depth], key=lambda placed: placed[1]) for depth in sorted(rings)]


def _spread(branch: _Branch, start: float, end: float, rings: dict[int, list[tuple[int, float]]]) -> None:
    """Share the part of the circle from ``start`` to ``end`` among the children, by what each needs."""
    total = sum(child.weight for child in branch.children)
    at = start
    for child in branch.children:
        share = (end - start) * child.weight / total
        rings.setdefault(child.depth, []).append((child.index, at + share / 2))
        _spread(child, at, at + share, rings)
        at += share


def _stand_around(ring: Sequence[tuple[int, float]], sizes: Sequence[Size], places: list[Point], reach: Size) -> Size:
    """Place one ring around everything within ``reach``. Returns how far it reaches itself."""
    wide = max(sizes[index][0] for index, _angle in ring)
    high = max(sizes[index][1] for index, _angle in ring)
    rows = math.ceil(len(ring) / _ABREAST)
    across, down = reach[0] + _WORDS_ACROSS + wide / 2, reach[1] + _WORDS_DOWN + high / 2
    for place, (index, angle) in enumerate(ring):
        row = place % rows
        x_radius, y_radius = across + row * (wide * 0.6 + _GAP[0]), down + row * (high + _GAP[1] * 1.5)
        places[index] = (x_radius * math.cos(angle), y_radius * math.sin(angle))
    last = rows - 1
    return across + last * (wide * 0.6 + _GAP[0]) + wide / 2, down + last * (high + _GAP[1] * 1.5) + high / 2


def _apart(places: list[Point], sizes: Sequence[Size]) -> list[Point]:
    """Push boxes that touch away from each other; the first one stays. Where that does not end, all get more room."""
    while True:
        for _round in range(_ROUNDS):
            if not _pushed(places, sizes):
                return places
        places = [(x * _MORE_ROOM, y * _MORE_ROOM) for x, y in places]


def _pushed(places: list[Point], sizes: Sequence[Size]) -> bool:
    touched = False
    for one, (wide, high) in enumerate(sizes):
        for other in range(one + 1, len(places)):
            dy = places[other][1] - places[one][1]
            down = (high + sizes[other][1]) / 2 + _GAP[1] - abs(dy)
            if down <= _NEARLY:
                continue
            dx = places[other][0] - places[one][0]
            across = (wide + sizes[other][0]) / 2 + _GAP[0] - abs(dx)
            if across <= _NEARLY:
                continue
            touched = True
            step = (_away(dx) * across, 0.0) if across < down else (0.0, _away(dy) * down)
            # The one in the middle never moves, so that the other goes the whole way.
            share = 0.0 if one == 0 else 0.5
            places[one] = (places[one][0] - step[0] * share, places[one][1] - step[1] * share)
            places[other] = (places[other][0] + step[0] * (1 - share), places[other][1] + step[1] * (1 - share))
    return touched


def _away(distance: float) -> float:
    return -1.0 if distance < 0 else 1.0
