"""What goes with a conversation of what was said in it, and what with an agent."""

from conversations.erasers import erases_conversation
from conversations.models import Chunk, Conversation, Run, Session, SessionGone, Step, Turn
from conversations.sessions.log import next_numbers
from conversations.sessions.storing import digest_of
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.erasers import Leaving, erases_agent
from pawflow_web.identity.principal import Principal

# Turns that go, or let go of their agent, in one statement.
_SLICE = 500
_CHUNKS = 100


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


@erases_conversation("sessions")
def _erase_session(principal: Principal, conversation: Conversation) -> bool:
    """The source of its entries, and a note for the indexes that still hold their words."""
    session = Session.objects.filter(conversation=conversation).first()
    if session is None:
        return False
    some = Chunk.objects.filter(session=session).order_by("-number").values("pk")[:_CHUNKS]
    with user_clock(principal.user_id) as clock:
        Chunk.objects.filter(pk__in=list(some.values_list("pk", flat=True))).delete()
        if not Chunk.objects.filter(session=session).exists():
            SessionGone.objects.create(
                user_id=session.user_id,
                session_number=session.pk,
                path_digest=digest_of(session.path) if session.path else "",
                seq=next_numbers(clock)[0],
            )
            session.delete()
    return True


@erases_agent("turns")
def _let_turns_go(leaving: Leaving) -> bool:
    """What it said stays, with its name as a label."""
    rows = Turn.objects.filter(agent=leaving.agent)
    return rows.filter(pk__in=rows.values("pk")[:_SLICE]).update(agent=None) == _SLICE
