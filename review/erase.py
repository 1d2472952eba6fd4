"""What deleting a conversation means for beliefs: those that only it could read go, of others a label stays."""

from collections.abc import Sequence

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from pawflow_web.identity.idempotency import Looked
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.journal.acts import act
from review.lifecycle.copies import look_for_copies
from review.lifecycle.erasing import erase_items
from review.models import Evidence, GovernanceItem, UseEvent

# The owner's clock is not held longer than for so many at once.
SLICE = 50
# Kept replies are looked through once for so many.
ROUND = 1000

# Evidence and uses that let go of the conversation in one statement.
LABELS = 5000

# The party said it on that day already, outside of any conversation: one voice a day is kept.
_SAID_OUTSIDE_TOO = """
DELETE FROM review_evidence AS e WHERE e.id = ANY(%(ids)s) AND EXISTS (
  SELECT 1 FROM review_evidence AS other
  WHERE other.item_id = e.item_id AND other.principal = e.principal AND other.day = e.day
    AND other.conversation_id IS NULL)
"""
_LABEL_ONLY = """
UPDATE review_evidence SET conversation_id = NULL, quote = '', span_start = NULL, span_end = NULL
WHERE id = ANY(%(ids)s)
"""


@erases_conversation("beliefs")
def erase_beliefs(principal: Principal, conversation: Conversation) -> bool:
    """Purge what only this conversation could read, a part of it at once. Its words may be said again elsewhere."""
    ours = GovernanceItem.objects.owned_by(principal.user_id).filter(scope_conversation=conversation)
    items = list(ours.order_by("pk").only("ref", "text", "privacy")[:ROUND])
    if not items:
        _let_go(principal, conversation)
        return False
    looked = look_for_copies(principal.user_id, items)
    for start in range(0, len(items), SLICE):
        _erase(principal, conversation, [item.pk for item in items[start : start + SLICE]], looked)
    return True


def _erase(principal: Principal, conversation: Conversation, ids: Sequence[int], looked: Looked) -> None:
    with act(principal) as current, current.decision():
        # One that was moved elsewhere meanwhile stays.
        items = list(GovernanceItem.objects.locked().filter(pk__in=ids, scope_conversation=conversation))
        if items:
            erase_items(current, items, looked)


def _let_go(principal: Principal, conversation: Conversation) -> None:
    """What stays forgets where it was said and shown. Nothing is decided by uses, so they need no clock."""
    uses = UseEvent.objects.filter(conversation=conversation)
    while uses.filter(pk__in=uses.values("pk")[:LABELS]).update(conversation=None):
        pass
    while _forget_where_it_was_said(principal, conversation):
        pass


def _forget_where_it_was_said(principal: Principal, conversation: Conversation) -> bool:
    """A part of the evidence. Returns whether there was any."""
    with act(principal):
        rows = Evidence.objects.filter(conversation=conversation).order_by("pk")
        ids = list(rows.values_list("pk", flat=True)[:LABELS])
        if ids:
            execute(_SAID_OUTSIDE_TOO, {"ids": ids})
            execute(_LABEL_ONLY, {"ids": ids})
    return bool(ids)
