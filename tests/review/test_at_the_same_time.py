"""Many writers at once, in threads and in processes, on the real database."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from typing import Any, Self

import pytest
from django.conf import settings
from django.db import connection

from memory.notes.services import remember_note
from pawflow_web.env import CHECKOUT
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.models import UserClock
from pawflow_web.lib.errors import DomainError, Unavailable
from review import lifecycle
from review.models import Evidence, GovernanceItem, JournalEntry, Status
from tests.factories import make_owner, make_person_token, make_token
from tests.live import database_url
from tests.review.beliefs import Parties, differences, readable, said, say

pytestmark = pytest.mark.django_db(transaction=True)

MIXED_ACTS = int(os.environ.get("MIXED_ACTS", "240"))


class Other:
    """The product in another process."""

    def __init__(self, process: str) -> None:
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "PAWFLOW_DATA_DIR": str(settings.ENV.data_dir),
            "DJANGO_SETTINGS_MODULE": "pawflow_web.settings",
            "PAWFLOW_PROCESS": process,
        }
        self._running = subprocess.Popen(
            [sys.executable, "-m", "tests.review.in_another_process"],
            cwd=CHECKOUT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.hear() == {"ready": True}

    def tell(self, **order: Any) -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(json.dumps(order) + "\n")
        self._running.stdin.flush()

    def hear(self) -> Any:
        assert self._running.stdout is not None
        return json.loads(self._running.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.communicate()
        assert self._running.returncode == 0


def in_threads(*work: Callable[[], None]) -> None:
    """Run all at once; the first failure fails the test."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(work))

    def run(one: Callable[[], None]) -> None:
        try:
            start.wait()
            one()
        except BaseException as failure:
            failures.append(failure)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


@pytest.fixture
def alice() -> Parties:
    return Parties.of(make_owner("alice"))


def test_of_two_rivals_accepted_by_two_processes_one_wins(alice: Parties) -> None:
    token = make_person_token(alice.user)
    with ExitStack() as stack:
        others = [stack.enter_context(Other("command")) for _ in range(2)]
        for number in range(25):
            key = f"key {number}"
            rivals = [said(alice.cron, f"Value {name} of {key}", exclusive_key=key) for name in ("one", "two")]
            for other, rival in zip(others, rivals, strict=True):
                other.tell(does="accept", token=token, ref=rival.ref)
            answers = [other.hear() for other in others]
            assert sorted(answer["status"] for answer in answers) == [200, 409]
            active = GovernanceItem.objects.get(exclusive_key=key, status=Status.ACTIVE)
            loser = next(answer for answer in answers if answer["status"] == 409)
            assert loser["fields"] == {"contradicts": active.ref}
    assert differences(alice.user) == []


def test_a_decision_that_two_processes_undo_is_taken_back_once(alice: Parties) -> None:
    token = make_person_token(alice.user)
    with ExitStack() as stack:
        others = [stack.enter_context(Other("command")) for _ in range(2)]
        for number in range(20):
            old = said(alice.coder, f"Old {number}")
            proposed = remember_note(principal=alice.cron, text=f"New {number}", supersedes=old.ref).admission.item
            assert proposed is not None
            lifecycle.accept(principal=alice.person, reference=proposed.ref)
            # asked for at either end of the decision
            for other, item in zip(others, (old, proposed), strict=True):
                other.tell(does="undo", token=token, ref=item.ref)
            answers = [other.hear() for other in others]
            assert sorted(answer["status"] for answer in answers) == [200, 409]
            assert [answer["code"] for answer in answers if answer["status"] == 409] == ["invalid_transition"]
            assert [GovernanceItem.objects.get(pk=item.pk).status for item in (old, proposed)] == [
                "active", "needs_review",
            ]  # fmt: skip
    assert differences(alice.user) == []


def test_two_hundred_remembers_of_fifty_texts_are_fifty_beliefs(alice: Parties) -> None:
    def write(offset: int) -> None:
        for number in range(25):
            remember_note(principal=alice.coder, text=f"Fact {(offset * 7 + number * 3) % 50}", scope="global")

    in_threads(*[lambda offset=offset: write(offset) for offset in range(8)])
    texts = GovernanceItem.objects.values_list("text", flat=True)
    asked = {f"Fact {(offset * 7 + number * 3) % 50}" for offset in range(8) for number in range(25)}
    assert sorted(texts) == sorted(asked)
    assert len(asked) == 50
    assert Evidence.objects.count() == 50
    numbers = sorted(GovernanceItem.objects.values_list("number", flat=True))
    assert numbers == list(range(1, 51))
    assert differences(alice.user) == []


def test_admits_and_decisions_of_two_owners_never_lock_each_other_out(alice: Parties) -> None:
    owners = [alice, Parties.of(make_owner("bob"))]
    codes: Counter[str] = Counter()

    def work(seed: int) -> None:
        parties = owners[seed % 2]
        for step in range(MIXED_ACTS // 6):
            number = (seed * 13 + step * 7) % 23
            try:
                _one_act(parties, number, (seed + step) % 5)
            except DomainError as error:
                codes[error.code] += 1
            else:
                codes["done"] += 1

    in_threads(*[lambda seed=seed: work(seed) for seed in range(6)])
    assert codes["done"] > MIXED_ACTS // 4
    assert set(codes) <= {"done", "conflict", "invalid_transition", "not_found"}
    for parties in owners:
        assert differences(parties.user) == []
        entries = JournalEntry.objects.filter(user=parties.user).order_by("seq")
        seqs, times = zip(*entries.values_list("seq", "at"), strict=True)
        assert list(seqs) == list(range(1, len(seqs) + 1))
        assert all(earlier < later for earlier, later in pairwise(times))


def _one_act(parties: Parties, number: int, kind: int) -> None:
    text, key = f"Value {number}", f"key {number % 4}"
    if kind == 0:
        say(parties.coder, text, exclusive_key=key)
    elif kind == 1:
        say(parties.cron, text, exclusive_key=key)
    else:
        found = GovernanceItem.objects.owned_by(parties.user.pk).filter(text=text).order_by("-pk").first()
        if found is None:
            say(parties.cron, text, exclusive_key=key)
        elif kind == 2:
            lifecycle.accept(principal=parties.person, reference=found.ref, demote=_holder(parties, key, found))
        elif kind == 3:
            lifecycle.reject(principal=parties.person, reference=found.ref)
        else:
            lifecycle.restore(principal=parties.person, reference=found.ref)


def _holder(parties: Parties, key: str, but: GovernanceItem) -> str | None:
    rows = GovernanceItem.objects.recallable(parties.person).filter(exclusive_key=key).exclude(pk=but.pk)
    return rows.values_list("ref", flat=True).first()


def test_one_busy_owner_does_not_use_up_the_connections_of_another(alice: Parties) -> None:
    busy, quiet = make_token(alice.user), make_token(make_owner("bob"))
    with Other("web") as other:
        with user_clock(alice.user.pk):
            other.tell(does="crowd", busy=busy, quiet=quiet)
            heard = other.hear()
        assert heard["quiet"] < 4
        assert heard["waiting"] <= 2
        outcomes = Counter(other.hear()["outcomes"])
    assert outcomes["stored"] == 12


def test_who_waits_too_long_for_a_busy_owner_is_told_to_come_back(
    alice: Parties, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pawflow_web.identity.clock._PATIENCE_S", 0.01)
    held, done = threading.Barrier(3), threading.Event()

    def hold() -> None:
        # both places of this process; the second waits in the database for the first
        with user_clock(alice.user.pk):
            held.wait()
            done.wait()

    def wait_behind() -> None:
        held.wait()
        say(alice.coder, "Second in line")

    def come_third() -> None:
        held.wait()
        try:
            _until_waiting(1)
            with pytest.raises(Unavailable) as busy:
                say(alice.coder, "Third in line")
            assert busy.value.retry_after == 1
        finally:
            done.set()

    in_threads(hold, wait_behind, come_third)
    assert readable(alice.coder) == {"Second in line"}
    say(alice.coder, "Third in line")
    assert readable(alice.coder) == {"Second in line", "Third in line"}


def _until_waiting(sessions: int) -> None:
    pause = threading.Event()
    for _ in range(500):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            if cursor.fetchone()[0] >= sessions:
                return
        pause.wait(0.01)
    raise AssertionError("nobody waits for a lock")


def test_one_transaction_holds_the_clock_of_one_owner_only(alice: Parties) -> None:
    bob = make_owner("bob")
    with user_clock(alice.user.pk) as clock, user_clock(alice.user.pk) as same:
        assert clock is same
        with pytest.raises(RuntimeError), user_clock(bob.pk):
            pass


def test_a_verification_beside_a_writer_sees_one_moment(alice: Parties) -> None:
    """Nothing that is written while it runs is taken for a difference."""
    found: list[Any] = []
    stop = threading.Event()

    def write() -> None:
        for number in range(60):
            say(alice.coder, f"Fact {number}")
        stop.set()

    def look() -> None:
        while not stop.is_set():
            found.extend(differences(alice.user))

    in_threads(write, look)
    assert found == []
    assert UserClock.objects.get(user=alice.user).seq == 60


def test_of_a_purge_and_a_decision_at_once_nothing_is_left_over(alice: Parties) -> None:
    """One process purges what another accepts and a third party says again."""
    token = make_person_token(alice.user)
    with ExitStack() as stack:
        eraser, decider = (stack.enter_context(Other("command")) for _ in range(2))
        for number in range(15):
            words = f"Fact {number}"
            item = said(alice.cron, words)
            eraser.tell(does="purge", token=token, ref=item.ref)
            decider.tell(does="accept", token=token, ref=item.ref)
            again = say(alice.coder, words)
            assert eraser.hear() == {"status": 200}
            assert decider.hear()["status"] in {200, 404, 409}
            # Whoever came first: the row is gone, and who said it later was refused.
            assert again.item == item or again.outcome == "refused"
            assert not GovernanceItem.objects.filter(text=words).exists()
            assert say(alice.coder, words).outcome == "refused"
    assert not Evidence.objects.exists()
    assert differences(alice.user) == []
