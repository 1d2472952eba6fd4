"""A worker that starts catches up with what time did meanwhile, once, and goes on with every look."""

import pytest
from django.utils import timezone

from pawflow_web.jobs.models import Task
from pawflow_web.lib.db import execute
from review.lifecycle.sweeps import THIN_USES
from review.models import GovernanceItem, JournalEntry, UseEvent
from tests.factories import make_owner
from tests.jobs.conftest import Workers, announce, eventually
from tests.review.beliefs import Parties, differences, let_expire, said

pytestmark = pytest.mark.django_db(transaction=True)


def stale() -> int:
    return GovernanceItem.objects.filter(status="stale", reason="expired").count()


def test_what_expired_while_nobody_worked_is_swept_by_two_workers_once(workers: Workers) -> None:
    parties = Parties.of(make_owner("alice"))
    for number in range(5):
        let_expire(parties.coder, said(parties.coder, f"Likes bread number {number}"))
    lasting = said(parties.coder, "Likes rye")
    UseEvent.objects.create(
        user=parties.user, item=lasting, principal="agent:coder", reader="recall", rank=1, at=timezone.now()
    )
    execute("UPDATE review_useevent SET at = at - interval '200 days'")
    workers.start()
    eventually(lambda: stale() == 5)
    workers.start()

    # What comes later is met by a later look, and a night that was missed is caught up.
    let_expire(parties.coder, said(parties.coder, "Likes oats"))
    announce("expire_beliefs")
    eventually(lambda: stale() == 6)
    eventually(Task.objects.filter(kind=THIN_USES).exists)
    assert UseEvent.objects.exists()
    execute("UPDATE jobs_task SET next_at = now() - interval '9 days' WHERE kind = %s", [THIN_USES])
    announce(THIN_USES)
    eventually(lambda: not UseEvent.objects.exists())
    eventually(lambda: Task.objects.get(kind=THIN_USES).next_at > timezone.now())

    assert JournalEntry.objects.filter(user=parties.user, verb="expire").count() == 6
    assert GovernanceItem.objects.get(pk=lasting.pk).status == "active"
    assert differences(parties.user) == []
