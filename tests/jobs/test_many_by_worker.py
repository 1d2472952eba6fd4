"""A decision over many by real workers, one of which is killed in the middle."""

import os
import signal

import pytest
from django_q.models import OrmQ

from pawflow_web.jobs.models import JobRun
from review.models import Batch, GovernanceItem, JournalEntry
from review.queue.background import begin, begin_undo
from review.queue.matching import Matching
from review.queue.waiting import Wanted
from tests.factories import make_owner
from tests.jobs.conftest import Workers, descendants, eventually
from tests.review.beliefs import Parties, differences
from tests.web.beliefs import HOSTILE, bring_file, propose

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 210


def count(status: str) -> int:
    return GovernanceItem.objects.filter(status=status).count()


def kill(workers: Workers) -> None:
    """The worker and its processes, none of which hears of it."""
    worker = workers.started[-1]
    for pid in [worker.pid, *descendants(worker.pid)]:
        os.kill(pid, signal.SIGKILL)
    worker.wait(20)
    # What stood in its queue is lost with it; the next one looks at everything when it starts.
    OrmQ.objects.all().delete()


def test_a_worker_that_is_killed_is_followed_by_one_that_finishes(workers: Workers) -> None:
    parties = Parties.of(make_owner("alice"))
    bring_file(parties.user, [f"Service {n} is up." for n in range(MANY)])
    propose(parties.user, HOSTILE)
    workers.start()
    run = begin(user=parties.user, verb="accept", comment="", matching=Matching.now(parties.person, Wanted()))
    # So late that the next one, whose start waits for an empty queue, is soon through with the rest.
    eventually(lambda: count("active") > MANY * 3 // 4, within=90)
    kill(workers)
    run.refresh_from_db()
    assert (run.state, run.finished_at) == ("running", None)
    assert len(Batch.objects.get().decisions) == run.arguments["so_far"]["done"] == count("active") < MANY

    workers.start()
    eventually(lambda: JobRun.objects.get(pk=run.pk).state == "done", within=90)
    run.refresh_from_db()
    assert (run.result["done"], run.result["left"]) == (MANY, {"flagged": 1})
    accepted = JournalEntry.objects.filter(user=parties.user, verb="accept").values_list("item_id", flat=True)
    assert len(accepted) == len(set(accepted)) == len(Batch.objects.get().decisions) == MANY

    assert begin_undo(user=parties.user, ref=run.arguments["batch"]) is not None
    eventually(lambda: count("needs_review") == MANY + 1, within=90)
    eventually(lambda: Batch.objects.get().undone_at is not None)
    assert differences(parties.user) == []
