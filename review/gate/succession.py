"""What becomes of a value whose place another takes, and of one whose time is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from review.gate.placement import EMPTY, nothing_left, place
from review.journal.acts import Act
from review.models import LIVE, READABLE, ArchiveRequest, ArchiveState, GovernanceItem, Reason, Status
from review.querysets import ItemQuerySet
from review.transitions import check_transition


@dataclass(frozen=True, slots=True)
class Room:
    """Where a value goes among the others of its key, and the one that has to give way to it.

    ``left`` is what stays of the loser. ``fits`` False: only a person may put it there; without ``left`` not even
    a person.
    """

    valid: DateTimeTZRange
    assumed_start: bool = False
    loser: GovernanceItem | None = None
    left: DateTimeTZRange | None = None
    fits: bool = True

    @property
    def changes(self) -> dict[str, Any]:
        """What the value that takes the room writes of it."""
        changes: dict[str, Any] = {"valid": self.valid}
        if self.assumed_start:
            changes["valid_from_precision"] = "assumed"
        if self.loser is not None:
            changes["supersedes"] = self.loser
        return changes


def find_room(valid: DateTimeTZRange, rivals: Sequence[GovernanceItem], now: datetime) -> Room:
    """Where ``valid`` goes among the values of its key that hold at some time. Writes nothing."""
    placement = place([rival.valid for rival in rivals], valid, now)
    loser = rivals[placement.loser] if placement.loser is not None else None
    return Room(placement.valid, placement.assumed_start, loser, placement.loser_valid, placement.fits)


def make_room(current: Act, room: Room) -> None:
    """Let the loser give way, which must have been found possible. Before the winner is written: at no moment may
    two hold."""
    if room.loser is not None:
        supersede(current, room.loser, room.left or EMPTY)


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
        # how exactly its old end was known says nothing of the new one
        valid_to_precision="",
        reason=Reason.SUPERSEDED if gone else loser.reason,
        retired_at=current.clock.at if gone else None,
    )
    if gone:
        answer_wishes(current, loser)


def answer_wishes(current: Act, item: GovernanceItem, state: ArchiveState = ArchiveState.APPROVED) -> None:
    """What agents asked a person to take out of use: it is out of it, or the person does not want it."""
    ArchiveRequest.objects.pending().filter(item=item).update(state=state, decided_at=current.clock.at)


def has_expired(item: GovernanceItem, now: datetime) -> bool:
    """Whether its time is over although no sweep came by yet."""
    return item.status in LIVE and item.expires_at is not None and item.expires_at <= now


def retire_expired(current: Act, item: GovernanceItem) -> bool:
    """What has expired goes to stale before anything is compared with it. Returns whether it did.

    That is no part of what somebody decides meanwhile, so undoing that does not bring it back.
    """
    if not has_expired(item, current.clock.at):
        return False
    with current.decision():
        answer_wishes(current, item)
        return current.write(item, "expire", status=Status.STALE, reason=Reason.EXPIRED, retired_at=current.clock.at)


def holding(items: ItemQuerySet) -> ItemQuerySet:
    """Those that hold at some time of the world, so that they are in the way of another value."""
    return items.filter(status__in=READABLE, valid__isempty=False)


def rivals_of(current: Act, item: GovernanceItem) -> list[GovernanceItem]:
    """The other values of the item's exclusive key that hold at some time, locked; none without a key."""
    if not item.exclusive_key:
        return []
    rows = holding(GovernanceItem.objects.locked().owned_by(item.user_id)).filter(exclusive_key=item.exclusive_key)
    return [row for row in rows.exclude(pk=item.pk) if not retire_expired(current, row)]
