"""What the gate does with one proposal, decided from what stands there already. Pure: nothing is read or written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict
from review.gate.judgement import Again, judge_again, judge_new, preferred
from review.gate.placement import nothing_left
from review.gate.preparing import Prepared
from review.gate.proposals import Admission, Outcome
from review.gate.succession import Room, find_room
from review.kinds import kind_named
from review.models import READABLE, GovernanceItem, Origin, Reason, Status, Tombstone
from review.transitions import check_transition


@dataclass(frozen=True, slots=True)
class Found:
    """What stands where the words want to go, at the moment ``now``; what has expired is stale in it.

    ``rivals`` are the values of the keys that may matter, ``named`` is the belief that the proposal replaces, and
    ``contested`` are those that the words contradict so far.
    """

    now: datetime
    words: Sequence[GovernanceItem] = ()
    rivals: Sequence[GovernanceItem] = ()
    tombstone: Tombstone | None = None
    named: GovernanceItem | None = None
    contested: Sequence[GovernanceItem] = ()
    # row ids of refusals that came after somebody looked at how near the words come to those before
    refused_since: Sequence[int] = ()

    def on_key(self, key: str) -> list[GovernanceItem]:
        """The values of one key that hold at some time."""
        return [row for row in self.rivals if key and row.exclusive_key == key and row.status in READABLE]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A person said no to these words."""

    tombstone: Tombstone


@dataclass(frozen=True, slots=True)
class Repetition:
    """No new row: what the same words said once more do to the one that is there."""

    item: GovernanceItem
    effect: Again
    status: str
    reason: str
    room: Room | None = None
    contradicts: GovernanceItem | None = None


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A new row. Without ``room`` it waits outside of its key, with its validity as it was given."""

    status: str
    reason: str
    confidence: int
    room: Room | None = None
    contradicts: GovernanceItem | None = None


Plan = Refusal | Repetition | Newcomer


def decide(found: Found, prepared: Prepared, principal: Principal, origin: str, *, near: bool = False) -> Plan:
    """The one decision, for the gate and for the dry run.

    Args:
        near: the words come near to a refusal.

    Raises :class:`Conflict`: what it says it replaces is not in use, or these words stand already.
    """
    duplicate = preferred(found.words)
    if found.tombstone is not None and (duplicate is None or duplicate.status != Status.ACTIVE):
        return Refusal(found.tombstone)
    replaces = prepared.proposal.replaces
    if duplicate is not None and (replaces is None or replaces.pk == duplicate.pk):
        return _repetition(found, prepared, duplicate, principal, origin, near=near)
    _require_replaceable(found, prepared)
    if duplicate is not None and duplicate.status != Status.STALE:
        raise Conflict(f"These words already stand as #{duplicate.ref}.", fields={"duplicate_of": duplicate.ref})
    return _newcomer(found, prepared, principal, origin, near=near)


def admission_of(plan: Plan, item: GovernanceItem | None = None) -> Admission:
    """The gate's answer. ``item`` is the new row, where one was made."""
    if isinstance(plan, Refusal):
        return Admission("refused", reason="tombstoned", tombstone=plan.tombstone.ref)
    loser = plan.room.loser if plan.room is not None else None
    superseded = (loser,) if loser is not None else ()
    if isinstance(plan, Newcomer):
        return Admission("stored", item, plan.status, plan.reason, contradicts=plan.contradicts, superseded=superseded)
    outcome: Outcome = "restated" if plan.effect == "restate" else "duplicate"
    return Admission(outcome, plan.item, plan.status, plan.reason, duplicate_of=plan.item, superseded=superseded)


def _repetition(
    found: Found,
    prepared: Prepared,
    item: GovernanceItem,
    principal: Principal,
    origin: str,
    *,
    near: bool,
) -> Repetition:
    effect = judge_again(prepared, item, origin, near_tombstone=near)
    rivals = _rivals_of_words(found, item)
    room = find_room(item.valid, rivals, found.now)
    if effect == "restate" and not (_wins(room, prepared, principal) and _may_be_meant(room.loser, item)):
        # What stands there does not give way: words that wait go on waiting, stale ones begin to.
        effect = "review" if item.status == Status.STALE else "evidence"
    if effect == "restate":
        check_transition(item.status, "restate", Status.ACTIVE)
        return Repetition(item, effect, Status.ACTIVE, Reason.RESTATED, room)
    if effect == "review":
        check_transition(item.status, "restate", Status.NEEDS_REVIEW)
        reason = Reason.EXTRACTOR_REVIEW if origin == Origin.EXTRACTOR else Reason.CONTRADICTS_ACTIVE
        reason = Reason.NEAR_TOMBSTONE if near else reason
        return Repetition(item, effect, Status.NEEDS_REVIEW, reason, contradicts=room.loser)
    return Repetition(item, effect, item.status, item.reason)


def _rivals_of_words(found: Found, item: GovernanceItem) -> list[GovernanceItem]:
    """Whose place words that stand there would take: the other values of their key, and what they are known to
    contradict."""
    rivals = {row.pk: row for row in found.on_key(item.exclusive_key) if row.pk != item.pk}
    for row in found.contested:
        if row.pk == item.contradicts_id and row.status in READABLE and not row.valid.isempty:
            rivals[row.pk] = row
    return list(rivals.values())


def _may_be_meant(loser: GovernanceItem | None, item: GovernanceItem) -> bool:
    """Another party said that the words take that one's place. Whoever says only the words may not mean so: what a
    person pinned or decided does not go by that alone, not even for its owner."""
    if loser is None or loser.pk != item.contradicts_id:
        return True
    return bool(item.exclusive_key and item.exclusive_key == loser.exclusive_key) or not (loser.pinned or loser.decided)


def _wins(room: Room, prepared: Prepared, principal: Principal) -> bool:
    stays = prepared.proposal.yields
    return room.loser is None or (room.fits and not stays and _may_displace(room.loser, prepared, principal))


def _newcomer(found: Found, prepared: Prepared, principal: Principal, origin: str, *, near: bool) -> Newcomer:
    proposal = prepared.proposal
    judged = judge_new(prepared, principal, origin, kind_named(proposal.kind), near_tombstone=near)
    room = find_room(proposal.valid, _rivals(found, proposal.exclusive_key), found.now)
    wins = room.loser is None or (judged.may_replace and _wins(room, prepared, principal))
    if judged.status == Status.ACTIVE and not wins:
        return Newcomer(
            Status.NEEDS_REVIEW,
            Reason.CONTRADICTS_ACTIVE,
            judged.confidence,
            contradicts=room.loser,
        )
    in_use = judged.status == Status.ACTIVE
    return Newcomer(
        judged.status,
        judged.reason,
        judged.confidence,
        room=room if in_use else None,
        contradicts=None if in_use else room.loser,
    )


def _may_displace(loser: GovernanceItem, prepared: Prepared, principal: Principal) -> bool:
    """Whether the caller's word alone takes this one's place. What a person pinned or decided, and what others
    read who would not read the newcomer, only a person may let go; as it is with forgetting."""
    if principal.is_person:
        return True
    return not (loser.pinned or loser.decided) and prepared.proposal.place.holds_for_readers_of(loser)


def _rivals(found: Found, key: str) -> list[GovernanceItem]:
    rivals = found.on_key(key)
    if found.named is not None and all(row.pk != found.named.pk for row in rivals):
        return [*rivals, found.named]
    return rivals


def _require_replaceable(found: Found, prepared: Prepared) -> None:
    """What a proposal says it replaces must still be in use."""
    replaces = prepared.proposal.replaces
    if replaces is None:
        return
    named = found.named
    if named is None or named.status != Status.ACTIVE or nothing_left(named.valid, found.now):
        raise Conflict(
            f"#{replaces.ref} is not in use, so nothing can take its place.", fields={"supersedes": replaces.ref}
        )
