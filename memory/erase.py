"""What goes with a conversation."""

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from memory.models import FrozenBlock
from pawflow_web.identity.principal import Principal


@erases_conversation("frozen_blocks")
def _unfreeze(principal: Principal, conversation: Conversation) -> bool:
    FrozenBlock.objects.filter(user_id=principal.user_id, conversation=conversation).delete()
    return False
