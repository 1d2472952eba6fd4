"""Ending: since when a belief is no longer true in the world."""

from datetime import datetime

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, InvalidTransition
from review.journal.acts import act
from review.journal.comments import Comment
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
        check_transition(item.status, "end", Status(item.status))
        valid = _ended(item, ended_at or current.clock.at)
        require_room(current, item, valid)
        changed = current.write(
            item,
            "end",
            valid=valid,
            valid_to_precision=precision if ended_at else "instant",
            comment=comment,
        )
        if not changed:
            raise InvalidTransition(f"#{item.ref} ends at that moment already.", fields={"status": item.status})
        return Decision(item, current.last_decision)


def _ended(item: GovernanceItem, at: datetime) -> DateTimeTZRange:
    if item.valid.isempty:
        raise Invalid(
            f"#{item.ref} held at no time, so it cannot end.", fields={"ended_at": "the belief held at no time"}
        )
    if item.valid.lower is not None and at <= item.valid.lower:
        raise Invalid(
            f"#{item.ref} would end before it began.", fields={"ended_at": "must lie after the start of its validity"}
        )
    return DateTimeTZRange(item.valid.lower, at)
