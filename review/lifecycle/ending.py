"""Ending: since when a belief is no longer true in the world."""

from datetime import datetime

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, InvalidTransition
from review.journal.acts import Act, act
from review.journal.comments import NO_COMMENT, Comment
from review.lifecycle.conditions import require_room
from review.lifecycle.deciding import Decision
from review.lifecycle.locked import locked_item
from review.models import GovernanceItem, Status
from review.transitions import check_transition


def end(
    *,
    principal: Principal,
    reference: str,
    ended_at: datetime | None = None,
    precision: str = "",
    revision: int | None = None,
    comment: str = "",
) -> Decision:
    """Say until when it was true; its status stays. History can be ended too, and an end can be moved.

    Args:
        ended_at: from this moment on it does not hold; now when left out.
        precision: of ``ended_at`` as it was said: year, month, day or instant.

    Raises:
        NotFound, StaleRevision, InvalidTransition: as for every decision.
        Invalid: the end lies before the start.
        Conflict: moved later, it would overlap another value of its key (``fields.contradicts``).
    """
    principal.require_person()
    comment = Comment.of(comment)
    with act(principal) as current, current.decision():
        item = locked_item(principal, reference, revision)
        at, precision = (ended_at, precision) if ended_at else (current.clock.at, "instant")
        if not end_item(current, item, at, precision, comment=comment):
            raise InvalidTransition(f"#{item.ref} ends at that moment already.", fields={"status": item.status})
        return Decision(item, current.last_decision)


def end_item(
    current: Act,
    item: GovernanceItem,
    at: datetime,
    precision: str,
    *,
    comment: Comment = NO_COMMENT,
    field: str = "ended_at",
) -> bool:
    """The same for a row that was read ``locked()``. Returns whether it is different now.

    Args:
        field: what the caller calls ``at``, for what is said of it.
    """
    check_transition(item.status, "end", Status(item.status))
    valid = _ended(item, at, field)
    require_room(current, item, valid)
    return current.write(item, "end", valid=valid, valid_to_precision=precision, comment=comment)


def _ended(item: GovernanceItem, at: datetime, field: str) -> DateTimeTZRange:
    if item.valid.isempty:
        raise Invalid(f"#{item.ref} held at no time, so it cannot end.", fields={field: "the belief held at no time"})
    if item.valid.lower is not None and at <= item.valid.lower:
        raise Invalid(
            f"#{item.ref} would end before it began.", fields={field: "must lie after the start of its validity"}
        )
    return DateTimeTZRange(item.valid.lower, at)
