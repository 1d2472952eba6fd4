"""The drawing of a graph: where boxes, lines and words stand, and that nothing lies over a name."""

import random
from collections.abc import Sequence

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.view.layout import places_of
from graph.view.picture import NODES_MOST, ROWS_MOST, DrawnNode, Picture, picture_of
from graph.view.shapes import Edge, Node, Style
from graph.view.words import drawn, width_of

STYLES: tuple[Style, ...] = ("solid", "dashed", "dotted", "faded")


def node(name: str) -> Node:
    return Node(name, name, f"/kg/{name}")


def star(leaves: int) -> Picture:
    nodes = [node("hub"), *(node(f"leaf number {n}") for n in range(leaves))]
    return picture_of(nodes, [Edge("hub", leaf.id, "knows") for leaf in nodes[1:]])


def touch(one: DrawnNode, other: DrawnNode) -> bool:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > 0 and down > 0


def overlapping(nodes: Sequence[DrawnNode]) -> list[tuple[str, str]]:
    return [(one.text, other.text) for at, one in enumerate(nodes) for other in nodes[at + 1 :] if touch(one, other)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Node], list[Edge]]:
    names = draw(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=40, unique=True))
    ids = st.integers(0, len(names) - 1).map(str)
    nodes = [Node(str(place), name, "/") for place, name in enumerate(names)]
    ties = draw(st.lists(st.tuples(ids, ids, st.text(max_size=20), st.sampled_from(STYLES)), max_size=60))
    return nodes, [Edge(*tie) for tie in ties]


@given(graphs())
@settings(max_examples=40)
def test_no_two_names_ever_overlap_and_everything_lies_inside(graph: tuple[list[Node], list[Edge]]) -> None:
    picture = picture_of(*graph)
    assert overlapping(picture.nodes) == []
    for box in picture.nodes:
        assert 0 <= box.x <= box.x + box.width <= picture.width
        assert 0 <= box.y <= box.y + box.height <= picture.height
    for line in picture.lines:
        assert 0 <= line.text_x <= picture.width
        assert 0 <= line.text_y <= picture.height


@given(graphs())
@settings(max_examples=15)
def test_the_same_graph_is_drawn_alike_every_time(graph: tuple[list[Node], list[Edge]]) -> None:
    assert picture_of(*graph) == picture_of(*graph)


def test_the_middle_stands_in_the_middle_and_who_is_farther_away_stands_farther_out() -> None:
    near = [node(f"near {n}") for n in range(5)]
    far = [node(f"far {n}") for n in range(5)]
    edges = [Edge("hub", one.id, "knows") for one in near]
    edges += [Edge(one.id, other.id, "knows") for one, other in zip(near, far, strict=True)]
    places = dict(
        zip([n.id for n in (node("hub"), *near, *far)], _places([node("hub"), *near, *far], edges), strict=True)
    )
    assert places["hub"] == (0, 0)
    for one, other in zip(near, far, strict=True):
        assert _distance(places[other.id]) > _distance(places[one.id]) > 0
        # who belongs together stands on the same side
        assert _distance(places[other.id], places[one.id]) < _distance(places[other.id])


def _places(nodes: list[Node], edges: list[Edge]) -> list[tuple[float, float]]:
    index = {node.id: place for place, node in enumerate(nodes)}
    neighbours: dict[int, list[int]] = {place: [] for place in range(len(nodes))}
    for edge in edges:
        neighbours[index[edge.start]].append(index[edge.end])
        neighbours[index[edge.end]].append(index[edge.start])
    return places_of([(80.0, 30.0)] * len(nodes), neighbours)


def _distance(point: tuple[float, float], other: tuple[float, float] = (0, 0)) -> float:
    return ((point[0] - other[0]) ** 2 + (point[1] - other[1]) ** 2) ** 0.5


def test_a_hub_shows_sixty_and_says_how_many_more_there_are() -> None:
    picture = star(130)
    assert len(picture.nodes) == NODES_MOST
    assert picture.left_out == 131 - NODES_MOST
    assert (len(picture.rows), picture.rows_left_out) == (ROWS_MOST, 130 - ROWS_MOST)
    assert overlapping(picture.nodes) == []
    # it has to fit on a screen that scrolls a little
    assert picture.width < 2200
    assert picture.height < 1400
    few = star(3)
    assert (few.left_out, few.rows_left_out, len(few.rows)) == (0, 0, 3)


def test_words_of_lines_stand_clear_of_the_names_as_long_as_there_is_room() -> None:
    picture = star(9)
    for line in picture.lines:
        for box in picture.nodes:
            inside = box.x < line.text_x < box.x + box.width and box.y < line.text_y - 4 < box.y + box.height
            assert not inside, (line, box)


def test_several_lines_between_two_are_told_apart() -> None:
    nodes = [node("a"), node("b")]
    edges = [
        Edge("a", "b", "knows"),
        Edge("a", "b", "likes"),
        Edge("a", "b", "meets"),
        Edge("b", "a", "knows"),
        Edge("a", "b", "fears", "dotted"),
        Edge("a", "a", "admires"),
    ]
    picture = picture_of(nodes, edges)
    assert sorted(line.text for line in picture.lines) == ["admires", "fears", "knows", "knows, likes +1"]
    assert len({line.path for line in picture.lines}) == len(picture.lines)
    assert len(picture.rows) == len(edges)


def test_what_no_line_leads_to_is_drawn_as_well() -> None:
    picture = picture_of([node("a"), node("b"), node("alone")], [Edge("a", "b", "knows")])
    assert [box.text for box in picture.nodes] == ["a", "b", "alone"]
    assert overlapping(picture.nodes) == []


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Lotta Berg", "Lotta Berg"),
        ("x" * 80, "x" * 25 + "…"),
        ("user \u202enimda", "user \N{REPLACEMENT CHARACTER}nimda"),
        ("pass\u200bword", "pass\N{REPLACEMENT CHARACTER}word"),
        ("two\nlines", "two lines"),
        ("نیم\u200cفاصله", "نیم\u200cفاصله"),
    ],
)
def test_a_label_is_one_line_that_hides_nothing(label: str, shown: str) -> None:
    assert drawn(label) == shown


def test_wide_letters_take_more_room() -> None:
    assert width_of("iiii", 13) < width_of("aaaa", 13) < width_of("WWWW", 13) < width_of("漢字漢字", 13)


def rendered(picture: Picture) -> str:
    return render_to_string("graph/view.html", {"view": picture, "name": "kg", "title": "Neighbourhood of hub"})


def test_a_drawing_is_links_with_names_and_the_same_as_a_table() -> None:
    nodes = [
        node("hub"),
        Node("b", "Bob & <Co>", "/kg/b", "knows, current"),
        Node("v", "a@b.c", "/items/1", plain=True),
    ]
    html = rendered(
        picture_of(nodes, [Edge("hub", "b", "knows", "dashed", "/items/2", "inferred"), Edge("hub", "v", "email")])
    )
    assert 'role="group" aria-label="Neighbourhood of hub"' in html
    assert html.count('<a class="node') == 3
    assert '<a class="node centre" href="/kg/hub" data-focus>' in html
    assert "<title>Bob &amp; &lt;Co&gt;, knows, current</title>" in html
    assert '<path class="edge dashed" d="M' in html
    assert 'marker-end="url(#kg-arrow)"' in html
    table = html[html.index("<table>") :]
    for link in (
        'href="/kg/hub">hub',
        'href="/items/2">knows',
        'href="/kg/b">Bob &amp; &lt;Co&gt;',
        'href="/items/1">a@b.c',
    ):
        assert link in table
    assert "inferred" in table
    assert "style=" not in html


def test_what_is_left_out_is_said() -> None:
    html = rendered(star(130))
    assert "71 more are not drawn." in html
    assert "The table has all of them." not in html
    assert "50 more lines are left out." in html
    assert "The table has all of them." in rendered(star(ROWS_MOST))
    assert "left out" not in rendered(star(5))


def test_sixty_nodes_with_many_lines_stay_light() -> None:
    chance = random.Random(7)
    nodes = [node(f"node number {n}") for n in range(60)]
    edges = [Edge(*(one.id for one in chance.sample(nodes, 2)), f"how {n}") for n in range(200)]
    assert overlapping(picture_of(nodes, edges).nodes) == []
    assert len(rendered(picture_of(nodes, edges))) < 70_000
