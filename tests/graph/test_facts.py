"""Facts on their way in: what they come to, which values they meet, and who stands in the graph afterwards."""

import pytest

from graph.facts.parts import Parts, parts_of
from graph.facts.vocabulary import set_functional
from graph.models import Entity
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from review.journal.chain import verify
from review.lifecycle import accept, correct, edit, forget, reject, undo
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.graph.facts import add, fact, names, objects
from tests.review.beliefs import Parties


@pytest.mark.parametrize("predicate", ["uses", "knows", "child_of", "prefers_editor"])
def test_most_predicates_keep_all_values_and_name_the_others(parties: Parties, predicate: str) -> None:
    first = add(parties.coder, "Lotta", predicate, "Acme")
    second = add(parties.coder, "Lotta", predicate, "Globex")
    assert first.contradicts == ()
    assert [item.triple.object_name for item in second.contradicts] == ["Acme"]
    assert second.admission.superseded == ()
    assert objects(parties.coder, "Lotta", current=True) == {"Acme", "Globex"}


@pytest.mark.parametrize(("predicate", "old", "new"), [
    ("lives_in", "Porto", "Lisbon"), ("works_at", "Acme", "Globex"), ("email", "a@example.org", "b@example.org"),
])  # fmt: skip
def test_some_hold_one_value_at_a_time(parties: Parties, predicate: str, old: str, new: str) -> None:
    before = fact(parties.coder, "Lotta", predicate, old)
    done = add(parties.coder, "Lotta", predicate, new)
    assert [item.pk for item in done.admission.superseded] == [before.pk]
    assert [item.pk for item in done.contradicts] == [before.pk]
    assert objects(parties.coder, "Lotta", current=True) == {new}
    assert done.admission.item is not None
    assert done.admission.item.triple.is_value is (predicate == "email")


def test_a_fact_known_already_is_told_as_such_and_what_contradicts_it_too(parties: Parties) -> None:
    paris = fact(parties.coder, "Lotta", "visits", "Paris")
    fact(parties.coder, "Lotta", "visits", "London")
    again = add(parties.coder, "  LOTTA ", "Visits", "paris")
    assert again.admission.outcome == "duplicate"
    assert again.admission.item == paris
    assert [item.triple.object_name for item in again.contradicts] == ["London"]


def test_parts_that_are_told_apart_never_meet(parties: Parties) -> None:
    one = fact(parties.coder, "a b", "c", "d")
    assert fact(parties.coder, "a", "b", "c d").pk != one.pk
    with pytest.raises(Invalid, match="arrow"):
        add(parties.coder, "a → b", "c", "d")
    shown = Parts("Lotta", "notes", "x → y → z", is_value=True)
    assert parts_of(shown.text, is_value=True) == shown


@pytest.mark.parametrize(("confidence", "score"), [
    ("EXTRACTED", 100), (" inferred ", 70), ("AMBIGUOUS", 30), (0.95, 95), (0.6, 60), (0.2, 20), (1, 100), (0, 0),
])  # fmt: skip
def test_confidence_is_a_label_or_a_number(parties: Parties, confidence: str | float, score: int) -> None:
    assert fact(parties.coder, "Lotta", "knows", "Ada", confidence=confidence).triple.score == score


@pytest.mark.parametrize("confidence", ["VERIFIED", "", 1.5, -0.1, float("nan"), True])
def test_any_other_confidence_is_refused_naming_the_choices(parties: Parties, confidence: str | float) -> None:
    with pytest.raises(Invalid, match="EXTRACTED, INFERRED, AMBIGUOUS"):
        add(parties.coder, "Lotta", "knows", "Ada", confidence=confidence)


def test_both_ends_may_be_one_only_when_that_is_said(parties: Parties) -> None:
    with pytest.raises(Invalid, match="allow_self"):
        add(parties.coder, "Lotta", "knows", "lotta")
    item = fact(parties.coder, "Lotta", "knows", "lotta", allow_self=True)
    assert item.triple.subject_id == item.triple.object_id
    assert Entity.objects.get().degree == 2


def test_supersede_is_the_callers_to_decide(parties: Parties) -> None:
    ada = fact(parties.coder, "Lotta", "knows", "Ada")
    done = add(parties.coder, "Lotta", "knows", "Bea", supersede=True)
    assert [item.pk for item in done.admission.superseded] == [ada.pk]
    fact(parties.coder, "Lotta", "knows", "Cleo")
    with pytest.raises(Conflict, match="Several values"):
        add(parties.coder, "Lotta", "knows", "Dora", supersede=True)
    fact(parties.coder, "Lotta", "lives_in", "Porto")
    asked = add(parties.coder, "Lotta", "lives_in", "Lisbon", supersede=False)
    assert (asked.admission.status, asked.admission.reason) == ("needs_review", "contradicts_active")
    assert objects(parties.coder, "Lotta", current=True) == {"Bea", "Cleo", "Porto"}


def test_an_automation_closes_nothing_and_waits(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "lives_in", "Porto")
    done = add(parties.cron, "Lotta", "lives_in", "Lisbon", supersede=True)
    assert (done.admission.status, done.admission.superseded) == ("needs_review", ())
    assert objects(parties.coder, "Lotta") == {"Porto"}


def test_an_entity_is_there_exactly_while_a_fact_in_use_names_it(parties: Parties) -> None:
    user = parties.user.pk
    waiting = fact(parties.cron, "Lotta", "maintains", "pawflow")
    assert names(user) == set()
    accept(principal=parties.person, reference=waiting.ref)
    assert names(user) == {"Lotta", "pawflow"}
    assert [entity.degree for entity in Entity.objects.all()] == [1, 1]
    rejected = reject(principal=parties.person, reference=waiting.ref)
    assert names(user) == set()
    undo(principal=parties.person, reference=rejected.item.ref)
    assert names(user) == {"Lotta", "pawflow"}
    forget(principal=parties.person, reference=waiting.ref)
    assert names(user) == set()
    reject(principal=parties.person, reference=waiting.ref)
    with pytest.raises(Tombstoned):
        add(parties.coder, "LOTTA", "maintains", "pawflow")
    assert verify(parties.user).differences == []


def test_secret_and_erased_facts_leave_no_name_behind(parties: Parties) -> None:
    kept = fact(parties.coder, "Lotta", "knows", "Ada")
    secret = fact(parties.coder, "Lotta", "knows", "Zacharias")
    edit(principal=parties.person, reference=secret.ref, revision=secret.revision, changes={"privacy": "secret"})
    secret = GovernanceItem.objects.select_related("triple").get(pk=secret.pk)
    assert (secret.triple.subject_name, secret.triple.object_name, secret.triple.live) == ("", "", False)
    assert names(parties.user.pk) == {"Lotta", "Ada"}
    edit(principal=parties.person, reference=secret.ref, revision=secret.revision, changes={"privacy": "normal"})
    assert names(parties.user.pk) == {"Lotta", "Ada", "Zacharias"}
    purge(principal=parties.person, reference=secret.ref, confirm=secret.ref)
    purge(principal=parties.person, reference=kept.ref, confirm=kept.ref)
    assert names(parties.user.pk) == set()
    assert verify(parties.user).differences == []


def test_correcting_a_fact_takes_its_parts_from_the_words(parties: Parties) -> None:
    porto = fact(parties.coder, "Lotta", "lives_in", "Porto")
    fact(parties.coder, "Ada", "lives_in", "Lisbon")
    done = correct(principal=parties.person, reference=porto.ref, text="Lotta → lives in → Faro")
    assert done.item.text == "Lotta → lives_in → Faro"
    assert objects(parties.coder, "Lotta") == {"Faro"}
    assert names(parties.user.pk) == {"Lotta", "Faro", "Ada", "Lisbon"}
    with pytest.raises(Invalid, match="subject → predicate → object"):
        correct(principal=parties.person, reference=done.item.ref, text="Lotta lives in Faro")
    with pytest.raises(Conflict):
        correct(principal=parties.person, reference=done.item.ref, text="Ada → lives_in → Faro")
    undo(principal=parties.person, reference=done.item.ref)
    assert objects(parties.coder, "Lotta") == {"Porto"}
    assert verify(parties.user).differences == []


def test_the_owner_says_which_predicates_hold_one_value(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "uses", "vim")
    assert set_functional(principal=parties.person, predicates=["Uses", "works-at"]) == ("uses", "works_at")
    waits = fact(parties.cron, "Lotta", "uses", "helix")
    fact(parties.coder, "Lotta", "uses", "emacs")
    assert objects(parties.coder, "Lotta", current=True) == {"vim", "emacs"}
    with pytest.raises(Conflict):
        accept(principal=parties.person, reference=waits.ref)
    assert objects(parties.coder, "Lotta", current=True) == {"vim", "emacs"}


def test_the_place_of_a_fact_belongs_to_its_key(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "lives_in", "Porto")
    mine = fact(parties.coder, "Lotta", "lives_in", "Lisbon", scope="agent")
    assert objects(parties.coder, "Lotta", current=True) == {"Porto", "Lisbon"}
    assert objects(parties.writer, "Lotta", current=True) == {"Porto"}
    with pytest.raises(Conflict):
        edit(principal=parties.person, reference=mine.ref, revision=mine.revision, changes={"scope": "global"})


def test_what_takes_the_place_of_an_only_fact_leaves_its_entity_as_it_was(parties: Parties) -> None:
    fact(parties.coder, "Lotta", "lives_in", "Porto", valid_from="2025")
    before = Entity.objects.get(name="Lotta")
    fact(parties.coder, "Lotta", "lives_in", "Lisbon", valid_from="2025")
    assert Entity.objects.get(name="Lotta").ref == before.ref
    assert names(parties.user.pk) == {"Lotta", "Lisbon"}
