"""Purge: the words are nowhere, the chain is whole, and they do not come back."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.test import override_settings
from django_q.tasks import async_task

from pawflow_web.identity.idempotency import Reply, once
from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.errors import Invalid, NotAllowed, NotFound
from review import lifecycle
from review.gate import tombstones
from review.gate.proposals import Source
from review.journal.acts import act
from review.lifecycle.erasing import purge
from review.models import (
    ArchiveRequest,
    Believed,
    Evidence,
    Feedback,
    GovernanceItem,
    ItemUse,
    JournalEntry,
    JournalPayload,
    Tombstone,
    UseEvent,
)
from tests.factories import GITHUB_TOKEN
from tests.review.beliefs import Parties, again, differences, entries, said, say
from tests.review.canary import CANARY, PLANTED_IN, WORDS, index_follows, keep_a_reply, places_of, planted

Commit = Callable[..., Any]


@pytest.fixture
def item(parties: Parties) -> GovernanceItem:
    return planted(parties)


def test_purged_words_stand_nowhere(
    parties: Parties, item: GovernanceItem, django_capture_on_commit_callbacks: Commit, caplog: pytest.LogCaptureFixture
) -> None:
    assert places_of(CANARY, parties.person, parties.coder) == PLANTED_IN
    before = entries(parties.user)

    with caplog.at_level(logging.DEBUG), django_capture_on_commit_callbacks(execute=True):
        purge(principal=parties.person, reference=item.ref, confirm=item.ref)
        index_follows()

    assert places_of(CANARY, parties.person, parties.coder) == set()
    assert CANARY not in caplog.text
    assert entries(parties.user) == before + 1
    assert differences(parties.user) == []
    with pytest.raises(NotFound):
        lifecycle.accept(principal=parties.person, reference=item.ref)


@pytest.mark.parametrize(
    ("put", "place"),
    [
        (lambda user: JobRun.objects.create(user=user, kind="import", result={"a": [CANARY]}), "jobs_jobrun"),
        (lambda user: async_task("builtins.print", CANARY.upper()), "queue"),
        (lambda user: _session({"seen": CANARY}), "session"),
        (lambda user: _file("search/left"), "file search/left"),
        (lambda user: _file("uploads.txt"), "file uploads.txt"),
    ],
    ids=["job", "queue", "session", "search", "data"],
)
def test_the_look_finds_a_word_wherever_it_is_put(alice: User, put: Callable[[User], Any], place: str) -> None:
    assert places_of(CANARY) == set()
    left = put(alice)
    assert place in places_of(CANARY)
    if hasattr(left, "unlink"):
        left.unlink()


def _session(values: dict[str, str]) -> None:
    session = SessionStore()
    session.update(values)
    session.save()


def _file(name: str) -> Path:
    path = settings.ENV.data_dir / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"before {CANARY} after")
    return path


def test_the_logs_are_looked_through_too(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("review").warning("a %s", CANARY)
    assert CANARY in caplog.text


def test_no_row_is_left_and_the_journal_keeps_headers_alone(parties: Parties, item: GovernanceItem) -> None:
    tables = (Evidence, Believed, Feedback, UseEvent, ItemUse, ArchiveRequest)
    assert all(table.objects.filter(item_id=item.pk).exists() for table in tables)
    written = list(JournalEntry.objects.filter(item_id=item.pk).order_by("seq").values_list("seq", "verb", "hash"))

    purge(principal=parties.person, reference=item.ref, confirm=f"#{item.ref}")

    assert not any(table.objects.filter(item_id=item.pk).exists() for table in tables)
    assert not GovernanceItem.objects.filter(pk=item.pk).exists()
    assert not JournalPayload.objects.filter(item_id=item.pk).exists()
    kept = list(JournalEntry.objects.filter(item_id=item.pk).order_by("seq").values_list("seq", "verb", "hash"))
    assert kept[:-1] == written
    assert kept[-1][1] == "purge"


def test_purged_words_do_not_come_back(parties: Parties) -> None:
    item = said(parties.coder, WORDS, scope="agent")
    done = purge(principal=parties.person, reference=item.ref, confirm=item.ref)

    assert Tombstone.objects.get(ref=done.tombstone).item_ref == item.ref
    for party in (parties.coder, parties.writer, parties.cron, parties.person):
        assert say(party, WORDS.upper()).outcome == "refused"
    assert say(parties.coder, f"{WORDS} now").outcome == "stored"
    assert Tombstone.objects.get().hits == 4
    assert CANARY not in str(list(Tombstone.objects.values()))
    tombstones.lift_by_ref(principal=parties.person, ref=done.tombstone)
    assert say(parties.coder, WORDS).outcome == "stored"
    assert differences(parties.user) == []


def test_a_refusal_that_stands_already_stays_the_one(parties: Parties) -> None:
    item = said(parties.coder, WORDS)
    rejected = lifecycle.reject(principal=parties.person, reference=item.ref).tombstone
    assert rejected is not None
    done = purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert done.tombstone == rejected.ref
    assert Tombstone.objects.count() == 1


def test_neighbours_let_go_of_it_each_with_its_own_entry(parties: Parties) -> None:
    loser = said(parties.coder, WORDS)
    winner = said(parties.coder, "The drawer is empty", replaces=loser)
    rival = said(parties.cron, "The drawer is locked", replaces=winner)
    assert (again(winner).supersedes_id, again(rival).contradicts_id) == (loser.pk, winner.pk)

    purge(principal=parties.person, reference=loser.ref, confirm=loser.ref)
    assert again(winner).supersedes_id is None
    purge(principal=parties.person, reference=winner.ref, confirm=winner.ref)
    assert again(rival).contradicts_id is None

    said_so = JournalEntry.objects.filter(verb="edit").order_by("seq").values_list("item_ref", flat=True)
    assert list(said_so) == [winner.ref, rival.ref]
    assert differences(parties.user) == []


def test_what_it_won_over_can_still_be_decided(parties: Parties) -> None:
    loser = said(parties.coder, "The drawer is empty")
    winner = said(parties.coder, WORDS, replaces=loser)
    purge(principal=parties.person, reference=winner.ref, confirm=winner.ref)
    undone = lifecycle.undo(principal=parties.person, reference=loser.ref)
    assert undone.item.status == "active"
    assert differences(parties.user) == []


def test_the_same_words_elsewhere_are_named_and_left(parties: Parties) -> None:
    here = said(parties.coder, WORDS)
    there = said(parties.writer, WORDS, scope="agent")
    done = purge(principal=parties.person, reference=here.ref, confirm=here.ref)
    assert done.same_words == (there.ref,)
    assert again(there).status == "active"


def test_a_quote_behind_another_belief_gives_nothing_away(parties: Parties) -> None:
    passage = f"{WORDS}. The key is under the mat. {WORDS} again"
    item = said(parties.coder, WORDS)
    quoted = said(parties.coder, "The key is under the mat", source=Source(quote=passage, span=(0, 5)))
    holder = said(parties.coder, f"Everybody knows that: {WORDS}", source=Source(quote=passage))
    other = said(parties.coder, "The mat is brown", source=Source(quote="The mat is brown"))

    purge(principal=parties.person, reference=item.ref, confirm=item.ref)

    quotes = {row.item_id: (row.quote, row.span_start) for row in Evidence.objects.all()}
    assert quotes[quoted.pk] == ("", None)
    # whose own words say it anyway
    assert quotes[holder.pk][0] == passage
    assert quotes[other.pk][0] == "The mat is brown"


def test_only_kept_replies_that_hold_it_are_forgotten(parties: Parties) -> None:
    item = said(parties.coder, f'{WORDS}, "ü"')
    bodies = {
        "by ref": {"item": {"ref": item.ref}},
        "by words": {"hits": [{"text": f'{WORDS}, "ü"'}]},
        "in a sentence": {"display": f'- {WORDS}, "ü" #1'},
        "another": {"text": "The key is under the mat"},
    }
    for key, body in bodies.items():
        keep_a_reply(parties.coder, body, key)
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    left = {key: once(parties.coder, key, "d" * 64, lambda: Reply(200, "{}")).replayed for key in bodies}
    assert left == {"by ref": False, "by words": False, "in a sentence": False, "another": True}


@pytest.mark.parametrize("confirm", ["", "yes", "0123456789ab", "#1"])
def test_it_takes_the_reference_once_more(parties: Parties, item: GovernanceItem, confirm: str) -> None:
    before = entries(parties.user)
    with pytest.raises(Invalid) as refused:
        purge(principal=parties.person, reference=item.ref, confirm=confirm)
    assert item.ref in str(refused.value.fields["confirm"])
    assert entries(parties.user) == before
    assert again(item).text == WORDS


def test_only_the_person_it_belongs_to_may(parties: Parties, strangers: Parties, item: GovernanceItem) -> None:
    for agent in (parties.coder, parties.cron):
        with pytest.raises(NotAllowed):
            purge(principal=agent, reference=item.ref, confirm=item.ref)
    with pytest.raises(NotFound):
        purge(principal=strangers.person, reference=item.ref, confirm=item.ref)
    purge(principal=parties.person, reference=f"#{item.number}", confirm=item.ref)


@pytest.mark.parametrize("status", ["active", "needs_review", "stale", "superseded", "rejected"])
def test_whatever_its_status(parties: Parties, status: str) -> None:
    item = said(parties.cron if status == "needs_review" else parties.coder, WORDS)
    if status == "stale":
        lifecycle.forget(principal=parties.coder, reference=item.ref)
    if status == "superseded":
        said(parties.coder, "The drawer is empty", replaces=item)
    if status == "rejected":
        lifecycle.reject(principal=parties.person, reference=item.ref)
    assert again(item).status == status
    purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert not GovernanceItem.objects.filter(pk=item.pk).exists()
    assert differences(parties.user) == []


def test_a_purge_that_is_rolled_back_leaves_everything(parties: Parties, item: GovernanceItem) -> None:
    before = places_of(CANARY, parties.person)
    with act(parties.person) as current:
        with suppress(RuntimeError), current.savepoint():
            locked = GovernanceItem.objects.locked().get(pk=item.pk)
            current.mention(locked, "edit")
            purge(principal=parties.person, reference=item.ref, confirm=item.ref)
            raise RuntimeError
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", pinned=True)
    assert places_of(CANARY, parties.person) == before
    assert again(item).pinned
    assert differences(parties.user) == []


def test_what_was_buffered_before_it_in_the_same_act_is_bare_too(parties: Parties, item: GovernanceItem) -> None:
    with act(parties.person) as current:
        locked = GovernanceItem.objects.locked().get(pk=item.pk)
        current.write(locked, "edit", pinned=True, comment=f"about the {CANARY}")
        purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert not JournalPayload.objects.filter(item_id=item.pk).exists()
    assert [one.verb for one in JournalEntry.objects.filter(item_id=item.pk).order_by("-seq")[:2]] == ["purge", "edit"]
    assert differences(parties.user) == []


def test_a_secret_can_be_purged_with_its_key_and_without(parties: Parties) -> None:
    for number, keys in enumerate([(settings.KEY,), (b"x" * 32,)]):
        item = said(parties.coder, f"Token {number} is {GITHUB_TOKEN[:-1]}{number}")
        assert item.privacy == "secret"
        with override_settings(CONTENT_KEYS=keys):
            purge(principal=parties.person, reference=item.ref, confirm=item.ref)
    assert not GovernanceItem.objects.exists()
    assert differences(parties.user) == []
