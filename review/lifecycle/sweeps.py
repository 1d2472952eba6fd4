"""Housekeeping of beliefs: what expired becomes stale, and single uses are forgotten while their sums stay.

Readers ask for the expiry themselves, so a sweep that comes late hides nothing and shows nothing. It makes the status
and the journal say what has happened.
"""

import time
from datetime import datetime

from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal, worker_principal
from pawflow_web.jobs.models import Task
from pawflow_web.jobs.services import plan_nightly, put_off_to_next_night
from pawflow_web.lib.db import StatementNow
from review.gate.slices import SLICE_SECONDS
from review.gate.succession import retire_expired
from review.journal.acts import act
from review.models import LIVE, GovernanceItem, UseEvent
from review.querysets import ItemQuerySet
from review.readership.use import EVENTS_KEPT

# So many rows are looked at under one hold of a clock, as long as its time lasts.
_AT_ONCE = 100
_EVENTS_AT_ONCE = 5_000
THIN_USES = "thin_uses"


def expire_beliefs(deadline: float) -> bool:
    """Take what has expired to stale, owner by owner. Returns whether there is more to do."""
    for user in User.objects.filter(pk__in=_expired().values("user_id"), is_active=True).order_by("pk"):
        worker = worker_principal(user.pk, user.username)
        while _expire_some(worker):
            if time.monotonic() > deadline:
                return True
    return False


def thin_uses(deadline: float) -> bool:
    """Forget single uses that are older than they are kept, at each owner's night. Returns whether there is more."""
    plan_nightly(THIN_USES)
    for task in Task.objects.due(THIN_USES).select_related("user"):
        while _forget_some_uses(task):
            if time.monotonic() > deadline:
                return True
        put_off_to_next_night(task)
    return False


def next_expiry(user_id: int) -> datetime | None:
    """When the owner's next belief expires."""
    rows = GovernanceItem.objects.owned_by(user_id).filter(status__in=LIVE, expires_at__isnull=False)
    return rows.order_by("expires_at").values_list("expires_at", flat=True).first()


def _expired() -> ItemQuerySet:
    return GovernanceItem.objects.filter(status__in=LIVE, expires_at__lte=StatementNow())


def _expire_some(worker: Principal) -> bool:
    """One hold of the owner's clock. Returns whether it was used up, so that there may be more."""
    ids = list(_expired().owned_by(worker.user_id).order_by("expires_at", "pk").values_list("pk", flat=True)[:_AT_ONCE])
    if not ids:
        return False
    with act(worker) as current:
        until = time.monotonic() + SLICE_SECONDS
        # Somebody may have given it more time meanwhile: looked at again under the clock.
        for done, item in enumerate(GovernanceItem.objects.locked().filter(pk__in=ids)):
            if done and time.monotonic() > until:
                return True
            retire_expired(current, item)
    return len(ids) == _AT_ONCE


def _forget_some_uses(task: Task) -> bool:
    old = UseEvent.objects.filter(user=task.user, at__lt=StatementNow() - EVENTS_KEPT).values("pk")
    return UseEvent.objects.filter(pk__in=old[:_EVENTS_AT_ONCE]).delete()[0] >= _EVENTS_AT_ONCE
