"""Which entities most facts name, for whom: counted exactly, though nothing is counted one by one."""

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from graph.facts import kept
from graph.facts.ending import invalidate
from graph.facts.hubs import Hub, hubs
from graph.facts.merging import merge, undo_merge
from graph.facts.parts import Parts
from graph.models import Triple
from graph.tools.walking import kg_god_nodes
from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.services import update_agent
from review import lifecycle
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.factories import make_conversation, make_principal
from tests.graph.facts import fact
from tests.review.beliefs import Parties, let_expire


def top(principal: Principal, limit: int = 10) -> dict[str, int]:
    return {hub.entity: hub.connections for hub in hubs(principal=principal, limit=limit)}


def test_the_most_connected_first_and_of_equals_the_first_by_name(parties: Parties) -> None:
    for name in ("Cleo", "Ada", "Bea"):
        fact(parties.coder, name, "knows", "Hub")
    fact(parties.coder, "Hub", "email", "hub@example.org")
    fact(parties.coder, "Ada", "likes", "Ada", allow_self=True)
    assert hubs(principal=parties.coder, limit=10) == [
        Hub("Ada", 3), Hub("Hub", 3), Hub("Bea", 1), Hub("Cleo", 1),
    ]  # fmt: skip
    assert list(top(parties.coder, limit=2)) == ["Ada", "Hub"]
    answer = kg_god_nodes(Call(parties.coder, None, "rest"), limit=1)
    assert answer.display == "Most connected entities:\n  Ada (3 connections)"


def test_what_is_over_not_yet_waiting_or_rejected_connects_nothing(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "knows", "Ada")
    fact(parties.coder, "Lotta", "knows", "Bea", valid_from="2019")
    fact(parties.coder, "Lotta", "knows", "Cleo", valid_from="2999")
    fact(parties.coder, "Lotta", "lives_in", "Porto", valid_from="2019")
    fact(parties.coder, "Lotta", "lives_in", "Faro", valid_from="2020")
    fact(parties.cron, "Lotta", "knows", "Dora")
    assert top(parties.coder) == {"Lotta": 3, "Ada": 1, "Bea": 1, "Faro": 1}
    invalidate(principal=parties.coder, parts=Parts("Lotta", "knows", "Bea"), ended="2020")
    assert top(parties.coder) == {"Lotta": 2, "Ada": 1, "Faro": 1}
    ada = GovernanceItem.objects.get(triple__object_name="Ada")
    lifecycle.reject(principal=parties.person, reference=ada.ref)
    assert top(parties.coder) == {"Faro": 1, "Lotta": 1}
    lifecycle.undo(principal=parties.person, reference=ada.ref)
    assert top(parties.coder) == {"Lotta": 2, "Ada": 1, "Faro": 1}
    let_expire(parties.person, ada)
    assert top(parties.coder) == {"Faro": 1, "Lotta": 1}
    purge(principal=parties.person, reference=ada.ref, confirm=ada.ref)
    assert top(parties.coder) == {"Faro": 1, "Lotta": 1}


def test_what_ends_later_is_counted_until_then(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "knows", "Ada", valid_from="2019", valid_to="2999")
    assert not Triple.objects.get().counted
    assert top(parties.coder) == {"Ada": 1, "Lotta": 1}


def test_each_caller_counts_what_it_may_read(parties: Parties, strangers: Parties) -> None:
    here = parties.coder.within(make_conversation(parties.user).pk, None)
    fact(parties.coder, "Lotta", "knows", "Ada")
    fact(parties.coder, "Lotta", "uses", "vim", scope="agent")
    fact(parties.writer, "Lotta", "uses", "emacs", scope="agent")
    fact(here, "Lotta", "uses", "helix", scope="conversation")
    private = fact(parties.coder, "Lotta", "visits", "Faro")
    changes = lifecycle.Changes(privacy="sensitive")
    lifecycle.edit(principal=parties.person, reference=private.ref, revision=private.revision, changes=changes)
    fact(strangers.coder, "Lotta", "knows", "Zoe")
    assert top(parties.coder) == {"Lotta": 2, "Ada": 1, "vim": 1}
    assert top(parties.writer) == {"Lotta": 2, "Ada": 1, "emacs": 1}
    assert top(here) == {"Lotta": 3, "Ada": 1, "helix": 1, "vim": 1}
    assert top(parties.person) == {"Lotta": 5, "Ada": 1, "emacs": 1, "Faro": 1, "helix": 1, "vim": 1}
    assert top(strangers.person) == {"Lotta": 1, "Zoe": 1}
    update_agent(user=parties.user, name="coder", reads_sensitive=True)
    assert top(make_principal(parties.user, agent="coder"))["Faro"] == 1


def test_a_merge_counts_both_together(parties: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "knows", "Ada")
    fact(parties.coder, "L. Berg", "knows", "Bea")
    fact(parties.coder, "L. Berg", "knows", "Cleo", scope="agent")
    row = merge(principal=parties.person, keep="Lotta Berg", drop="L. Berg")
    assert top(parties.coder)["Lotta Berg"] == 3
    undo_merge(principal=parties.person, ref=row.ref)
    assert top(parties.coder) == {"L. Berg": 2, "Ada": 1, "Bea": 1, "Cleo": 1, "Lotta Berg": 1}


def test_asking_again_costs_no_counting_until_something_changes(
    parties: Parties, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fact(parties.coder, "Lotta", "knows", "Ada")
    # the clock, once more, and as what it is found: the next moment, the best; their names
    with django_assert_num_queries(6):
        hubs(principal=parties.coder, limit=10)
    with django_assert_num_queries(2):
        assert top(parties.coder) == {"Ada": 1, "Lotta": 1}
    fact(parties.coder, "Lotta", "knows", "Bea")
    assert top(parties.coder) == {"Lotta": 2, "Ada": 1, "Bea": 1}
    # what was found for one caller is nobody else's
    assert top(parties.writer) == {"Lotta": 2, "Ada": 1, "Bea": 1}


@pytest.mark.parametrize("bound", ["valid_from", "valid_to", "expires_at"])
def test_a_moment_that_comes_by_itself_is_not_slept_through(
    parties: Parties, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    """Nothing is written when a fact begins, ends or expires."""
    soon, later = datetime(2999, 1, 1, tzinfo=UTC), datetime(2999, 1, 2, tzinfo=UTC)
    said = {} if bound == "expires_at" else {bound: soon.isoformat()}
    item = fact(parties.coder, "Lotta", "knows", "Ada", **said)
    if not said:
        changes = lifecycle.Changes(expires_at=soon)
        lifecycle.edit(principal=parties.person, reference=item.ref, revision=item.revision, changes=changes)
    found: list[str] = []
    watched = kept.Kept(lambda _: found.append("anew"))
    at, now = kept._clock(parties.coder)
    for moment, times in ((now, 1), (now, 1), (soon, 2), (later, 2)):
        monkeypatch.setattr(kept, "_clock", lambda _, moment=moment: (at, moment))
        watched.of(parties.coder)
        assert len(found) == times
