"""The lines between boxes: from border to border, bowed where several join the same two, each with its words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graph.view.layout import Point, Size

# How far two lines between the same boxes bow away from each other.
_BOW = 44.0
# Room between an arrowhead and its box.
_GAP = 3.0
_LOOP = (22.0, 40.0)
# Where on its line a label may stand, the best place first.
_ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its middle."""

    at: Point
    size: Size

    def overlap(self, other: "Box") -> float:
        """The area that both cover."""
        down = (self.size[1] + other.size[1]) / 2 - abs(self.at[1] - other.at[1])
        if down <= 0:
            return 0.0
        across = (self.size[0] + other.size[0]) / 2 - abs(self.at[0] - other.at[0])
        return max(0.0, across) * down


@dataclass(frozen=True, slots=True)
class Curve:
    """From ``start`` by way of ``bend`` to ``end``."""

    start: Point
    bend: Point
    end: Point

    def at(self, share: float) -> Point:
        rest = 1 - share
        x, y = (
            rest * rest * self.start[axis] + 2 * rest * share * self.bend[axis] + share * share * self.end[axis]
            for axis in (0, 1)
        )
        return x, y

    def moved(self, across: float, down: float) -> "Curve":
        start, bend, end = ((x + across, y + down) for x, y in (self.start, self.bend, self.end))
        return Curve(start, bend, end)

    @property
    def path(self) -> str:
        """As the attribute ``d`` of a path says it."""
        (x, y), (bx, by), (ex, ey) = self.start, self.bend, self.end
        return f"M{x:.0f} {y:.0f}Q{bx:.0f} {by:.0f} {ex:.0f} {ey:.0f}"


def curve_between(one: Box, other: Box, place: float) -> Curve:
    """``place``: how many bows it stands to the left of the straight line, as one looks along it."""
    if one is other:
        return _loop(one, place)
    dx, dy = other.at[0] - one.at[0], other.at[1] - one.at[1]
    length = math.hypot(dx, dy) or 1.0
    bow = place * _BOW
    bend = ((one.at[0] + other.at[0]) / 2 + dy / length * bow, (one.at[1] + other.at[1]) / 2 - dx / length * bow)
    return Curve(_border(one, bend), bend, _border(other, bend))


def label_place(curve: Curve, size: Size, taken: Sequence[Box]) -> Box:
    """Where a label of that size covers nothing of what is there already, or else least."""
    best, least = Box(curve.at(_ALONG[0]), size), math.inf
    for share in _ALONG:
        box = Box(curve.at(share), size)
        covered = sum(box.overlap(other) for other in taken)
        if covered < least:
            best, least = box, covered
        if not covered:
            break
    return best


def _border(box: Box, toward: Point) -> Point:
    """Where the line from the middle of the box toward a point leaves it."""
    dx, dy = toward[0] - box.at[0], toward[1] - box.at[1]
    if dx == dy == 0:
        return box.at
    across, down = box.size[0] / 2 + _GAP, box.size[1] / 2 + _GAP
    share = min(across / abs(dx) if dx else math.inf, down / abs(dy) if dy else math.inf)
    return box.at[0] + dx * share, box.at[1] + dy * share


def _loop(box: Box, place: float) -> Curve:
    x, top = box.at[0] + place * _LOOP[0], box.at[1] - box.size[1] / 2 - _GAP
    return Curve((x - _LOOP[0], top), (x, top - 2 * _LOOP[1]), (x + _LOOP[0], top))
