"""Undo: the inverse of the last decision over a belief, whoever made it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.jobs.models import JobRun
from pawflow_web.lib.errors import Conflict, DomainError, InvalidTransition, NotFound, StaleRevision
from pawflow_web.lib.ids import parse_ref
from review.gate import tombstones
from review.journal.acts import Act, act
from review.journal.comments import Comment
from review.lifecycle import votes
from review.lifecycle.bulk import WORK, BulkResult
from review.lifecycle.conditions import require_no_twin, require_room
from review.lifecycle.locked import locked_item
from review.lifecycle.past import Change, Past
from review.models import LIVE, READABLE, Batch, GovernanceItem, JournalEntry, Reason, Status


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did.

    ``item`` is the belief as it is now and ``number`` the decision that the undo is. ``restored`` is another belief
    that came back with it; ``left`` are the references of those of the same decision that moved on since, so that
    they stayed as they are.
    """

    item: GovernanceItem
    number: int
    restored: GovernanceItem | None = None
    left: tuple[str, ...] = ()


def undo(*, principal: Principal, reference: str, revision: int | None = None, comment: str = "") -> Undone:
    """Take back the last decision over a belief that moved its status or its validity and still stands.

    Asked again, it takes back the one before. Every belief of that decision goes back with it, as far as it has not
    moved on: each field that the decision changed and that nobody changed since gets the value from before. What
    the decision created goes out of use.

    Raises:
        NotFound, StaleRevision: as for every decision.
        InvalidTransition: nothing is left to take back.
        Conflict: another belief has taken its place or its words since (named in ``fields``), or what it was before
            has been erased. Nothing is changed then.
    """
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        number = Past.of(item).last_standing
        if number is None:
            raise _nothing_to_undo(item)
        return _undo(current, item, number, comment)


def undo_batch(*, principal: Principal, ref: str, comment: str = "") -> tuple[Batch, list[BulkResult]]:
    """Take back each decision of a bulk action, each by itself: what moved on since stays and is named.

    Raises what :func:`standing_batch` raises.
    """
    batch = standing_batch(principal=principal, ref=ref)
    comment = Comment.of(comment)
    # The last one first, as one would by hand.
    results: list[BulkResult] = []
    for number in reversed(batch.decisions):
        try:
            results.append(undo_one(principal=principal, batch=batch, number=number, comment=comment))
        except DomainError as error:
            results.append(BulkResult(_decided(batch, number), error=error))
    with act(principal) as current:
        batch.undone_at = current.clock.at
        batch.save(update_fields=["undone_at"])
    return batch, results[::-1]


def standing_batch(*, principal: Principal, ref: str) -> Batch:
    """A bulk action that can be taken back.

    Raises:
        NotFound: this owner has no such bulk action.
        InvalidTransition: it was taken back before.
        Conflict: a job is still at it.
    """
    principal.require_person()
    batch = Batch.objects.filter(user_id=principal.user_id, ref=parse_ref(ref) or "").first()
    if batch is None:
        raise NotFound(f"There is no bulk action {ascii(ref)[:40]} that you may see.")
    if batch.undone_at is not None:
        raise InvalidTransition("This bulk action was taken back before.", fields={"batch": batch.ref})
    run = JobRun.objects.visible_to(principal).filter(kind=WORK, arguments__batch=batch.ref).open().first()
    if run is not None:
        raise Conflict("A job is still at these decisions. Wait for its end, or cancel it.", fields={"job": run.ref})
    return batch


def undo_one(*, principal: Principal, batch: Batch, number: int, comment: str = "") -> BulkResult:
    """Take back one decision of a bulk action.

    Raises:
        StaleRevision: the belief has moved on since.
        DomainError: whatever :func:`undo` raises.
    """
    ref = _decided(batch, number)
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, ref, None)
        if Past.of(item).last_standing != number:
            raise StaleRevision(f"#{item.ref} has changed since.", fields={"revision": item.revision, "ref": item.ref})
        done = _undo(current, item, number, comment)
        return BulkResult(ref, status=done.item.status, number=done.number)


def _decided(batch: Batch, number: int) -> str:
    """The belief that a decision of the batch was about."""
    entries = JournalEntry.objects.filter(user_id=batch.user_id, decision=number, verb=batch.action)
    return str(entries.order_by("-seq").values_list("item_ref", flat=True)[0])


def _nothing_to_undo(item: GovernanceItem) -> InvalidTransition:
    return InvalidTransition(f"#{item.ref} has no decision to take back.", fields={"status": item.status})


# --- one decision -----------------------------------------------------------------------------------------------


def _undo(current: Act, item: GovernanceItem, number: int, comment: Comment) -> Undone:
    entries: dict[int, list[JournalEntry]] = {}
    written = JournalEntry.objects.filter(user_id=item.user_id, decision=number).select_related("payload")
    for entry in written.order_by("seq"):
        entries.setdefault(entry.item_id, []).append(entry)
    moved = {pk for pk, rows in entries.items() if any(entry.moved for entry in rows)}
    if all(entry.verb == "admit" for pk in moved for entry in entries[pk] if entry.moved):
        raise _nothing_to_undo(item)
    items = {row.pk: row for row in GovernanceItem.objects.locked().filter(pk__in=moved).exclude(pk=item.pk)}
    items[item.pk] = item
    standing = {pk: past for pk, past in Past.of_all(list(items)).items() if number not in past.undone}
    ways = [
        _way_back(current, Change.of(items[pk], entries[pk]))
        for pk, past in standing.items()
        if past.last_standing == number
    ]
    for way in sorted(ways, key=_WayBack.order):
        _go(current, way, number, comment, among={way.item.pk for way in ways})
    left = [items[pk].ref for pk, past in standing.items() if past.last_standing != number]
    others = [way.item for way in ways if way.item.pk != item.pk and way.change.before is not None]
    return Undone(item, current.last_decision, others[0] if others else None, tuple(left))


@dataclass(frozen=True, slots=True)
class _WayBack:
    """How one belief goes back: the columns and the parts of its facet that it gets."""

    change: Change
    columns: dict[str, Any]
    facet: dict[str, Any] = field(default_factory=dict)

    @property
    def item(self) -> GovernanceItem:
        return self.change.item

    @property
    def status(self) -> str:
        return str(self.columns.get("status", self.item.status))

    @property
    def valid(self) -> DateTimeTZRange:
        valid: DateTimeTZRange = self.columns.get("valid", self.item.valid)
        return valid

    @property
    def holds(self) -> bool:
        """Whether it takes its place on its key then."""
        return self.status in READABLE and not self.valid.isempty

    def order(self) -> tuple[bool, bool, int]:
        """What makes room goes first, else two would hold one place for a moment."""
        return self.holds, self.status in LIVE, self.item.pk


def _way_back(current: Act, change: Change) -> _WayBack:
    item, at = change.item, current.clock.at
    if change.before is None:
        gone = {"status": Status.STALE, "reason": Reason.UNDONE, "retired_at": at, "contradicts": None}
        return _WayBack(change, {**gone, "supersedes": None})
    columns, facet = change.differences()
    comes_back = columns.get("status", item.status) != item.status
    expires_at = columns.get("expires_at", item.expires_at if comes_back else None)
    if expires_at is not None and expires_at <= at:
        # What a person puts back is not to vanish again at once.
        columns["expires_at"] = None
    return _WayBack(change, columns, facet)


def _go(current: Act, way: _WayBack, number: int, comment: Comment, *, among: Collection[int]) -> None:
    item = way.item
    if way.status in LIVE:
        require_no_twin(current, item, way.valid)
    if way.holds:
        require_room(current, item, way.valid, among=among)
    verbs = {entry.verb for entry in way.change.entries}
    if "reject" in verbs:
        tombstones.lift_own(current, item)
    if verbs & {"restore", "lift_tombstone"}:
        tombstones.put_back(current, item)
    if "feedback" in verbs and "confidence" in way.columns:
        votes.take_back(way.change.entries, way.columns["confidence"] - item.confidence)
    if not current.write(item, "undo", undoes=number, comment=comment, facet=way.facet, **way.columns):
        current.mention(item, "undo", undoes=number, comment=comment)
