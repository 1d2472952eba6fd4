"""Decisions over beliefs. Each is one transaction under the owner's clock: item, facet, journal, tombstone.

A person decides; the surfaces are thin around these functions. Every function takes the item's public
reference, so that what may be seen is decided here and once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, DomainError, NeedsApproval, StaleRevision
from review import tombstones
from review.find import by_reference
from review.ledger import Act, act
from review.models import ArchiveRequest, ArchiveState, Batch, GovernanceItem, Status, Tombstone
from review.placement import EMPTY, place
from review.succession import retire_expired, rivals_of, supersede
from review.transitions import check_transition

BULK_MOST = 500


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision did: the item as it is now, the one it demoted, the tombstone it made, and its number."""

    item: GovernanceItem
    number: int
    demoted: GovernanceItem | None = None
    tombstone: Tombstone | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Either the item is out of every reader, or a person has been asked."""

    item: GovernanceItem
    forgotten: bool
    request: ArchiveRequest | None = None


@dataclass(frozen=True, slots=True)
class BulkResult:
    ref: str
    status: str = ""
    error: DomainError | None = None


def accept(
    *,
    principal: Principal,
    reference: str,
    revision: int | None = None,
    demote: str | None = None,
    note: str = "",
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
    with act(principal) as current, current.decision():
        item = _locked(principal, reference, revision)
        check_transition(item.status, "accept", Status.ACTIVE)
        if in_bulk:
            _refuse_in_bulk(item)
        valid = item.valid
        if valid.isempty:
            # It was corrected away; who puts it back means that it holds from now on.
            valid = DateTimeTZRange(current.clock.at, None)
        _require_no_twin(current, item, valid)
        placement = _settle_rivals(current, item, valid, demote)
        current.write(
            item,
            "accept",
            status=Status.ACTIVE,
            reason="accepted",
            decided=True,
            contradicts=None,
            retired_at=None,
            expires_at=_future_expiry(current, item),
            note=note,
            **placement.changes,
        )
        return Decision(item, current.last_decision, demoted=placement.loser)


def reject(*, principal: Principal, reference: str, revision: int | None = None, note: str = "") -> Decision:
    """It should never have been believed: out of every reader, and its words are refused from now on."""
    with act(principal) as current, current.decision():
        item = _locked(principal, reference, revision)
        check_transition(item.status, "reject", Status.REJECTED)
        current.write(
            item,
            "reject",
            status=Status.REJECTED,
            reason="rejected",
            retired_at=current.clock.at,
            contradicts=None,
            note=note,
        )
        _settle_archive_requests(current, item, ArchiveState.APPROVED)
        return Decision(item, current.last_decision, tombstone=tombstones.bury(current, item, reason="rejected"))


def restore(*, principal: Principal, reference: str, revision: int | None = None, note: str = "") -> Decision:
    """Take a rejected belief back into review and lift its refusal.

    Raises :class:`Conflict` naming the row when the same words have been stored again meanwhile.
    """
    with act(principal) as current, current.decision():
        item = _locked(principal, reference, revision)
        check_transition(item.status, "restore", Status.NEEDS_REVIEW)
        _require_no_twin(current, item, item.valid)
        standing = tombstones.standing(item.user_id, item.text_digest)
        if standing is not None:
            tombstones.lift(current, standing)
        current.write(
            item,
            "restore",
            status=Status.NEEDS_REVIEW,
            reason="restored",
            retired_at=None,
            expires_at=_future_expiry(current, item),
            note=note,
        )
        return Decision(item, current.last_decision)


def forget(*, principal: Principal, reference: str, note: str = "") -> Forgotten:
    """Take a belief out of use, without prejudice: it may be said again.

    An automation, and any agent facing what a person pinned or decided, asks a person instead.
    """
    with act(principal) as current, current.decision():
        item = _locked(principal, reference, None, readable=not principal.is_person)
        guarded = not principal.is_person and (item.pinned or item.decided)
        if guarded or not principal.is_user_channel:
            request = _request_archive(current, item, principal, note)
            return Forgotten(item, forgotten=False, request=request)
        check_transition(item.status, "forget", Status.STALE)
        current.write(item, "forget", status=Status.STALE, reason="forgotten", retired_at=current.clock.at, note=note)
        _settle_archive_requests(current, item, ArchiveState.APPROVED)
        return Forgotten(item, forgotten=True)


def decide_many(
    *,
    principal: Principal,
    action: str,
    references: Sequence[str],
    revisions: Mapping[str, int] | None = None,
    note: str = "",
) -> tuple[Batch, list[BulkResult]]:
    """Accept or reject up to :data:`BULK_MOST` beliefs, each by itself: what cannot be decided stays and is
    named. Contradicting and flagged beliefs are never accepted this way. The clock is held for one decision
    at a time, so that the owner's agents get in between."""
    verbs: dict[str, Callable[..., Decision]] = {"accept": partial(accept, in_bulk=True), "reject": reject}
    decide = verbs[action]
    results: list[BulkResult] = []
    decisions: list[int] = []
    for reference in dict.fromkeys(references):
        revision = (revisions or {}).get(reference)
        try:
            done = decide(principal=principal, reference=reference, revision=revision, note=note)
        except DomainError as error:
            results.append(BulkResult(reference, error=error))
        else:
            decisions.append(done.number)
            results.append(BulkResult(reference, status=done.item.status))
    with act(principal) as current:
        batch = Batch.objects.create(user_id=principal.user_id, action=action, decisions=decisions, at=current.clock.at)
    return batch, results


# --- shared steps ---------------------------------------------------------------------------------------------


def _locked(principal: Principal, reference: str, revision: int | None, *, readable: bool = False) -> GovernanceItem:
    """The row under the clock. What an agent may not recall does not exist for its decisions either."""
    rows = GovernanceItem.objects.locked()
    items = rows.recallable(principal) if readable else rows.visible_to(principal)
    item = by_reference(items, reference)
    if revision is not None and revision != item.revision:
        raise StaleRevision(
            f"#{item.ref} has changed since you read it.", fields={"revision": item.revision, "ref": item.ref}
        )
    return item


def _refuse_in_bulk(item: GovernanceItem) -> None:
    if item.flags or item.reason in {"injection_flagged", "scanner_unavailable", "secret"}:
        raise NeedsApproval(f"#{item.ref} was flagged; look at it by itself.", fields={"ref": item.ref})
    if item.contradicts is not None:
        raise Conflict(
            f"#{item.ref} contradicts #{item.contradicts.ref}; decide it by itself.",
            fields={"contradicts": item.contradicts.ref},
        )


def _future_expiry(current: Act, item: GovernanceItem) -> datetime | None:
    """The item's expiry, or None where it lies behind: what a person puts back is not to vanish again at once."""
    return None if item.expires_at is not None and item.expires_at <= current.clock.at else item.expires_at


def _require_no_twin(current: Act, item: GovernanceItem, valid: DateTimeTZRange) -> None:
    """Two rows in use with the same words in the same place cannot be; the unique index would say so less
    kindly."""
    if not valid.upper_inf or valid.isempty:
        return
    twin = (
        GovernanceItem.objects.locked()
        .owned_by(item.user_id)
        .filter(
            kind=item.kind,
            text_digest=item.text_digest,
            scope_agent=item.scope_agent,
            scope_conversation=item.scope_conversation,
            status__in=(Status.CANDIDATE, Status.ACTIVE, Status.NEEDS_REVIEW),
            valid__upper_inf=True,
        )
        .exclude(pk=item.pk)
        .first()
    )
    if twin is not None and not retire_expired(current, twin):
        raise Conflict(f"The same words already stand as #{twin.ref}.", fields={"duplicate_of": twin.ref})


@dataclass(frozen=True, slots=True)
class _Settled:
    changes: dict[str, Any]
    loser: GovernanceItem | None = None


def _settle_rivals(current: Act, item: GovernanceItem, valid: DateTimeTZRange, demote: str | None) -> _Settled:
    """Make room for an accepted value among the others of its key."""
    rivals = _rivals(current, item, demote)
    placement = place([rival.valid for rival in rivals], valid, current.clock.at)
    loser = rivals[placement.loser] if placement.loser is not None else None
    if loser is not None and not _is_named(loser, item, demote):
        raise Conflict(
            f"#{loser.ref} holds now and was not named. Look at both, then accept with demote.",
            fields={"contradicts": loser.ref},
        )
    if loser is not None and placement.loser_valid is None:
        raise Conflict(
            f"It is not known when this began, and #{loser.ref} holds at its end. Correct it with dates first.",
            fields={"contradicts": loser.ref},
        )
    changes: dict[str, Any] = {"valid": placement.valid}
    if placement.assumed_start or item.valid.isempty:
        changes["valid_from_precision"] = "assumed"
    if loser is not None:
        supersede(current, loser, placement.loser_valid or EMPTY)
        changes["supersedes"] = loser
    return _Settled(changes, loser)


def _rivals(current: Act, item: GovernanceItem, demote: str | None) -> list[GovernanceItem]:
    """The values of its key, the one it contradicts and the one that the caller names."""
    rows = (
        GovernanceItem.objects.locked()
        .owned_by(item.user_id)
        .filter(status__in=(Status.ACTIVE, Status.SUPERSEDED), valid__isempty=False)
    )
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


def _request_archive(current: Act, item: GovernanceItem, principal: Principal, note: str) -> ArchiveRequest:
    """Ask a person, once: a wish that is pending already is answered with itself."""
    pending = ArchiveRequest.objects.filter(item=item, state=ArchiveState.PENDING).first()
    if pending is not None:
        return pending
    request = ArchiveRequest.objects.create(
        user_id=item.user_id,
        item=item,
        principal=f"{principal.kind}:{principal.name}",
        reason=note,
        at=current.clock.at,
    )
    current.note(item, "archive_request", event="archive_request", note=note)
    return request


def _settle_archive_requests(current: Act, item: GovernanceItem, state: str) -> None:
    ArchiveRequest.objects.filter(item=item, state=ArchiveState.PENDING).update(
        state=state, decided_at=current.clock.at
    )
