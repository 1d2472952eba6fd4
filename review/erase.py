"""What deleting a conversation means for beliefs: those that only it could read go, of others a label stays."""

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.erasing import erase_items
from review.ledger import act
from review.models import GovernanceItem, UseEvent

# The owner's clock is not held longer than for so many at once.
SLICE = 50

# The party said it on that day already, outside of any conversation: one voice a day is kept.
_SAID_OUTSIDE_TOO = """
DELETE FROM review_evidence AS e WHERE e.conversation_id = %(conversation)s AND EXISTS (
  SELECT 1 FROM review_evidence AS other
  WHERE other.item_id = e.item_id AND other.principal = e.principal AND other.day = e.day
    AND other.conversation_id IS NULL)
"""
_LABEL_ONLY = """
UPDATE review_evidence SET conversation_id = NULL, quote = '', span_start = NULL, span_end = NULL
WHERE conversation_id = %(conversation)s
"""


@erases_conversation("beliefs")
def erase_beliefs(principal: Principal, conversation: Conversation) -> bool:
    """Purge a slice of what only this conversation could read. Its words may be said again elsewhere."""
    with act(principal) as current, current.decision():
        owned = GovernanceItem.objects.locked().owned_by(principal.user_id)
        items = list(owned.filter(scope_conversation=conversation)[:SLICE])
        if items:
            erase_items(current, items)
            return True
        where = {"conversation": conversation.pk}
        execute(_SAID_OUTSIDE_TOO, where)
        execute(_LABEL_ONLY, where)
        UseEvent.objects.filter(conversation=conversation).update(conversation=None)
        return False
