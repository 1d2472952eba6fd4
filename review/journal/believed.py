"""Keeping ``Believed`` true: since when a belief can be read here, and what it says of the world."""

from datetime import datetime

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.lib.db import execute, insert_statement, values_of
from review.journal.snapshots import range_value
from review.models import READABLE, Believed, GovernanceItem

_CLOSE = """
UPDATE review_believed SET known = tstzrange(lower(known), greatest(lower(known), least(upper(known), %(at)s)))
WHERE item_id = %(item_id)s AND known @> %(at)s::timestamptz
"""

# What makes an item readable at all: (valid, until when), or None.
Reading = tuple[DateTimeTZRange, datetime | None] | None


def reading_of(item: GovernanceItem) -> Reading:
    if item.status not in READABLE or item.valid.isempty:
        return None
    return item.valid, item.expires_at


def write_reading(item: GovernanceItem, before: Reading, at: datetime) -> None:
    """Close the period of ``before`` at ``at`` and open the one that begins there, where they differ."""
    after = reading_of(item)
    if _same(before, after):
        return
    if before is not None:
        execute(_CLOSE, {"item_id": item.pk, "at": at})
    # What expired before this moment could not be read from it on, whatever its status says.
    if after is not None and (after[1] is None or after[1] > at):
        valid, until = after
        row = Believed(item_id=item.pk, user_id=item.user_id, known=DateTimeTZRange(at, until), valid=valid)
        execute(insert_statement(Believed), values_of(row))


def _same(one: Reading, other: Reading) -> bool:
    if one is None or other is None:
        return one is other
    return range_value(one[0]) == range_value(other[0]) and one[1] == other[1]
