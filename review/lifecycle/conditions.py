"""What must hold where a belief comes (back) into use: no twin of its words, room on its key, an expiry ahead."""

from collections.abc import Collection
from datetime import datetime

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.lib.errors import Conflict
from review.gate.proposals import Place
from review.gate.succession import holding, retire_expired
from review.journal.acts import Act
from review.models import LIVE, GovernanceItem


def future_expiry(current: Act, item: GovernanceItem) -> datetime | None:
    """The item's expiry, or None where it lies behind: what a person puts back is not to vanish again at once."""
    return None if item.expires_at is not None and item.expires_at <= current.clock.at else item.expires_at


def require_no_twin(current: Act, item: GovernanceItem, valid: DateTimeTZRange, *, place: Place | None = None) -> None:
    """Two rows in use with the same words in the same place cannot be; the unique index would say so less
    kindly. ``place`` is where the item goes, default where it is."""
    if not valid.upper_inf or valid.isempty:
        return
    place = place or Place.like(item)
    twin = (
        GovernanceItem.objects.locked()
        .owned_by(item.user_id)
        .filter(
            kind=item.kind,
            text_digest=item.text_digest,
            scope_agent_id=place.agent_id,
            scope_conversation_id=place.conversation_id,
            status__in=LIVE,
            valid__upper_inf=True,
        )
        .exclude(pk=item.pk)
        .first()
    )
    if twin is not None and not retire_expired(current, twin):
        raise Conflict(f"The same words already stand as #{twin.ref}.", fields={"duplicate_of": twin.ref})


def require_room(
    current: Act,
    item: GovernanceItem,
    valid: DateTimeTZRange,
    *,
    among: Collection[int] = (),
    key: str | None = None,
) -> None:
    """Raises :class:`Conflict` naming another value of the item's key that holds at some time of ``valid``.

    ``among`` are rows that change in the same act and are left alone here; ``key`` is the key that it goes to, default
    the one it has.
    """
    key = item.exclusive_key if key is None else key
    if not key or valid.isempty:
        return
    rows = holding(GovernanceItem.objects.locked().owned_by(item.user_id)).exclude(pk=item.pk)
    for row in rows.filter(exclusive_key=key, valid__overlap=valid):
        if row.pk in among or not retire_expired(current, row):
            raise Conflict(f"#{row.ref} holds at that time, and only one can.", fields={"contradicts": row.ref})
