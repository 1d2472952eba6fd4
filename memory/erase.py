"""What goes with a conversation, what with an agent, and what with an owner."""

from django.utils.translation import ngettext

from conversations.erasers import erases_conversation
from conversations.models import Conversation
from memory.desk.erasing import erase_some
from memory.importers.background import discard_files, give_up_for
from memory.models import Diary, DiaryEntry, FrozenBlock, ScratchNote, TodoTask
from pawflow_web.identity.erasers import Leaving, erases_agent, erases_owner, holding_of_agents
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal


@erases_conversation("frozen_blocks")
def _unfreeze(principal: Principal, conversation: Conversation) -> bool:
    FrozenBlock.objects.filter(user_id=principal.user_id, conversation=conversation).delete()
    return False


# Entries that go, or let go of their conversation, in one statement.
_ENTRIES = 5000


@erases_conversation("diary")
def _let_go_of_diary(principal: Principal, conversation: Conversation) -> bool:
    """An entry is the agent's and stays; it forgets where it was written."""
    rows = DiaryEntry.objects.filter(user_id=principal.user_id, conversation=conversation)
    return rows.filter(pk__in=rows.values("pk")[:_ENTRIES]).update(conversation=None) == _ENTRIES


@erases_conversation("todo")
def _erase_tasks(principal: Principal, conversation: Conversation) -> bool:
    return erase_some(TodoTask.objects.filter(conversation=conversation), principal)


@erases_conversation("scratch")
def _erase_notes(principal: Principal, conversation: Conversation) -> bool:
    return erase_some(ScratchNote.objects.filter(conversation=conversation), principal)


@erases_agent("imports")
def _give_up_imports(leaving: Leaving) -> bool:
    give_up_for(leaving.principal.user_id, leaving.agent.name)
    return False


@erases_agent("frozen_blocks")
def _unfreeze_of_agent(leaving: Leaving) -> bool:
    FrozenBlock.objects.filter(agent=leaving.agent).delete()
    return False


@erases_agent("diary")
def _erase_diary(leaving: Leaving) -> bool:
    rows = DiaryEntry.objects.filter(agent=leaving.agent)
    gone, _ = rows.filter(pk__in=rows.values("pk")[:_ENTRIES]).delete()
    Diary.objects.filter(agent=leaving.agent).delete()
    return gone == _ENTRIES


@erases_agent("todo")
def _erase_tasks_of_agent(leaving: Leaving) -> bool:
    return erase_some(TodoTask.objects.filter(agent=leaving.agent), leaving.principal)


@erases_agent("scratch")
def _erase_notes_of_agent(leaving: Leaving) -> bool:
    return erase_some(ScratchNote.objects.filter(agent=leaving.agent), leaving.principal)


@erases_owner("uploads")
def _discard_uploads(user_id: int) -> None:
    discard_files(user_id)


@holding_of_agents("diary")
def _entries_of(agent: Agent) -> str:
    number = DiaryEntry.objects.filter(agent=agent).count()
    return ngettext("%d diary entry", "%d diary entries", number) % number if number else ""


@holding_of_agents("todo")
def _tasks_of(agent: Agent) -> str:
    number = TodoTask.objects.filter(agent=agent).count()
    return ngettext("%d task", "%d tasks", number) % number if number else ""


@holding_of_agents("scratch")
def _notes_of(agent: Agent) -> str:
    number = ScratchNote.objects.filter(agent=agent).count()
    return ngettext("%d scratch note", "%d scratch notes", number) % number if number else ""
