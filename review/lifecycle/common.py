"""Steps that several decisions take."""

from datetime import datetime

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, StaleRevision
from review.find import by_reference
from review.ledger import Act
from review.models import LIVE, GovernanceItem
from review.succession import retire_expired


def locked_item(
    principal: Principal, reference: str, revision: int | None, *, readable: bool = False
) -> GovernanceItem:
    """The row under the clock. What an agent may not recall does not exist for its decisions either."""
    rows = GovernanceItem.objects.locked()
    items = rows.recallable(principal) if readable else rows.visible_to(principal)
    item = by_reference(items, reference)
    if revision is not None and revision != item.revision:
        raise StaleRevision(
            f"#{item.ref} has changed since you read it.", fields={"revision": item.revision, "ref": item.ref}
        )
    return item


def future_expiry(current: Act, item: GovernanceItem) -> datetime | None:
    """The item's expiry, or None where it lies behind: what a person puts back is not to vanish again at once."""
    return None if item.expires_at is not None and item.expires_at <= current.clock.at else item.expires_at


def require_no_twin(current: Act, item: GovernanceItem, valid: DateTimeTZRange) -> None:
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
            status__in=LIVE,
            valid__upper_inf=True,
        )
        .exclude(pk=item.pk)
        .first()
    )
    if twin is not None and not retire_expired(current, twin):
        raise Conflict(f"The same words already stand as #{twin.ref}.", fields={"duplicate_of": twin.ref})
