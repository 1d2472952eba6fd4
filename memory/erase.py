"""What goes with a conversation."""

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from memory.desk.erasing import erase_some
from memory.models import DiaryEntry, FrozenBlock, ScratchNote, TodoTask
from pawflow_web.identity.principal import Principal


@erases_conversation("frozen_blocks")
def _unfreeze(principal: Principal, conversation: Conversation) -> bool:
    FrozenBlock.objects.filter(user_id=principal.user_id, conversation=conversation).delete()
    return False


# Entries that let go of the conversation in one statement.
_LABELS = 5000


@erases_conversation("diary")
def _let_go_of_diary(principal: Principal, conversation: Conversation) -> bool:
    """An entry is the agent's and stays; it forgets where it was written."""
    rows = DiaryEntry.objects.filter(user_id=principal.user_id, conversation=conversation)
    return rows.filter(pk__in=rows.values("pk")[:_LABELS]).update(conversation=None) == _LABELS


@erases_conversation("todo")
def _erase_tasks(principal: Principal, conversation: Conversation) -> bool:
    return erase_some(TodoTask.objects.all(), principal, conversation)


@erases_conversation("scratch")
def _erase_notes(principal: Principal, conversation: Conversation) -> bool:
    return erase_some(ScratchNote.objects.all(), principal, conversation)
