"""What the database refuses, whoever asks, and what a verification shows of what it cannot refuse."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Memory
from pawflow_web.lib.db import execute
from review import lifecycle
from review.journal.chain import history, verify
from review.models import Believed, GovernanceItem, JournalEntry, JournalPayload
from tests.review.beliefs import Parties, again, differences, said, say


@pytest.fixture
def item(parties: Parties) -> GovernanceItem:
    """Three entries: two beliefs, one of them decided."""
    said(parties.coder, "Prefers tabs")
    item = said(parties.cron, "Prefers pytest", tags=["testing"])
    lifecycle.accept(principal=parties.person, reference=item.ref, comment="she said so")
    return again(item)


@contextmanager
def without_guards(*tables: str) -> Iterator[None]:
    """As somebody with the rights of the database's owner."""
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in tables:
        execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    for table in tables:
        execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE review_journalentry SET reason = 'other'",
        "UPDATE review_journalpayload SET body = '{}'",
        "DELETE FROM review_journalpayload",
        "DELETE FROM review_journalentry",
        "TRUNCATE review_journalpayload",
        "TRUNCATE review_journalentry CASCADE",
        "UPDATE review_governanceitem SET text = 'other'",
        "UPDATE review_governanceitem SET origin = 'importer'",
        "UPDATE review_governanceitem SET number = number + 100",
        "UPDATE review_governanceitem SET ref = 'aaaaaaaaaaaa'",
        "UPDATE review_governanceitem SET kind = 'fact'",
        "UPDATE review_governanceitem SET recorded_at = now()",
        "UPDATE review_governanceitem SET words_mac = 'x'",
        "UPDATE review_governanceitem SET text_digest = 'x'",
    ],
)
def test_what_happened_and_what_was_said_cannot_be_rewritten(
    parties: Parties, item: GovernanceItem, statement: str
) -> None:
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    execute("SET LOCAL pawflow.truncate = ''")
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        execute(statement)
    assert any(words in str(refused.value) for words in ("append-only", "never change"))
    assert differences(parties.user) == []


def test_what_may_change_can(parties: Parties, item: GovernanceItem) -> None:
    """The control: the guard is about words and journal, not about every column."""
    assert GovernanceItem.objects.filter(pk=item.pk).update(last_seen_at=datetime.now(UTC)) == 1
    assert differences(parties.user) == []


@pytest.mark.parametrize(
    "change",
    [
        {"status": "approved"},
        {"status": ""},
        {"reason": "because"},
        {"reason": ""},
        {"confidence": 101},
        {"confidence": -1},
        {"text": ""},
        {"text": "x" * 8001},
        {"privacy": "open"},
        {"origin": "god"},
        {"scope": "agent"},
        {"scope": "everybody"},
        {"scope": "private"},
        {"number": 1},
    ],
    ids=str,
)
def test_a_row_that_makes_no_sense_cannot_be_created_by_any_way(
    parties: Parties, item: GovernanceItem, change: dict[str, Any]
) -> None:
    at = datetime.now(UTC)
    good = {
        "user": parties.user, "number": 900, "kind": "note", "text": "Raw", "text_digest": "d", "words_mac": "m",
        "scope": "global", "status": "active", "reason": "user_channel", "confidence": 85, "privacy": "normal",
        "origin": "user_channel", "recorded_at": at, "updated_at": at, "last_seen_at": at, "changed_seq": 99,
    }  # fmt: skip
    with pytest.raises(Exception, match=r"review_governanceitem_|too long"), transaction.atomic():
        GovernanceItem.objects.create(**{**good, **change})
    raw = GovernanceItem.objects.create(**good)
    # and what was created past the gate is seen
    assert {"ref": raw.ref, "field": "row", "journal": "missing", "row": "there"} in differences(parties.user)


@pytest.mark.parametrize(
    "change", [{"category": "other"}, {"importance": "huge"}, {"durability": "long"}, {"tags": ["t"] * 21}], ids=str
)
def test_a_facet_keeps_its_limits_in_the_database(
    parties: Parties, item: GovernanceItem, change: dict[str, Any]
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Memory.objects.filter(pk=item.pk).update(**change)
    assert Memory.objects.filter(pk=item.pk).update(tags=["t"] * 20) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"confidence": 12}, "confidence"),
        ({"status": "stale"}, "status"),
        ({"pinned": True}, "pinned"),
        ({"decided": False}, "decided"),
        ({"reason": "restored"}, "reason"),
        ({"exclusive_key": "k"}, "exclusive_key"),
        ({"expires_at": datetime(2030, 1, 1, tzinfo=UTC)}, "expires_at"),
        ({"flags": [{"rule": "x", "start": 0, "end": 1}]}, "flags"),
    ],
)
def test_a_change_past_the_journal_is_shown(
    parties: Parties, item: GovernanceItem, change: dict[str, Any], field: str
) -> None:
    assert verify(parties.user).ok
    GovernanceItem.objects.filter(pk=item.pk).update(**change)
    found = differences(parties.user)
    assert [(one["ref"], one["field"]) for one in found] == [(item.ref, field)]


def test_a_changed_facet_is_shown_without_its_words(parties: Parties, item: GovernanceItem) -> None:
    Memory.objects.filter(pk=item.pk).update(tags=["confidential"])
    found = differences(parties.user)
    assert [one["field"] for one in found] == ["facet"]
    assert "confidential" not in str(found)


def test_words_changed_behind_the_guard_are_shown(parties: Parties, item: GovernanceItem) -> None:
    with without_guards("review_governanceitem"):
        GovernanceItem.objects.filter(pk=item.pk).update(text="Prefers nothing")
    assert [one["field"] for one in differences(parties.user)] == ["words"]


def test_a_broken_link_a_missing_entry_and_a_cut_tail_are_shown(parties: Parties, item: GovernanceItem) -> None:
    entries = JournalEntry.objects.filter(user=parties.user).order_by("seq")
    problems = {}
    for name, number in (("first", 1), ("middle", 2), ("last", 3)):
        with transaction.atomic():
            execute("SELECT set_config('pawflow.erase', %s, true)", [f"user:{parties.user.pk}"])
            JournalPayload.objects.filter(entry__seq=number, entry__user=parties.user).delete()
            entries.filter(seq=number).delete()
            problems[name] = {one["problem"] for one in differences(parties.user) if "problem" in one}
            transaction.set_rollback(True)
    assert problems == {"first": {"gap", "hash"}, "middle": {"gap", "hash"}, "last": {"head"}}
    with without_guards("review_journalentry"):
        entries.filter(seq=2).update(actor_name="somebody")
    assert differences(parties.user) == [{"seq": 2, "problem": "hash"}]


def test_a_missing_and_a_changed_payload_are_shown(parties: Parties, item: GovernanceItem) -> None:
    payloads = JournalPayload.objects.filter(user_id=parties.user.pk)
    with transaction.atomic():
        execute("SELECT set_config('pawflow.erase', %s, true)", [f"item:{item.pk}"])
        assert payloads.filter(item_id=item.pk).order_by("-pk")[0].delete()[0] == 1
        assert {"seq": 3, "problem": "payload"} in differences(parties.user)
        transaction.set_rollback(True)
    with without_guards("review_journalpayload"):
        payloads.filter(entry__seq=3).update(note="nobody said so")
    assert differences(parties.user) == [{"seq": 3, "problem": "payload"}]


def test_an_item_may_be_erased_only_under_its_own_name(parties: Parties, item: GovernanceItem) -> None:
    for wrong in (f"item:{item.pk + 1}", f"user:{parties.user.pk + 1}", "item:", "all"):
        execute("SELECT set_config('pawflow.erase', %s, true)", [wrong])
        with pytest.raises(IntegrityError), transaction.atomic():
            JournalPayload.objects.filter(item_id=item.pk).delete()
    execute("SELECT set_config('pawflow.erase', %s, true)", [f"item:{item.pk}"])
    with pytest.raises(IntegrityError), transaction.atomic():
        execute("DELETE FROM review_journalentry WHERE item_id = %s", [item.pk])
    assert JournalPayload.objects.filter(item_id=item.pk).delete()[0] == 2


def test_the_journal_holds_no_words(parties: Parties) -> None:
    item = said(parties.coder, "Xylophone lessons on Monday")
    lifecycle.forget(principal=parties.coder, reference=item.ref)
    held = str(list(JournalEntry.objects.values())) + str(list(JournalPayload.objects.values()))
    assert "ylophone" not in held
    assert item.ref in held
    assert "ylophone" not in str(list(Believed.objects.values()))


def test_a_belief_tells_its_history(parties: Parties, item: GovernanceItem) -> None:
    events = history(item)
    assert [(event.entry.verb, event.status_before, event.status_after) for event in events] == [
        ("admit", None, "needs_review"),
        ("accept", "needs_review", "active"),
    ]
    assert events[1].comment == "she said so"
    assert events[1].changes["decided"] == [False, True]
    assert events[1].changes["reason"] == ["automation_review", "accepted"]


def test_several_changes_of_one_act_are_one_decision(parties: Parties, item: GovernanceItem) -> None:
    new = say(parties.cron, "Prefers unittest", replaces=item).item
    done = lifecycle.accept(principal=parties.person, reference=new.ref)
    entries = JournalEntry.objects.filter(decision=done.number, user=parties.user).order_by("seq")
    assert [(entry.item_ref, entry.verb, entry.moved) for entry in entries] == [
        (item.ref, "supersede", True),
        (new.ref, "accept", True),
    ]
    assert done.number == entries[0].seq


def test_chains_of_two_owners_are_apart(parties: Parties, strangers: Parties, item: GovernanceItem) -> None:
    said(strangers.coder, "Theirs")
    GovernanceItem.objects.filter(pk=item.pk).update(confidence=3)
    assert not verify(parties.user).ok
    assert verify(strangers.user).ok
    assert verify(strangers.user).entries == 1


def test_the_database_is_a_real_one() -> None:
    assert connection.vendor == "postgresql"
