"""Two entities that are one, and that they were not."""

import pytest

from graph.facts.merging import merge, preview, undo_merge
from graph.models import Entity, EntityMerge, EntityName, EntityWord
from pawflow_web.lib.errors import Conflict, Invalid, InvalidTransition, NotAllowed, NotFound
from review import lifecycle
from review.journal.chain import verify
from review.lifecycle import accept, reject
from review.lifecycle.erasing import purge
from review.models import GovernanceItem
from tests.graph.facts import add, fact, names, objects
from tests.review.beliefs import Parties


def refs(parties: Parties) -> dict[str, str]:
    return dict(Entity.objects.filter(user=parties.user).values_list("name", "ref"))


def degrees(parties: Parties) -> dict[str, int]:
    return dict(Entity.objects.filter(user=parties.user).values_list("name", "degree"))


def test_facts_and_names_of_both_are_those_of_one_and_can_be_parted_again(parties: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "lives_in", "Lisbon")
    fact(parties.coder, "lotta", "knows", "Ada")
    fact(parties.coder, "Ada", "manages", "Lotta")
    before = degrees(parties)
    seen = preview(principal=parties.person, keep="Lotta Berg", drop="LOTTA")
    assert (seen.facts, seen.names, seen.conflicts) == (2, ("lotta",), ())
    done = merge(principal=parties.person, keep="Lotta Berg", drop=refs(parties)["lotta"])
    assert objects(parties.coder, "lotta") == objects(parties.coder, "Lotta Berg") == {"Lisbon", "Ada"}
    assert degrees(parties) == {"Lotta Berg": 3, "Lisbon": 1, "Ada": 2}
    undo_merge(principal=parties.person, ref=done.ref)
    assert objects(parties.coder, "Lotta Berg") == {"Lisbon"}
    assert objects(parties.coder, "lotta") == {"Ada"}
    assert degrees(parties) == before
    with pytest.raises(InvalidTransition):
        undo_merge(principal=parties.person, ref=done.ref)
    assert verify(parties.user).differences == []


def test_after_it_both_names_hold_one_value(parties: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "knows", "Ada")
    porto = fact(parties.coder, "lotta", "lives_in", "Porto")
    waits = fact(parties.cron, "lotta", "works_at", "Acme")
    done = merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    lisbon = add(parties.coder, "Lotta Berg", "lives_in", "Lisbon")
    assert [item.pk for item in lisbon.admission.superseded] == [porto.pk]
    again = add(parties.coder, "LOTTA", "lives_in", "Lisbon")
    assert again.admission.outcome == "duplicate"
    globex = fact(parties.coder, "Lotta Berg", "works_at", "Globex")
    with pytest.raises(Conflict) as met:
        accept(principal=parties.person, reference=waits.ref)
    assert met.value.fields == {"contradicts": globex.ref}
    undo_merge(principal=parties.person, ref=done.ref)
    accept(principal=parties.person, reference=waits.ref)
    assert objects(parties.coder, "lotta", current=True) == {"Acme"}
    assert objects(parties.coder, "Lotta Berg", current=True) == {"Ada", "Lisbon", "Globex"}
    assert verify(parties.user).differences == []


def test_two_values_that_could_not_hold_together_stand_in_the_way(parties: Parties) -> None:
    lisbon = fact(parties.coder, "Lotta Berg", "lives_in", "Lisbon")
    porto = fact(parties.coder, "lotta", "lives_in", "Porto")
    assert preview(principal=parties.person, keep="Lotta Berg", drop="lotta").conflicts == ((porto, lisbon),)
    with pytest.raises(Conflict) as met:
        merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    assert met.value.fields == {"contradicts": [porto.ref, lisbon.ref]}
    assert objects(parties.coder, "lotta") == {"Porto"}
    reject(principal=parties.person, reference=porto.ref)
    fact(parties.coder, "lotta", "knows", "Ada")
    merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    assert objects(parties.coder, "lotta") == {"Lisbon", "Ada"}


def test_merges_of_merges_part_one_by_one(parties: Parties) -> None:
    for name in ("one", "two", "three"):
        fact(parties.coder, name, "uses", f"tool {name}")
    first = merge(principal=parties.person, keep="two", drop="one")
    merge(principal=parties.person, keep="three", drop="two")
    assert objects(parties.coder, "one") == {"tool one", "tool two", "tool three"}
    undo_merge(principal=parties.person, ref=first.ref)
    assert objects(parties.coder, "one") == {"tool one"}
    assert objects(parties.coder, "two") == {"tool two", "tool three"}


def test_it_goes_with_the_entity_that_was_kept(parties: Parties) -> None:
    kept = fact(parties.coder, "Lotta Berg", "knows", "Ada")
    dropped = fact(parties.coder, "lotta", "knows", "Bea")
    merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    for item in (kept, dropped):
        reject(principal=parties.person, reference=item.ref)
    assert names(parties.user.pk) == set()
    assert not EntityMerge.objects.exists()
    assert not EntityName.objects.exists()


def test_only_a_person_merges_and_only_their_own(parties: Parties, strangers: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "knows", "Ada")
    fact(strangers.coder, "lotta", "knows", "Bea")
    with pytest.raises(NotAllowed):
        merge(principal=parties.coder, keep="Lotta Berg", drop="Ada")
    with pytest.raises(NotFound):
        merge(principal=parties.person, keep="Lotta Berg", drop="lotta")
    with pytest.raises(NotFound):
        merge(principal=parties.person, keep="Lotta Berg", drop=refs(strangers)["lotta"])
    with pytest.raises(Invalid):
        merge(principal=parties.person, keep="Lotta Berg", drop="LOTTA BERG")
    done = merge(principal=parties.person, keep="Lotta Berg", drop="Ada")
    with pytest.raises(NotFound):
        undo_merge(principal=strangers.person, ref=done.ref)
    assert GovernanceItem.objects.filter(triple__live=True).count() == 2


@pytest.mark.parametrize("way", ["purged", "secret"])
@pytest.mark.parametrize("kept", ["Lotta Berg", "Zacharias"])
def test_a_name_that_a_merge_gave_goes_with_the_words_that_said_it(parties: Parties, way: str, kept: str) -> None:
    fact(parties.coder, "Lotta Berg", "knows", "Ada")
    hidden = fact(parties.coder, "Zacharias", "knows", "Ada")
    dropped = "Zacharias" if kept == "Lotta Berg" else "Lotta Berg"
    done = merge(principal=parties.person, keep=kept, drop=dropped)
    assert "Zacharias" in names(parties.user.pk)
    if way == "purged":
        purge(principal=parties.person, reference=hidden.ref, confirm=hidden.ref)
    else:
        changes = lifecycle.Changes(privacy="secret")
        lifecycle.edit(principal=parties.person, reference=hidden.ref, revision=hidden.revision, changes=changes)
    assert names(parties.user.pk) == {"Lotta Berg", "Ada"}
    assert "zacharias" not in str([*EntityMerge.objects.values(), *EntityWord.objects.values()]).lower()
    if kept == "Lotta Berg":
        with pytest.raises(NotFound):
            undo_merge(principal=parties.person, ref=done.ref)


def test_an_undone_merge_keeps_no_word_of_what_it_was_about(parties: Parties) -> None:
    fact(parties.coder, "Lotta Berg", "knows", "Ada")
    hidden = fact(parties.coder, "Zacharias", "knows", "Bea")
    done = merge(principal=parties.person, keep="Lotta Berg", drop="Zacharias")
    assert "Zacharias" in str(list(EntityMerge.objects.values()))
    assert undo_merge(principal=parties.person, ref=done.ref).back.name == "Zacharias"
    purge(principal=parties.person, reference=hidden.ref, confirm=hidden.ref)
    assert "zacharias" not in str(list(EntityMerge.objects.values())).lower()
    assert names(parties.user.pk) == {"Lotta Berg", "Ada"}
