"""A graph made ready for ``graph/view.html``: boxes, lines and words with their places, and the rows of its table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.view.layout import Point, Size, places_of
from graph.view.lines import Box, Curve, curve_between, label_place
from graph.view.shapes import Edge, Node, Style
from graph.view.words import drawn, width_of

NODES_MOST = 60
ROWS_MOST = 80
# Names on one line, where several lines of one kind join the same two boxes.
_NAMES_MOST = 2
_LETTERS, _SMALL_LETTERS = 13.0, 11.5
_HEIGHT, _PADDING = 30.0, 28.0
_LABEL_HEIGHT = 16.0
_MARGIN = 24.0
_LEAST: Size = (560.0, 300.0)


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """``x`` and ``y`` are its corner, ``text_x`` and ``text_y`` the middle of the words."""

    node: Node
    text: str
    x: int
    y: int
    width: int
    height: int
    radius: int
    text_x: int
    text_y: int
    centre: bool


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One or several edges of one style between the same two boxes."""

    path: str
    style: Style
    text: str
    text_x: int
    text_y: int


@dataclass(frozen=True, slots=True)
class TableRow:
    edge: Edge
    start: Node
    end: Node


@dataclass(frozen=True, slots=True)
class Picture:
    """``left_out`` nodes are not drawn; ``rows`` tells of at most :data:`ROWS_MOST` edges, ``rows_left_out`` more
    there are."""

    width: int
    height: int
    nodes: Sequence[DrawnNode]
    lines: Sequence[DrawnLine]
    rows: Sequence[TableRow]
    left_out: int
    rows_left_out: int


def picture_of(nodes: Sequence[Node], edges: Sequence[Edge]) -> Picture:
    """Draw a graph around its first node.

    Args:
        nodes: at least one, the nearest first; those beyond :data:`NODES_MOST` stand in the table alone.
        edges: each between two of these nodes.
    """
    shown = nodes[:NODES_MOST]
    places = {node.id: place for place, node in enumerate(shown)}
    bundles = _bundles(edges, places)
    sizes = [_size_of(node, centre=place == 0) for place, node in enumerate(shown)]
    boxes = [Box(at, size) for at, size in zip(places_of(sizes, _neighbours(bundles)), sizes, strict=True)]
    lines = _lines(bundles, boxes)
    corner, size = _frame([*boxes, *(label for _bundle, _path, label in lines)])
    by_id = {node.id: node for node in nodes}
    return Picture(
        width=round(size[0]),
        height=round(size[1]),
        nodes=[_node(node, boxes[place], corner, centre=place == 0) for place, node in enumerate(shown)],
        lines=[_line(bundle, curve, label, corner) for bundle, curve, label in lines],
        rows=[TableRow(edge, by_id[edge.start], by_id[edge.end]) for edge in edges[:ROWS_MOST]],
        left_out=len(nodes) - len(shown),
        rows_left_out=max(0, len(edges) - ROWS_MOST),
    )


@dataclass(frozen=True, slots=True)
class _Bundle:
    """Edges that are drawn as one line between the boxes ``start`` and ``end``."""

    start: int
    end: int
    style: Style
    text: str


def _bundles(edges: Sequence[Edge], places: Mapping[str, int]) -> list[_Bundle]:
    together: dict[tuple[int, int, Style], list[str]] = {}
    for edge in edges:
        if edge.start in places and edge.end in places:
            together.setdefault((places[edge.start], places[edge.end], edge.style), []).append(edge.label)
    return [_Bundle(*ends, _names(labels)) for ends, labels in together.items()]


def _names(labels: Sequence[str]) -> str:
    """``knows, likes +2``"""
    different = [drawn(label) for label in dict.fromkeys(labels)]
    more = len(different) - _NAMES_MOST
    return ", ".join(different[:_NAMES_MOST]) + (f" +{more}" if more > 0 else "")


def _neighbours(bundles: Sequence[_Bundle]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for bundle in bundles:
        found[bundle.start].append(bundle.end)
        found[bundle.end].append(bundle.start)
    return found


def _size_of(node: Node, *, centre: bool) -> Size:
    across = width_of(drawn(node.label), _LETTERS) * (1.08 if centre else 1) + _PADDING
    return across, _HEIGHT + (6 if centre else 0)


def _lines(bundles: Sequence[_Bundle], boxes: Sequence[Box]) -> list[tuple[_Bundle, Curve, Box]]:
    """Each line with its curve and the place of its words."""
    beside: dict[tuple[int, int], list[_Bundle]] = defaultdict(list)
    for bundle in bundles:
        beside[min(bundle.start, bundle.end), max(bundle.start, bundle.end)].append(bundle)
    taken, lines = list(boxes), []
    for ends, several in beside.items():
        for place, bundle in enumerate(several):
            bow = place - (len(several) - 1) / 2
            # What goes the other way sees its left on the other side.
            turned = -bow if (bundle.start, bundle.end) != ends else bow
            curve = curve_between(boxes[bundle.start], boxes[bundle.end], turned)
            label = label_place(curve, (width_of(bundle.text, _SMALL_LETTERS), _LABEL_HEIGHT), taken)
            taken.append(label)
            lines.append((bundle, curve, label))
    return lines


def _frame(boxes: Sequence[Box]) -> tuple[Point, Size]:
    """The upper left corner of everything with a margin around it, and how large that is."""
    left = min(box.at[0] - box.size[0] / 2 for box in boxes) - _MARGIN
    top = min(box.at[1] - box.size[1] / 2 for box in boxes) - _MARGIN
    wide = max(box.at[0] + box.size[0] / 2 for box in boxes) + _MARGIN - left
    high = max(box.at[1] + box.size[1] / 2 for box in boxes) + _MARGIN - top
    across, down = max(wide, _LEAST[0]), max(high, _LEAST[1])
    return (left - (across - wide) / 2, top - (down - high) / 2), (across, down)


def _node(node: Node, box: Box, corner: Point, *, centre: bool) -> DrawnNode:
    x, y = box.at[0] - corner[0], box.at[1] - corner[1]
    wide, high = box.size
    return DrawnNode(
        node=node,
        text=drawn(node.label),
        x=round(x - wide / 2),
        y=round(y - high / 2),
        width=round(wide),
        height=round(high),
        radius=4 if node.plain else round(high / 2),
        text_x=round(x),
        text_y=round(y + _LETTERS * 0.35),
        centre=centre,
    )


def _line(bundle: _Bundle, curve: Curve, label: Box, corner: Point) -> DrawnLine:
    moved = curve.moved(-corner[0], -corner[1])
    return DrawnLine(
        path=moved.path,
        style=bundle.style,
        text=bundle.text,
        text_x=round(label.at[0] - corner[0]),
        text_y=round(label.at[1] - corner[1] + _SMALL_LETTERS * 0.35),
    )
