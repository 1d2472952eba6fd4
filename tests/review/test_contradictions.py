"""What is taken for a contradiction, measured on pairs that people would write, and what it costs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.contradictions.clashes import Clash, find_clashes
from tests.review.contradiction_pairs import AGREE, AGREE_UNSEEN, CONTRADICT, CONTRADICT_UNSEEN


def is_found(one: str, other: str) -> bool:
    return bool(find_clashes([one, other]).found)


Pairs = tuple[tuple[str, str], ...]


@pytest.mark.parametrize(
    ("contradict", "agree", "precision", "recall"),
    [(CONTRADICT, AGREE, 0.97, 0.88), (CONTRADICT_UNSEEN, AGREE_UNSEEN, 0.95, 0.75)],
    ids=["the rules were made with these", "unseen"],
)
def test_most_contradictions_are_found_and_few_others(
    contradict: Pairs, agree: Pairs, precision: float, recall: float
) -> None:
    found = [pair for pair in contradict if is_found(*pair)]
    wrong = [pair for pair in agree if is_found(*pair)]

    assert len(found) / (len(found) + len(wrong)) >= precision, wrong
    assert len(found) / len(contradict) >= recall, [pair for pair in contradict if pair not in found]


def test_the_order_of_the_two_makes_no_difference() -> None:
    for one, other in (*CONTRADICT, *AGREE):
        assert is_found(one, other) == is_found(other, one), (one, other)


@pytest.mark.parametrize(
    ("number", "difference"), [(0, "negation"), (11, "number"), (20, "opposite"), (30, "value"), (41, "order")]
)
def test_the_difference_is_named(number: int, difference: str) -> None:
    assert [clash.difference for clash in find_clashes(CONTRADICT[number]).found] == [difference]


def test_pairs_stand_in_the_order_of_the_texts() -> None:
    texts = ["Lives in Porto.", "Likes tea.", "Use tabs.", "Lives in Lyon.", "Do not use tabs."]

    assert find_clashes(texts).found == (Clash(0, 3, "value"), Clash(2, 4, "negation"))


def test_the_same_words_twice_are_no_contradiction() -> None:
    assert find_clashes(["Lives in Porto."] * 50).found == ()


def test_a_list_of_values_is_no_contradiction() -> None:
    """Three are mistakes, thirty are a list."""
    ports = [f"The gateway forwards port {8000 + number} to the cluster." for number in range(30)]
    assert find_clashes(ports).found == ()
    assert len(find_clashes(ports[:2]).found) == 1


def test_a_long_file_of_rules_of_one_shape_is_no_heap_of_contradictions() -> None:
    parts, verbs = ("parser", "gateway", "renderer"), ("keeps", "reads", "writes", "checks")
    rules = [
        f"The {parts[at % 3]} of area {at} {verbs[at % 4]} its log for {at % 7} days, as agreed in {2000 + at}."
        for at in range(300)
    ]
    assert len(find_clashes(rules).found) == 0
    assert len(find_clashes([*rules, "Use tabs.", "Never use tabs."]).found) == 1


def test_rows_of_one_table_are_no_contradiction() -> None:
    rows = [f"from: {name}; active: yes; rejected: {known}; stale: no" for name, known in (("a", "yes"), ("b", "no"))]
    assert find_clashes(rows).found == ()
    assert len(find_clashes(["a: rejected", "a: not rejected"]).found) == 1


@given(st.lists(st.text(max_size=200), max_size=30))
def test_any_texts_are_compared_without_an_error(texts: list[str]) -> None:
    found = find_clashes(texts)
    assert all(0 <= clash.first < clash.second < len(texts) for clash in found.found)
    assert find_clashes(texts) == found


@pytest.mark.parametrize(
    "texts",
    [
        [f"Component {number} of the shop has property {number % 7} of its own." for number in range(5000)],
        ["Use tabs."] * 2500 + ["Never use tabs."] * 2500,
        [f"word{number % 50} word{number % 49} word{number % 48} is {number}" for number in range(5000)],
        ["is " * 4000] * 20,
        [": = " * 2000, "a" * 8000, "not " * 2000] * 10,
    ],
    ids=["numbered", "two sorts", "common words", "long", "odd"],
)
def test_many_texts_cost_no_square(texts: list[str]) -> None:
    began = time.process_time()
    find_clashes(texts)
    assert time.process_time() - began < 10
