"""The shortest way between two entities, and what its tool takes."""

import itertools

import pytest
from pytest_django import DjangoAssertNumQueries

from graph.facts import paths
from graph.facts.ending import invalidate
from graph.facts.parts import Parts
from graph.facts.paths import Way, way_between
from graph.tools.walking import kg_path
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.tools import registry
from review import lifecycle
from review.models import GovernanceItem
from tests.graph.facts import fact
from tests.review.beliefs import Parties


def join(principal: Principal, *edges: str, **said: str) -> None:
    """A fact for each two letters, the first of which is its subject."""
    for first, last in edges:
        fact(principal, f"{first}1", "leads_to", f"{last}1", **said)


def way(principal: Principal, ends: str, **asked: int) -> Way:
    return way_between(principal=principal, start=f"{ends[0]}1", end=f"{ends[1]}1", **asked)


def pairs(found: Way) -> list[str]:
    return [f"{item.triple.subject_name[0]}{item.triple.object_name[0]}" for item in found.path]


def test_the_shortest_way_in_order_along_facts_in_either_direction(parties: Parties) -> None:
    join(parties.coder, "AB", "CB", "CD", "DE", "AX", "XY", "YZ", "ZW", "WE")
    assert pairs(way(parties.coder, "AE")) == ["AB", "CB", "CD", "DE"]
    assert pairs(way(parties.coder, "EA")) == ["DE", "CD", "CB", "AB"]
    assert pairs(way(parties.coder, "AB")) == ["AB"]
    assert way(parties.coder, "AA") == Way(found=True)
    join(parties.coder, "EA")
    assert pairs(way(parties.coder, "AE")) == ["EA"]


@pytest.mark.parametrize("hops", range(1, 11))
def test_no_way_is_longer_than_was_asked_for(
    parties: Parties, django_assert_max_num_queries: DjangoAssertNumQueries, hops: int
) -> None:
    names = "ABCDEFGHIJK"[: hops + 1]
    join(parties.coder, *("".join(pair) for pair in itertools.pairwise(names)))
    ends = f"{names[0]}{names[-1]}"
    # which entities these are, whether they are there, one for each hop, the facts
    with django_assert_max_num_queries(3 + hops):
        assert len(way(parties.coder, ends, max_hops=hops).path) == hops
    if hops > 1:
        assert way(parties.coder, ends, max_hops=hops - 1) == Way(found=False)


def test_there_is_no_way_over_what_the_caller_may_not_read_or_what_is_over(parties: Parties) -> None:
    join(parties.coder, "AB", "CD")
    join(parties.writer, "BC", scope="agent")
    assert way(parties.coder, "AD") == Way(found=False)
    assert pairs(way(parties.writer, "AD")) == pairs(way(parties.person, "AD")) == ["AB", "BC", "CD"]
    invalidate(principal=parties.coder, parts=Parts("A1", "leads_to", "B1"), ended="2020")
    assert way(parties.writer, "AD") == Way(found=False)
    assert pairs(way(parties.writer, "BD")) == ["BC", "CD"]
    lifecycle.reject(principal=parties.person, reference=GovernanceItem.objects.get(triple__subject_name="B1").ref)
    assert way(parties.writer, "BD") == Way(found=False)


def test_names_that_nobody_has_and_names_that_are_not_for_the_caller_have_no_way(parties: Parties) -> None:
    join(parties.writer, "AB", scope="agent")
    join(parties.cron, "CD")
    join(parties.coder, "EF")
    for ends in ("AB", "AA", "CD", "CC", "QQ", "QR", "EQ", "EA"):
        assert way(parties.coder, ends) == Way(found=False), ends
    assert way(parties.coder, "EE").found


def test_values_connect_nobody(parties: Parties) -> None:
    fact(parties.coder, "A1", "email", "shared@example.org")
    fact(parties.coder, "B1", "email", "shared@example.org")
    assert way(parties.coder, "AB") == Way(found=False)


def test_a_search_among_too_many_gives_up_and_says_so(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    join(parties.coder, *(f"A{last}" for last in "BCDEF"), *(f"{first}Z" for first in "UVWXY"))
    assert way(parties.coder, "AZ") == Way(found=False, complete=True)
    monkeypatch.setattr(paths, "SEEN_MOST", 5)
    assert way(parties.coder, "AZ") == Way(found=False, complete=False)


def test_the_tool_takes_a_word_that_python_keeps_for_itself(parties: Parties) -> None:
    join(parties.coder, "AB", "BC")
    tool = registry.get("kg_path")
    assert list(tool.input_schema()["properties"]) == ["from", "to", "max_hops"]
    assert tool.input_schema()["required"] == ["from", "to"]
    call = Call(parties.coder, None, "rest")
    answer = tool.run(call, {"from": "A1", "to": "c1"}).model_dump()
    assert (answer["found"], answer["hops"], answer["complete"]) == (True, 2, True)
    assert [(row["subject"], row["object"], row["current"]) for row in answer["path"]] == [
        ("A1", "B1", True),
        ("B1", "C1", True),
    ]
    assert answer == kg_path(call, "A1", "c1").model_dump()
    assert answer["display"] == "From A1 to c1 in 2 steps:\n  A1 → leads_to → B1\n  B1 → leads_to → C1"
    for wrong in ({"from_": "A1", "to": "C1"}, {"to": "C1"}, {"from": "", "to": "C1"}):
        with pytest.raises(Invalid) as refused:
            tool.check(wrong)
        assert refused.value.fields.keys() & {"from", "from_"}
    with pytest.raises(Invalid, match="max_hops must be at most 10"):
        tool.check({"from": "A1", "to": "C1", "max_hops": 11})
