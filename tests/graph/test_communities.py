"""Who belongs together, and that it is forgotten at once with what said so."""

import itertools
import subprocess
import sys

import pytest
from pytest_django import DjangoAssertNumQueries

from graph.facts import communities as module
from graph.facts.communities import Communities, communities
from graph.tools.walking import kg_communities
from pawflow_web.env import CHECKOUT
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from review import lifecycle
from review.models import GovernanceItem
from tests.graph.facts import fact
from tests.review.beliefs import Parties


def group(principal: Principal, *names: str, scope: str | None = None) -> None:
    """Everybody knows everybody."""
    for first, last in itertools.combinations(names, 2):
        fact(principal, first, "knows", last, scope=scope)


def found(principal: Principal, limit: int = 10) -> list[set[str]]:
    return [set(one.members) for one in communities(principal=principal, limit=limit).found]


def test_those_who_are_tied_closely_are_one_community_the_largest_first(parties: Parties) -> None:
    group(parties.coder, "Ada", "Bea", "Cleo")
    group(parties.coder, "Porto", "Faro", "Braga", "Lisbon")
    fact(parties.coder, "Ada", "lives_in", "Porto")
    fact(parties.coder, "Ada", "email", "ada@example.org")
    fact(parties.coder, "Solo", "likes", "Solo", allow_self=True)
    towns, people = communities(principal=parties.coder, limit=10).found
    assert (towns.label, towns.size, towns.central) == ("Porto, Faro, Braga", 4, "Porto")
    assert towns.members == ("Porto", "Faro", "Braga", "Lisbon")
    assert (people.label, people.size, people.central) == ("Ada, Bea, Cleo", 3, "Ada")
    assert found(parties.coder, limit=1) == [{"Porto", "Faro", "Braga", "Lisbon"}]
    answer = kg_communities(Call(parties.coder, None, "rest"), limit=1)
    assert answer.display == "Communities:\n  Porto, Faro, Braga (4 entities): Porto, Faro, Braga, Lisbon"
    assert answer.complete


def test_at_most_twenty_members_are_named(parties: Parties) -> None:
    for number in range(24):
        fact(parties.coder, f"Part {number}", "part_of", "Whole")
    [one] = communities(principal=parties.coder, limit=10).found
    assert (one.size, len(one.members), one.central) == (25, 20, "Whole")


def test_what_was_rejected_is_in_none_at_once_and_comes_back_with_an_undo(parties: Parties) -> None:
    group(parties.coder, "Ada", "Bea")
    group(parties.coder, "Zoe", "Yan")
    assert found(parties.coder) == [{"Ada", "Bea"}, {"Zoe", "Yan"}]
    item = GovernanceItem.objects.get(triple__subject_name="Zoe")
    lifecycle.reject(principal=parties.person, reference=item.ref)
    assert found(parties.coder) == [{"Ada", "Bea"}]
    lifecycle.undo(principal=parties.person, reference=item.ref)
    assert {"Zoe", "Yan"} in found(parties.coder)


def test_each_caller_has_its_own(parties: Parties, strangers: Parties) -> None:
    group(parties.coder, "Ada", "Bea")
    group(parties.writer, "Cleo", "Dora", scope="agent")
    group(parties.cron, "Waiting", "Unseen")
    group(strangers.coder, "Zoe", "Yan")
    assert found(parties.coder) == [{"Ada", "Bea"}]
    assert found(parties.writer) == found(parties.person) == [{"Ada", "Bea"}, {"Cleo", "Dora"}]
    assert found(strangers.coder) == [{"Zoe", "Yan"}]


def test_they_are_found_once_for_as_long_as_nothing_changes(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    group(parties.coder, "Ada", "Bea", "Cleo")
    # the clock, once more, and as what it is found: the next moment, who is tied; names
    with django_assert_num_queries(6):
        first = communities(principal=parties.coder, limit=10)
    with django_assert_num_queries(2):
        assert communities(principal=parties.coder, limit=10) == first
    group(parties.coder, "Dora", "Ada", "Bea", "Cleo")
    assert found(parties.coder) == [{"Ada", "Bea", "Cleo", "Dora"}]


def test_of_a_graph_that_is_too_large_the_best_connected_are_looked_at(
    parties: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    group(parties.coder, "Ada", "Bea", "Cleo")
    group(parties.coder, "Zoe", "Yan")
    monkeypatch.setattr(module, "FACTS_MOST", 3)
    assert communities(principal=parties.coder, limit=10) == Communities(
        (module.Community("Ada, Bea, Cleo", 3, "Ada", ("Ada", "Bea", "Cleo")),), complete=False
    )
    answer = kg_communities(Call(parties.coder, None, "rest"), limit=10)
    assert not answer.complete
    assert "between the most connected entities" in answer.display


def test_no_process_loads_the_library_before_it_is_asked(parties: Parties) -> None:
    program = "import pawflow_web.asgi, pawflow_web.urls, sys; print('graph' in sys.modules, 'networkx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
