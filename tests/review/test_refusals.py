"""Rejected words stay away on every path, and what nearly repeats them waits."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from memory.notes.services import remember_note
from pawflow_web.lib.errors import Conflict, NotFound, Tombstoned
from pawflow_web.lib.search import tail
from review import lifecycle
from review.gate import admit, admit_one, tombstones
from review.gate.lookalikes import find_lookalikes
from review.gate.proposals import NOBODY_LOOKED, Nearness
from review.lifecycle.erasing import purge
from review.models import GovernanceItem, JournalEntry, Origin, Status, Tombstone
from review.search.index import catch_up
from tests.review.beliefs import Parties, again, differences, note, readable, said, say, seal

WORDS = "The staging password rotates weekly"
VARIANTS = [
    WORDS,
    WORDS.upper(),
    f"{WORDS}.",
    f"  {WORDS.replace(' ', '   ')}  ",
    f"“{WORDS}”",
    WORDS.replace("staging", "sta\u200bging"),
    "Ｔｈｅ ｓｔａｇｉｎｇ password rotates weekly",
]


@pytest.fixture
def rejected(parties: Parties) -> GovernanceItem:
    item = said(parties.coder, WORDS)
    assert readable(parties.writer) == {WORDS}
    lifecycle.reject(principal=parties.person, reference=item.ref)
    return again(item)


def test_a_rejected_belief_is_gone_and_its_words_are_not_in_the_refusal(
    parties: Parties, rejected: GovernanceItem
) -> None:
    said(parties.coder, "The office is in Porto")
    assert readable(parties.coder) == {"The office is in Porto"}
    stone = Tombstone.objects.get()
    assert (stone.item_ref, stone.by, stone.digest) == (rejected.ref, "alice", rejected.text_digest)
    assert "staging" not in " ".join(str(value) for value in Tombstone.objects.values_list().get())
    assert differences(parties.user) == []


@pytest.mark.parametrize("text", VARIANTS, ids=ascii)
@pytest.mark.parametrize("who", ["person", "coder", "cron"])
def test_its_words_are_refused_whoever_brings_them_however_they_are_spelled(
    parties: Parties, rejected: GovernanceItem, who: str, text: str
) -> None:
    with pytest.raises(Tombstoned) as refused:
        remember_note(principal=getattr(parties, who), text=text)
    assert refused.value.fields == {"tombstone": Tombstone.objects.get().ref}
    assert Tombstone.objects.get().hits == 1
    assert GovernanceItem.objects.count() == 1


@pytest.mark.parametrize("origin", [Origin.IMPORTER, Origin.EXTRACTOR, None])
def test_no_other_path_brings_them_back(parties: Parties, rejected: GovernanceItem, origin: str | None) -> None:
    one = admit_one(note(parties.coder, WORDS, confidence=99), parties.coder, origin=origin)
    many = list(admit([note(parties.coder, WORDS), note(parties.coder, "Other words")], parties.coder, origin=origin))
    assert [one.outcome, many[0].outcome] == ["refused", "refused"]
    assert many[1].outcome == "stored"
    assert Tombstone.objects.get().hits == 2


def test_a_refusal_holds_in_every_scope(parties: Parties) -> None:
    item = said(parties.coder, WORDS, scope="agent")
    lifecycle.reject(principal=parties.person, reference=item.ref)
    assert say(parties.writer, WORDS).outcome == "refused"
    assert say(parties.coder, WORDS, scope="global").outcome == "refused"


def test_a_refusal_holds_for_its_owner_only(strangers: Parties, rejected: GovernanceItem) -> None:
    assert say(strangers.coder, WORDS).status == "active"


def test_a_copy_that_is_in_use_elsewhere_stays_and_takes_voices(parties: Parties) -> None:
    own = said(parties.coder, WORDS, scope="agent")
    common = said(parties.coder, WORDS)
    lifecycle.reject(principal=parties.person, reference=common.ref)
    assert say(parties.coder, WORDS, scope="agent").item.pk == own.pk
    assert say(parties.coder, WORDS).outcome == "refused"


def test_the_journal_hears_of_refused_words_once_a_day_and_party(parties: Parties, rejected: GovernanceItem) -> None:
    for who in (parties.coder, parties.coder, parties.cron, parties.coder):
        say(who, WORDS)
    refusals = JournalEntry.objects.filter(item_id=rejected.pk, verb="refuse")
    assert sorted(refusals.values_list("actor_name", flat=True)) == ["coder", "cron"]
    assert Tombstone.objects.get().hits == 4
    assert differences(parties.user) == []


def test_the_journal_hears_of_it_once_although_one_act_brings_them_often(
    parties: Parties, rejected: GovernanceItem
) -> None:
    brought = list(admit([note(parties.coder, text) for text in VARIANTS], parties.coder))
    assert {one.outcome for one in brought} == {"refused"}
    assert JournalEntry.objects.filter(item_id=rejected.pk, verb="refuse").count() == 1
    assert Tombstone.objects.get().hits == len(VARIANTS)
    # another party's word is another entry
    list(admit([note(parties.cron, WORDS)] * 2, parties.cron))
    assert JournalEntry.objects.filter(item_id=rejected.pk, verb="refuse").count() == 2
    assert differences(parties.user) == []


@pytest.mark.parametrize(
    "text",
    [
        "The staging password rotates weekly now",
        "Weekly the staging password rotates",
        "The staging passwords rotate weekly",
    ],
)
def test_what_nearly_repeats_them_waits_whoever_says_it(parties: Parties, rejected: GovernanceItem, text: str) -> None:
    for who in (parties.coder, parties.person):
        done = remember_note(principal=who, text=text, scope="global").admission
        assert (done.status, done.reason) == ("needs_review", "near_tombstone")
    far = remember_note(principal=parties.coder, text="The coffee machine is cleaned daily").admission
    assert far.status == "active"


def test_forgotten_words_near_a_refusal_come_back_into_review_only(parties: Parties) -> None:
    item = said(parties.coder, f"{WORDS} now")
    lifecycle.forget(principal=parties.coder, reference=item.ref)
    other = said(parties.coder, WORDS)
    lifecycle.reject(principal=parties.person, reference=other.ref)
    done = remember_note(principal=parties.coder, text=f"{WORDS} now", scope="global").admission
    assert (done.item.pk, done.status, done.reason) == (item.pk, "needs_review", "near_tombstone")
    lifecycle.accept(principal=parties.person, reference=item.ref)
    assert readable(parties.coder) == {f"{WORDS} now"}


def test_a_person_lifts_a_refusal_and_nobody_elses(
    parties: Parties, strangers: Parties, rejected: GovernanceItem
) -> None:
    stone = Tombstone.objects.get()
    with pytest.raises(NotFound):
        tombstones.lift_by_ref(principal=strangers.person, ref=stone.ref)
    tombstones.lift_by_ref(principal=parties.person, ref=stone.ref)
    with pytest.raises(NotFound):
        tombstones.lift_by_ref(principal=parties.person, ref=stone.ref)
    entry = JournalEntry.objects.get(item_id=rejected.pk, verb="lift_tombstone")
    assert (entry.event, entry.moved) == ("edit", False)
    done = say(parties.coder, WORDS)
    assert (done.outcome, done.status) == ("stored", "active")
    assert again(rejected).status == Status.REJECTED
    assert differences(parties.user) == []


def test_restore_brings_it_back_into_review_and_lifts_the_refusal(parties: Parties, rejected: GovernanceItem) -> None:
    lifecycle.restore(principal=parties.person, reference=rejected.ref)
    assert (again(rejected).status, again(rejected).reason) == ("needs_review", "restored")
    assert Tombstone.objects.get().lifted_at is not None
    assert readable(parties.coder) == set()
    # waiting for a person's look, not for its origin
    assert say(parties.coder, WORDS).outcome == "duplicate"
    assert again(rejected).status == "needs_review"


def test_restore_is_refused_where_the_words_were_stored_again(parties: Parties, rejected: GovernanceItem) -> None:
    tombstones.lift_by_ref(principal=parties.person, ref=Tombstone.objects.get().ref)
    twin = said(parties.coder, WORDS)
    with pytest.raises(Conflict) as refused:
        lifecycle.restore(principal=parties.person, reference=rejected.ref)
    assert refused.value.fields == {"duplicate_of": twin.ref}
    lifecycle.forget(principal=parties.coder, reference=twin.ref)
    assert lifecycle.restore(principal=parties.person, reference=rejected.ref).item.status == "needs_review"


def test_a_history_that_is_rejected_does_not_come_back(parties: Parties) -> None:
    old = said(parties.coder, "Lives in Berlin")
    new = said(parties.coder, "Lives in Porto", replaces=old)
    lifecycle.reject(principal=parties.person, reference=old.ref)
    lifecycle.reject(principal=parties.person, reference=new.ref)
    assert readable(parties.coder) == set()
    assert say(parties.coder, "Lives in Berlin").outcome == "refused"


def test_a_refusal_that_comes_between_the_look_and_the_gate_still_counts(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    looked = find_lookalikes(parties.coder, f"{WORDS} now", kind="note").nearness
    assert not looked.is_near
    lifecycle.reject(principal=parties.person, reference=item.ref)
    done = say(parties.coder, f"{WORDS} now", near=looked)
    assert (done.status, done.reason) == ("needs_review", "near_tombstone")
    assert say(parties.coder, "The coffee machine is cleaned daily", near=looked).status == "active"


def test_without_an_index_nearness_is_still_seen(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    item = said(parties.coder, WORDS)
    lifecycle.reject(principal=parties.person, reference=item.ref)
    for number in range(4):
        said(parties.coder, f"Something else was said the {number}. time")
    monkeypatch.setattr(tail, "WITHOUT_INDEX_LIMIT", 2)
    assert find_lookalikes(parties.coder, f"{WORDS} now", kind="note").nearness.is_near
    assert not find_lookalikes(parties.coder, "The coffee machine is cleaned daily", kind="note").nearness.is_near


@pytest.fixture
def left_over(parties: Parties) -> GovernanceItem:
    """Of two rejected beliefs with the same words the one that made no refusal; the other is erased."""
    first, second = said(parties.coder, WORDS, scope="agent"), said(parties.coder, WORDS)
    for item in (first, second):
        lifecycle.reject(principal=parties.person, reference=item.ref)
    assert Tombstone.objects.get().item_id == first.pk
    purge(principal=parties.person, reference=first.ref, confirm=first.ref)
    return again(second)


@pytest.mark.parametrize("place", ["tail", "index", "nowhere"])
def test_a_refusal_is_of_words_whichever_belief_still_says_them(
    parties: Parties, left_over: GovernanceItem, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    for number in range(4):
        said(parties.coder, f"Something else was said the {number}. time")
    if place == "index":
        catch_up(parties.user.pk)
    if place == "nowhere":
        monkeypatch.setattr(tail, "WITHOUT_INDEX_LIMIT", 2)
    assert find_lookalikes(parties.coder, f"{WORDS} now", kind="note").nearness.is_near
    tombstones.lift_by_ref(principal=parties.person, ref=Tombstone.objects.get().ref)
    assert not find_lookalikes(parties.coder, f"{WORDS} now", kind="note").nearness.is_near


def test_so_is_one_that_came_after_the_look(parties: Parties, left_over: GovernanceItem) -> None:
    done = say(parties.coder, f"{WORDS} now", near=Nearness())
    assert (done.status, done.reason) == ("needs_review", "near_tombstone")
    assert say(parties.coder, f"{WORDS} then", near=Nearness(newest_refusal=NOBODY_LOOKED)).status == "active"


@pytest.mark.parametrize("indexed", [False, True], ids=["tail", "index"])
def test_rejected_secrets_are_compared_although_no_index_holds_them(
    parties: Parties, strangers: Parties, *, indexed: bool
) -> None:
    secret = seal(parties, said(parties.coder, WORDS))
    lifecycle.reject(principal=parties.person, reference=secret.ref)
    if indexed:
        catch_up(parties.user.pk)
    assert find_lookalikes(parties.coder, f"{WORDS} now", kind="note").nearness.is_near
    assert not find_lookalikes(parties.coder, "The coffee machine is cleaned daily", kind="note").nearness.is_near
    assert not find_lookalikes(strangers.coder, f"{WORDS} now", kind="note").nearness.is_near


def test_one_that_no_key_opens_keeps_nobody_from_speaking(parties: Parties) -> None:
    secret = seal(parties, said(parties.coder, WORDS))
    lifecycle.reject(principal=parties.person, reference=secret.ref)
    GovernanceItem.objects.filter(pk=secret.pk).update(text="not sealed by any key of ours")
    assert say(parties.coder, WORDS).outcome == "refused"
    done = remember_note(principal=parties.coder, text=f"{WORDS} now", scope="global").admission
    assert done.status == "active"


def test_words_of_which_none_tells_anything_are_compared_with_no_refusal(
    parties: Parties, rejected: GovernanceItem, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Under the owner's clock nobody opens every refusal because a text is nothing but signs."""
    with django_assert_num_queries(0):
        nearness = find_lookalikes(parties.coder, "→ ←", kind="note").nearness
    assert nearness == Nearness(newest_refusal=NOBODY_LOOKED)
    for text, near, opened in (("→ ←", nearness, 0), ("← →", Nearness(), 1)):
        with CaptureQueriesContext(connection) as asked:
            assert say(parties.coder, text, near=near).status == "active"
        assert len([one for one in asked.captured_queries if '"text_digest" IN' in one["sql"]]) == opened
