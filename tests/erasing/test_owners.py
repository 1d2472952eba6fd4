"""Erasing an owner: nothing of them is left in any table, file or queue, and nothing of anybody else is touched."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import IntegrityError, connections

from memory.importers.background import start_import
from memory.models import Memory
from pawflow_web.identity import owned
from pawflow_web.identity.models import ApiToken, Erasure, User
from pawflow_web.identity.services import create_sign_in_link, erase_owner, erasing
from pawflow_web.identity.tasks import erase_the_rest
from pawflow_web.lib.errors import Conflict, Invalid, Unauthenticated
from review.journal.acts import act
from tests.erasing.everything import fill, rows_of, rows_of_others, signed_in
from tests.factories import make_owner, make_token
from tests.review.beliefs import Parties, differences, said
from tests.review.canary import CANARY, index_follows, places_of
from tests.review.embedded import tell
from tests.surfaces.conftest import Rest

pytestmark = pytest.mark.usefixtures("unhurried", "server")


def test_nothing_is_left_of_them_anywhere(parties: Parties, strangers: Parties) -> None:
    fill(parties, make_token(parties.user))
    start_import([f"- The {CANARY} waits in a file".encode()], user=parties.user, name="notes.md")
    said(strangers.coder, "Bob likes rye bread")
    Erasure.objects.create(user=parties.user, agent_id=parties.coder.agent_id)
    pk, folder = parties.user.pk, settings.ENV.search_dir / str(parties.user.pk)
    index_follows()
    # Whoever adds a table of owners' rows fills it in `fill`.
    assert [name for name, count in rows_of(pk).items() if not count] == []
    assert {"review_governanceitem", "memory_diaryentry", "graph_entityname", "jobs_jobrun"} <= places_of(CANARY)
    assert folder.is_dir()
    others = rows_of_others(pk)

    assert erase_owner(user=parties.user, confirm="alice", patience_s=None)

    assert [name for name, count in rows_of(pk).items() if count] == []
    assert rows_of_others(pk) == others
    index_follows()
    assert places_of(CANARY) == set()
    assert not folder.exists()
    assert differences(strangers.user) == []
    assert make_owner("alice").pk != pk


def test_nobody_speaks_for_them_from_the_first_moment_on(parties: Parties) -> None:
    token, browser, link = make_token(parties.user), signed_in(parties.user), create_sign_in_link(parties.user)
    said(parties.coder, "The mat is brown")
    assert not erase_owner(user=parties.user, confirm="alice", patience_s=-1)
    assert User.objects.get(username="alice").is_active is False
    assert Rest(token).get("/items").status == 401
    assert browser.get("/memories").status_code in {302, 303}
    assert (
        browser.get(link.split("8000")[-1]).status_code == 410
        or browser.post(link.split("8000")[-1]).status_code == 410
    )
    with pytest.raises(Conflict):
        make_owner("alice")
    while erase_the_rest(float("inf")):
        pass
    assert not User.objects.exists()
    assert not Session.objects.exists()


def test_another_name_is_no_word_for_it(parties: Parties) -> None:
    with pytest.raises(Invalid, match="confirm with that name"):
        erase_owner(user=parties.user, confirm="Alice")
    assert not Erasure.objects.exists()
    assert ApiToken.objects.filter(revoked_at=None).exists()


def test_it_goes_in_slices(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owned, "SLICE", 2)
    for number in range(7):
        item = said(parties.coder, f"Belief number {number}")
    tell(parties.coder, "Newer", supersedes=item.ref)
    assert erase_owner(user=parties.user, confirm="alice", patience_s=None)
    assert set(rows_of(parties.user.pk).values()) == {0}


def test_from_the_first_moment_on_nothing_is_written_indexed_or_proved_for_them(
    parties: Parties, strangers: Parties
) -> None:
    said(parties.coder, "The mat is brown")
    said(strangers.coder, "Bob likes rye bread")
    index_follows()
    assert not erase_owner(user=parties.user, confirm="alice", patience_s=-1)
    with pytest.raises(Unauthenticated):
        said(parties.coder, "The mat is blue")
    Memory.objects.filter(item__user=parties.user).delete()
    index_follows()
    assert not (settings.ENV.search_dir / str(parties.user.pk)).exists()
    assert (settings.ENV.search_dir / str(strangers.user.pk)).exists()
    out = StringIO()
    call_command("verify_journal", "--json", stdout=out)
    assert [row["owner"] for row in json.loads(out.getvalue())["owners"]] == ["bob"]
    parties.user.refresh_from_db()
    for make in (create_sign_in_link, make_token):
        with pytest.raises(Conflict, match="being erased"):
            make(parties.user)


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_time_do_not_break_it(parties: Parties) -> None:
    token, stopped, writing = make_token(parties.user), threading.Event(), threading.Semaphore(0)

    def write(n: int) -> list[int]:
        rest, got = Rest(token), []
        try:
            while not stopped.is_set():
                writing.release()
                got.append(rest.post("/tools/remember", {"text": f"Word {n} {len(got)}"}).status)
            return got
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write, n) for n in range(3)]
        assert all(writing.acquire(timeout=30) for _ in range(12))
        erase_owner(user=parties.user, confirm="alice", patience_s=None)
        stopped.set()
        statuses = {status for writer in writers for status in writer.result()}
    while erase_the_rest(float("inf")):
        pass
    assert set(rows_of(parties.user.pk).values()) == {0}
    assert {200, 401} <= statuses <= {200, 401, 409, 503}


def test_what_comes_between_two_slices_is_gone_round_for(parties: Parties, monkeypatch: pytest.MonkeyPatch) -> None:
    real, seen = erasing.owned_tables, []

    def interrupted() -> Iterator[owned.OwnedTable]:
        seen.append(1)
        if len(seen) == 1:
            raise IntegrityError("a use came in between")
        yield from real()

    monkeypatch.setattr(erasing, "owned_tables", interrupted)
    assert erase_owner(user=parties.user, confirm="alice", patience_s=None)
    assert len(seen) == 3
    assert set(rows_of(parties.user.pk).values()) == {0}


def test_whoever_still_writes_for_them_is_told_so(parties: Parties) -> None:
    assert erase_owner(user=parties.user, confirm="alice", patience_s=None)
    with pytest.raises(Unauthenticated), act(parties.coder):
        pass
