"""Accept, reject, restore, forget: whether a belief may be used."""

from dataclasses import dataclass, replace

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, NeedsApproval
from review.gate import tombstones
from review.gate.proposals import Place
from review.gate.succession import Room, answer_wishes, find_room, holding, make_room, retire_expired, rivals_of
from review.journal.acts import Act, act
from review.journal.comments import Comment
from review.kinds import kind_of
from review.lifecycle.archive_requests import ask_for_archive
from review.lifecycle.conditions import future_expiry, require_no_twin
from review.lifecycle.locked import locked_item
from review.models import GRAVE, ArchiveRequest, GovernanceItem, Reason, Status, Tombstone
from review.search.find import by_reference
from review.transitions import check_transition


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision did: the item as it is now, the one it demoted, the tombstone it made, and its number."""

    item: GovernanceItem
    number: int
    demoted: GovernanceItem | None = None
    tombstone: Tombstone | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Either the item is out of every reader, by the decision of that number, or a person has been asked."""

    item: GovernanceItem
    number: int | None = None
    request: ArchiveRequest | None = None

    @property
    def forgotten(self) -> bool:
        return self.number is not None


def accept(
    *,
    principal: Principal,
    reference: str,
    revision: int | None = None,
    demote: str | None = None,
    comment: str = "",
    in_bulk: bool = False,
) -> Decision:
    """Let a waiting, proposed or stale belief be used.

    Where its key holds another value at that time, that one is cut or emptied in the same transaction, but
    only when the item names it in ``contradicts`` or the caller does in ``demote``.

    Raises:
        NotFound, StaleRevision, InvalidTransition: as for every decision.
        Conflict: another value is in the way that was not named (``fields.contradicts``), or the same words
            are in use elsewhere (``fields.duplicate_of``).
        NeedsApproval: flagged, and this is one of many.
    """
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        check_transition(item.status, "accept", Status.ACTIVE)
        if in_bulk:
            _refuse_in_bulk(item)
        valid = item.valid
        if valid.isempty:
            # It was corrected away; who puts it back means that it holds from now on.
            valid = DateTimeTZRange(current.clock.at, None)
        require_no_twin(current, item, valid)
        # Names that were found to be one since, and predicates that hold one value since, count from now on.
        key = kind_of(item).key(item, Place.like(item))
        if key != item.exclusive_key:
            current.write(item, "edit", exclusive_key=key)
        room = room_for(current, item, valid, demote)
        make_room(current, room)
        current.write(
            item,
            "accept",
            status=Status.ACTIVE,
            reason=Reason.ACCEPTED,
            decided=True,
            contradicts=None,
            retired_at=None,
            expires_at=future_expiry(current, item),
            comment=comment,
            **room.changes,
        )
        return Decision(item, current.last_decision, demoted=room.loser)


def reject(*, principal: Principal, reference: str, revision: int | None = None, comment: str = "") -> Decision:
    """It should never have been believed: out of every reader, and its words are refused from now on."""
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        check_transition(item.status, "reject", Status.REJECTED)
        current.write(
            item,
            "reject",
            status=Status.REJECTED,
            reason=Reason.REJECTED,
            retired_at=current.clock.at,
            contradicts=None,
            comment=comment,
        )
        answer_wishes(current, item)
        return Decision(item, current.last_decision, tombstone=tombstones.bury(current, item))


def restore(*, principal: Principal, reference: str, revision: int | None = None, comment: str = "") -> Decision:
    """Take a rejected belief back into review and lift its refusal.

    Raises :class:`Conflict` naming the row when the same words have been stored again meanwhile.
    """
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        check_transition(item.status, "restore", Status.NEEDS_REVIEW)
        require_no_twin(current, item, item.valid)
        standing = tombstones.standing(item.user_id, item.text_digest)
        if standing is not None:
            tombstones.lift(current, standing)
        current.write(
            item,
            "restore",
            status=Status.NEEDS_REVIEW,
            reason=Reason.RESTORED,
            retired_at=None,
            expires_at=future_expiry(current, item),
            comment=comment,
        )
        return Decision(item, current.last_decision)


def forget(*, principal: Principal, reference: str, revision: int | None = None, comment: str = "") -> Forgotten:
    """Take a belief out of use, without prejudice: it may be said again.

    An automation, and any agent facing what a person pinned or decided, asks a person instead.
    """
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision, readable=not principal.is_person)
        guarded = not principal.is_person and (item.pinned or item.decided)
        if guarded or not principal.is_user_channel:
            return Forgotten(item, request=ask_for_archive(current, item, principal, comment))
        take_out_of_use(current, item, Reason.FORGOTTEN, comment)
        return Forgotten(item, current.last_decision)


def take_out_of_use(current: Act, item: GovernanceItem, reason: Reason, comment: Comment) -> None:
    """To stale, without prejudice. What agents asked for about it is done with that."""
    check_transition(item.status, "forget", Status.STALE)
    current.write(
        item,
        "forget",
        status=Status.STALE,
        reason=reason,
        retired_at=current.clock.at,
        comment=comment,
    )
    answer_wishes(current, item)


def _refuse_in_bulk(item: GovernanceItem) -> None:
    if item.flags or item.reason in GRAVE:
        raise NeedsApproval(f"#{item.ref} was flagged; look at it by itself.", fields={"ref": item.ref})
    if item.contradicts is not None:
        raise Conflict(
            f"#{item.ref} contradicts #{item.contradicts.ref}; decide it by itself.",
            fields={"contradicts": item.contradicts.ref},
        )


def room_for(current: Act, item: GovernanceItem, valid: DateTimeTZRange, demote: str | None = None) -> Room:
    """Where an accepted value goes among the others of its key. Raises :class:`Conflict` for one that may not give
    way."""
    room = find_room(valid, _rivals(current, item, demote), current.clock.at)
    if room.loser is not None and not _is_named(room.loser, item, demote):
        raise Conflict(
            f"#{room.loser.ref} holds now and was not named. Look at both, then accept with demote.",
            fields={"contradicts": room.loser.ref},
        )
    if room.loser is not None and room.left is None:
        raise Conflict(
            f"It is not known when this began, and #{room.loser.ref} holds at its end. Correct it with dates first.",
            fields={"contradicts": room.loser.ref},
        )
    return replace(room, assumed_start=room.assumed_start or item.valid.isempty)


def _rivals(current: Act, item: GovernanceItem, demote: str | None) -> list[GovernanceItem]:
    """The values of its key, the one it contradicts and the one that the caller names."""
    rows = holding(GovernanceItem.objects.locked().owned_by(item.user_id))
    rivals = {row.pk: row for row in rivals_of(current, item)}
    named = list(rows.filter(pk=item.contradicts_id)) if item.contradicts_id is not None else []
    if demote is not None:
        named.append(by_reference(rows, demote))
    for row in named:
        if row.pk not in rivals and not retire_expired(current, row):
            rivals[row.pk] = row
    return list(rivals.values())


def _is_named(loser: GovernanceItem, item: GovernanceItem, demote: str | None) -> bool:
    if item.contradicts_id == loser.pk:
        return True
    return demote is not None and demote.removeprefix("#") in {loser.ref, str(loser.number)}
