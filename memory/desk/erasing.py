"""What goes with a conversation or an agent: its tasks and notes, and the kept replies that hold them."""

from typing import Any

from memory.desk.places import DeskQuerySet
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.idempotency import forget_replies, look_through_replies
from pawflow_web.identity.principal import Principal

# The owner's clock is not held longer than for so many at once.
_SLICE = 500


def erase_some(rows: DeskQuerySet[Any], principal: Principal) -> bool:
    """A part of these rows of one owner. Returns whether there was any, so that there may be more."""
    found = rows.filter(user_id=principal.user_id).order_by("pk")
    some = dict(found.values_list("pk", "ref")[:_SLICE])
    if not some:
        return False
    named = list(some.values())
    looked = look_through_replies(principal.user_id, named)
    with user_clock(principal.user_id):
        rows.model.objects.filter(pk__in=list(some)).delete()
        forget_replies(principal.user_id, named, looked=looked)
    return True
