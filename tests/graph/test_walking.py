"""Walks from what a question names: as far as was asked, each fact once, and never more than was asked for."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from graph.facts.walking import Mode, Trail, walk
from graph.models import Entity, Triple
from graph.tools.walking import query_graph
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import last_instant
from pawflow_web.lib.tools import registry
from review import lifecycle
from review.models import GovernanceItem
from tests.graph.facts import fact
from tests.review.beliefs import Parties

MODES: tuple[Mode, ...] = ("bfs", "dfs")
both = pytest.mark.parametrize("mode", MODES)


def walked(principal: Principal, question: str, **asked: Any) -> Trail:
    return walk(principal=principal, question=question, **asked)


def pairs(trail: Trail) -> list[str]:
    """``AB`` for a fact between A and B."""
    return [f"{met.subject[0]}{met.object[0]}" for met, _ in trail.edges]


def join(principal: Principal, *edges: str, **said: Any) -> None:
    """A fact for each two letters, the first of which is its subject."""
    for first, last in edges:
        fact(principal, f"{first}1", "leads_to", f"{last}1", **said)


def chain(principal: Principal) -> None:
    join(principal, *("".join(pair) for pair in itertools.pairwise("ABCDEFG")))


# --- how far ------------------------------------------------------------------------------------------------------


@both
def test_a_chain_gives_exactly_as_many_facts_as_the_walk_has_hops(parties: Parties, mode: Mode) -> None:
    chain(parties.coder)
    for depth in range(7):
        trail = walked(parties.coder, "A1", mode=mode, depth=depth)
        assert pairs(trail) == ["AB", "BC", "CD", "DE", "EF", "FG"][:depth]
        assert [hop for _, hop in trail.edges] == list(range(1, depth + 1))
        assert (trail.seeds, trail.complete) == ((("A1", "exact"),), True)
    assert pairs(walked(parties.coder, "C1", mode="bfs", depth=1)) == ["CD", "BC"]


@both
def test_no_fact_comes_twice_in_circles_between_neighbours_and_with_itself(parties: Parties, mode: Mode) -> None:
    join(parties.coder, "AB", "BC", "CA", "AC", "BD", "DB")
    fact(parties.coder, "A1", "likes", "A1", allow_self=True)
    fact(parties.coder, "A1", "likes", "B1")
    trail = walked(parties.coder, "A1", mode=mode, depth=6)
    refs = [met.ref for met, _ in trail.edges]
    assert sorted(refs) == sorted(set(refs))
    assert len(refs) == GovernanceItem.objects.count() == 8


@both
def test_facts_are_met_in_the_order_of_the_walk(parties: Parties, mode: Mode) -> None:
    join(parties.coder, "XY", "DX", "AD", "BC", "AB")
    trail = walked(parties.coder, "A1", mode=mode)
    assert pairs(trail) == (["AB", "AD", "BC", "DX", "XY"] if mode == "bfs" else ["AB", "BC", "AD", "DX", "XY"])
    assert [hop for _, hop in trail.edges] == ([1, 1, 2, 2, 3] if mode == "bfs" else [1, 2, 1, 2, 3])


def test_a_path_that_was_met_late_is_gone_on_from_when_it_is_met_early(parties: Parties) -> None:
    """A long way to C is walked first; over the short one there is still depth left for what lies behind it."""
    join(parties.coder, "DE", "CD", "AC", "BC", "AB")
    assert pairs(walked(parties.coder, "A1", mode="dfs", depth=3)) == ["AB", "BC", "AC", "CD", "DE"]
    assert set(pairs(walked(parties.coder, "A1", mode="bfs", depth=3))) == {"AB", "AC", "BC", "CD", "DE"}


@both
def test_a_value_is_an_end_and_leads_nowhere(parties: Parties, mode: Mode) -> None:
    fact(parties.coder, "Lotta", "email", "shared@example.org")
    fact(parties.coder, "Ada", "email", "shared@example.org")
    trail = walked(parties.coder, "Lotta", mode=mode, depth=6)
    assert [met.object for met, _ in trail.edges] == ["shared@example.org"]


# --- how many -----------------------------------------------------------------------------------------------------


@pytest.fixture
def hub(parties: Parties) -> int:
    """An entity in ten thousand facts, each with another one that itself has a second fact; written past the gate."""
    first = fact(parties.coder, "Hub", "has", "Part 0")
    execute(_MANY_ITEMS, {"like": first.pk})
    execute(_MANY_ENTITIES, {"user": parties.user.pk})
    execute(_MANY_TRIPLES, {"like": first.pk})
    return Triple.objects.filter(live=True).count()


_MANY_ITEMS = """
INSERT INTO review_governanceitem (id, ref, number, user_id, kind, text, text_digest, words_mac, scope, status, reason,
  confidence, privacy, origin, flags, tier, exclusive_key, valid, valid_from_precision, valid_to_precision, recorded_at,
  updated_at, last_seen_at, pinned, decided, revision, changed_seq)
SELECT id + n, lpad(to_hex(n), 12, '0'), number + n, user_id, kind, 'Hub → has → Part ' || n, md5(n::text), '', scope,
  status, reason, confidence, privacy, origin, flags, tier, '', valid, '', '', recorded_at, updated_at, last_seen_at,
  false, false, 1, changed_seq + n
FROM review_governanceitem CROSS JOIN generate_series(1, 9999) AS n WHERE id = %(like)s
"""
_MANY_ENTITIES = """
INSERT INTO graph_entity (ref, user_id, name, type, degree)
SELECT lpad(to_hex(n), 12, '0'), %(user)s, 'Part ' || n, '', 1 FROM generate_series(1, 9999) AS n
"""
_MANY_TRIPLES = """
INSERT INTO graph_triple (item_id, user_id, subject_name, predicate, object_name, is_value, score, source, subject_id,
  object_id, live, valid, counted)
SELECT t.item_id + n, t.user_id, 'Hub', 'has', 'Part ' || n, false, 100, '', t.subject_id, e.id, true, t.valid, true
FROM graph_triple AS t CROSS JOIN generate_series(1, 9999) AS n
JOIN graph_entity AS e ON e.ref = lpad(to_hex(n), 12, '0') WHERE t.item_id = %(like)s
"""


def test_never_more_than_was_asked_for_also_around_a_hub(
    parties: Parties, hub: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert hub == 10_000
    for mode, most, depth in itertools.product(MODES, (1, 50, 500), (1, 3)):
        trail = walked(parties.coder, "Hub", mode=mode, max_results=most, depth=depth)
        assert len(trail.edges) == len(dict(trail.edges)) == most, (mode, most, depth)
        assert not trail.complete
    # whole names, which of them are there, one hop, the facts, names of the seeds
    with django_assert_num_queries(5):
        walked(parties.coder, "Hub", max_results=500, depth=1)
    # a hop each, and the three entities of a level are asked at once
    with django_assert_num_queries(7):
        walked(parties.coder, "Part 7", max_results=500, depth=3)


@both
def test_an_answer_with_room_for_all_is_complete_and_one_short_of_it_is_not(parties: Parties, mode: Mode) -> None:
    join(parties.coder, "AB", "AC", "AD", "DE")
    for most, complete in ((3, False), (4, True), (5, True)):
        trail = walked(parties.coder, "A1", mode=mode, max_results=most, depth=6)
        assert (len(trail.edges), trail.complete) == (min(most, 4), complete)
    # what lies beyond the depth that was asked for was not asked for
    assert walked(parties.coder, "A1", mode=mode, max_results=3, depth=1).complete


def test_each_entity_of_a_level_gives_one_before_any_gives_a_second(parties: Parties) -> None:
    join(parties.coder, *(f"B{last}" for last in "VWXYZ"), "CM", "DN")
    trail = walked(parties.coder, "B1, C1 and D1", max_results=4)
    assert set(pairs(trail)) >= {"CM", "DN"}
    assert not trail.complete


def test_depth_first_asks_once_for_each_entity(
    parties: Parties, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    names = "ABCDEFGH"
    join(parties.coder, *("".join(pair) for pair in itertools.combinations(names, 2)))
    with django_assert_max_num_queries(4 + len(names)):
        trail = walked(parties.coder, "A1", mode="dfs", depth=6, max_results=500)
    assert len(trail.edges) == 28


# --- which --------------------------------------------------------------------------------------------------------


@both
def test_only_what_holds_is_gone_along_and_at_another_day_what_held_then(parties: Parties, mode: Mode) -> None:
    fact(parties.coder, "Lotta", "lives_in", "Porto", valid_from="2019")
    fact(parties.coder, "Porto", "part_of", "Portugal")
    fact(parties.coder, "Lotta", "lives_in", "Malmö", valid_from="2023-06-01")
    fact(parties.coder, "Malmö", "part_of", "Sweden")
    fact(parties.coder, "Lotta", "lives_in", "Oslo", valid_from="2999")
    for asked, expected in {
        None: {"Malmö", "Sweden"}, "2023-05-31": {"Porto", "Portugal"}, "2023-06-01": {"Malmö", "Sweden"},
        "2018": set(),
    }.items():  # fmt: skip
        moment = last_instant(asked, parties.coder.zone, field="as_of")
        trail = walked(parties.coder, "Lotta", mode=mode, as_of=moment)
        assert {met.object for met, _ in trail.edges} == expected, asked
        assert bool(trail.seeds) == bool(expected), asked


@both
def test_what_was_rejected_is_out_at_once_and_so_is_what_only_it_led_to(parties: Parties, mode: Mode) -> None:
    chain(parties.coder)
    bridge = GovernanceItem.objects.get(triple__subject_name="C1")
    lifecycle.reject(principal=parties.person, reference=bridge.ref)
    assert pairs(walked(parties.coder, "A1", mode=mode, depth=6)) == ["AB", "BC"]
    lifecycle.undo(principal=parties.person, reference=bridge.ref)
    assert len(walked(parties.coder, "A1", mode=mode, depth=6).edges) == 6


@both
def test_nobody_walks_over_facts_of_others(parties: Parties, strangers: Parties, mode: Mode) -> None:
    join(parties.coder, "AB", "CD")
    join(parties.writer, "BC", scope="agent")
    join(strangers.coder, "AZ", "BZ")
    assert pairs(walked(parties.coder, "A1", mode=mode)) == ["AB"]
    assert pairs(walked(parties.writer, "A1", mode=mode)) == ["AB", "BC", "CD"]
    assert pairs(walked(parties.person, "A1", mode=mode)) == ["AB", "BC", "CD"]
    assert pairs(walked(strangers.person, "A1", mode=mode)) == ["AZ", "BZ"]


def test_newer_facts_of_others_take_no_place(parties: Parties) -> None:
    join(parties.coder, "AB")
    for last in "VWXYZ":
        join(parties.writer, f"A{last}", scope="agent")
    trail = walked(parties.coder, "A1", max_results=1)
    assert (pairs(trail), trail.complete) == (["AB"], True)


# --- the tool -----------------------------------------------------------------------------------------------------


def test_the_tool_says_what_it_found_and_what_it_takes(parties: Parties) -> None:
    join(parties.coder, "AB", confidence="INFERRED")
    answer = query_graph(Call(parties.coder, None, "rest"), question="A1")
    [edge] = answer.edges
    assert (edge.subject, edge.predicate, edge.object, edge.confidence_label, edge.hop) == (
        "A1", "leads_to", "B1", "INFERRED", 1,
    )  # fmt: skip
    assert answer.display == "Found 1 connections from A1:\n  [INFERRED] A1 → leads_to → B1"
    for wrong, said in {"mode": "bfs, dfs", "depth": "at most 6", "max_results": "at most 500"}.items():
        with pytest.raises(Invalid, match=said):
            registry.get("query_graph").check({"question": "A1", wrong: 501 if wrong != "mode" else "sideways"})
    with pytest.raises(Invalid):
        registry.get("query_graph").check({"question": ""})
    assert Entity.objects.count() == 2
