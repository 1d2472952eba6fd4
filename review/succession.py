"""What becomes of a value whose place another takes, and of one whose time is over."""

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from review.ledger import Act
from review.models import GovernanceItem, Status
from review.placement import nothing_left
from review.transitions import check_transition

_ALIVE = frozenset({Status.ACTIVE, Status.NEEDS_REVIEW, Status.CANDIDATE})


def supersede(current: Act, loser: GovernanceItem, left: DateTimeTZRange) -> None:
    """Cut the loser's validity. It counts as superseded once nothing of it is left from now on; cut in the
    future it stays in use until that day, which readers see from ``valid`` alone."""
    gone = nothing_left(left, current.clock.at)
    status = Status.SUPERSEDED if gone else Status(loser.status)
    check_transition(loser.status, "supersede", status)
    current.write(
        loser,
        "supersede",
        status=status,
        valid=left,
        reason="superseded" if gone else loser.reason,
        retired_at=current.clock.at if gone else None,
    )


def retire_expired(current: Act, item: GovernanceItem) -> bool:
    """An expired row is dead although no sweep came by yet: it goes to stale before anything is compared with
    it. Returns whether it did."""
    if item.status not in _ALIVE or item.expires_at is None or item.expires_at > current.clock.at:
        return False
    return current.write(item, "expire", status=Status.STALE, reason="expired", retired_at=current.clock.at)


def rivals_of(current: Act, item: GovernanceItem) -> list[GovernanceItem]:
    """The other values of the item's exclusive key that hold at some time, locked; none without a key."""
    if not item.exclusive_key:
        return []
    rows = (
        GovernanceItem.objects.locked()
        .owned_by(item.user_id)
        .filter(exclusive_key=item.exclusive_key, status__in=(Status.ACTIVE, Status.SUPERSEDED), valid__isempty=False)
        .exclude(pk=item.pk)
    )
    return [row for row in rows if not retire_expired(current, row)]
