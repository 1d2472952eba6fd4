"""Which records are on the active branch of a session."""

import hashlib
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from conversations.sessions.entries import Node
from conversations.sessions.lineage import fingerprint, lineage_of

Placed = tuple[int, Node | None]


def tree(*nodes: tuple[str, str | None] | None) -> list[Placed]:
    """Records whose ordinals are their places."""
    return [(place, None if node is None else Node(*node)) for place, node in enumerate(nodes)]


BRANCHED = tree(("root", None), ("left", "root"), ("left-leaf", "left"), ("kept", "root"))


def test_a_branch_that_was_left_is_not_active() -> None:
    lineage = lineage_of(BRANCHED)
    assert (lineage.leaf, lineage.ids) == ("kept", ("root", "kept"))
    assert lineage.active == {0, 3}


def test_the_leaf_may_be_elsewhere_than_at_the_end() -> None:
    lineage = lineage_of(BRANCHED, "left-leaf")
    assert lineage.ids == ("root", "left", "left-leaf")
    assert lineage.active == {0, 1, 2}
    assert lineage_of(BRANCHED, "nowhere") == lineage_of(BRANCHED)


def test_going_elsewhere_in_the_tree_changes_its_fingerprint() -> None:
    here, there = lineage_of(BRANCHED), lineage_of(BRANCHED, "left-leaf")
    assert fingerprint("active", here.leaf, here.ids) != fingerprint("active", there.leaf, there.ids)


def test_a_record_without_a_place_is_on_no_branch() -> None:
    assert lineage_of(tree(None, ("a", None), None, ("b", "a"))).active == {1, 3}


def test_a_session_without_a_tree_is_active_as_a_whole() -> None:
    lineage = lineage_of(tree(None, None, None), "a")
    assert (lineage.leaf, lineage.ids, lineage.active, lineage.reasons) == (None, (), {0, 1, 2}, ())
    assert lineage_of([]).active == frozenset()


def test_the_last_record_with_an_id_has_its_place() -> None:
    lineage = lineage_of(tree(("a", None), ("b", "a"), ("a", None), ("c", "b")))
    assert lineage.ids == ("a", "b", "c")
    assert lineage.active == {1, 2, 3}


def test_a_circle_of_parents_stops_the_walk_and_is_told() -> None:
    lineage = lineage_of(tree(("a", "c"), ("b", "a"), ("c", "b"), ("d", "c")))
    assert lineage.ids == ("a", "b", "c", "d")
    assert lineage.reasons == ("invalid_parent_graph",)
    assert lineage_of(tree(("a", "a"))).reasons == ("invalid_parent_graph",)
    assert lineage_of(tree(("a", None), ("b", "a"))).reasons == ()


def test_a_parent_that_is_not_there_stops_the_walk_and_is_told() -> None:
    lineage = lineage_of(tree(("a", None), ("b", "gone"), ("c", "b")))
    assert (lineage.ids, lineage.active) == (("b", "c"), {1, 2})
    assert lineage.reasons == ("dangling_parent",)


def test_the_answers_of_tools_called_at_once_are_all_on_the_branch() -> None:
    records = [
        (0, Node("ask", None)),
        (1, Node("call-1", "ask")),
        (2, Node("call-2", "call-1")),
        (3, Node("answer-1", "call-1", clings=True)),
        (4, Node("answer-2", "call-2", clings=True)),
        (5, Node("note", "answer-1", clings=True)),
        (6, Node("left", "ask")),
        (7, Node("answer-3", "left", clings=True)),
        (8, Node("end", "answer-2")),
    ]
    lineage = lineage_of(records)
    assert lineage.active == {0, 1, 2, 3, 4, 5, 8}
    assert lineage.ids == ("ask", "call-1", "call-2", "answer-2", "end")


def test_records_that_cling_to_each_other_in_a_circle_do_no_harm() -> None:
    records = [(0, Node("a", "b", clings=True)), (1, Node("b", "a", clings=True)), (2, Node("c", "b"))]
    lineage = lineage_of(records)
    assert (lineage.active, lineage.reasons) == ({0, 1, 2}, ("invalid_parent_graph",))


def test_the_fingerprint_is_that_of_compact_json() -> None:
    constant = "151b50b5d43ace9ebb84edae27b7e5d257f0207df6f0142d4e80dfe72bcdc7e2"
    assert fingerprint("all", None, ()) == constant
    written = '{"branches":"active","leafId":"é\\"","ids":["日本","é\\""]}'
    assert fingerprint("active", 'é"', ("日本", 'é"')) == hashlib.sha256(written.encode()).hexdigest()


def test_half_a_character_in_an_id_is_escaped_in_the_fingerprint() -> None:
    written = r'{"branches":"active","leafId":"\ud800","ids":["\ud800"]}'
    assert fingerprint("active", "\ud800", ("\ud800",)) == hashlib.sha256(written.encode()).hexdigest()


parents = st.lists(st.integers(min_value=-1, max_value=30), min_size=1, max_size=30)


@given(parents, st.randoms())
def test_the_active_branch_of_any_tree_leads_from_a_root_to_the_leaf(numbers: list[int], chance: Random) -> None:
    # the parent of each record is one before it, or none
    above = [None if at == 0 or number < 0 else number % at for at, number in enumerate(numbers)]
    records = tree(*((str(at), None if up is None else str(up)) for at, up in enumerate(above)))
    leaf = chance.randrange(len(numbers))
    lineage = lineage_of(records, str(leaf))
    expected, at = [], leaf
    while at is not None:
        expected.insert(0, at)
        at = above[at]
    assert lineage.ids == tuple(map(str, expected))
    assert lineage.active == set(expected)
    assert lineage.reasons == ()


@given(parents)
def test_any_graph_has_a_branch_whose_ids_differ_and_follow_each_other(numbers: list[int]) -> None:
    # any record may be the parent of any other, one that is not there too
    records = tree(*((str(at), None if number < 0 else str(number)) for at, number in enumerate(numbers)))
    lineage = lineage_of(records)
    assert len(set(lineage.ids)) == len(lineage.ids) == len(lineage.active)
    assert lineage.ids[-1] == str(len(numbers) - 1)
    assert all(numbers[int(below)] == int(above) for above, below in zip(lineage.ids, lineage.ids[1:], strict=False))
    assert (numbers[int(lineage.ids[0])] < 0) == (lineage.reasons == ())
