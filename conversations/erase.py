"""What goes with a conversation of what was said in it, and what with an agent."""

from conversations.erasers import erases_conversation
from conversations.models import Conversation, Run, Step, Turn
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.erasers import Leaving, erases_agent
from pawflow_web.identity.principal import Principal

# Turns that go, or let go of their agent, in one statement.
_SLICE = 500


@erases_conversation("turns")
def _erase_turns(principal: Principal, conversation: Conversation) -> bool:
    turns, runs = Turn.objects.filter(conversation=conversation), Run.objects.filter(conversation=conversation)
    ids = list(turns.order_by("pk").values_list("pk", flat=True)[:_SLICE])
    if not ids and not runs.exists():
        return False
    with user_clock(principal.user_id):
        Step.objects.filter(turn_id__in=ids).delete()
        Turn.objects.filter(pk__in=ids).delete()
        if not turns.exists():
            runs.delete()
    return True


@erases_agent("turns")
def _let_turns_go(leaving: Leaving) -> bool:
    """What it said stays, with its name as a label."""
    rows = Turn.objects.filter(agent=leaving.agent)
    return rows.filter(pk__in=rows.values("pk")[:_SLICE]).update(agent=None) == _SLICE
