"""Deleting a conversation with all that was said in it."""

from conversations.erasers import erasers
from conversations.models import Conversation
from pawflow_web.identity.clock import user_clock
from pawflow_web.identity.idempotency import forget_replies, look_through_replies
from pawflow_web.identity.principal import Principal


def delete_conversation(*, principal: Principal, conversation: Conversation) -> None:
    """Erase the conversation, part by part; when this returns nothing is left of it, and nothing takes it back.

    An interrupted deletion leaves a conversation with less in it, which can be deleted again.

    Raises :class:`NotAllowed`: only a person may.
    """
    principal.require_person()
    _erase_contents(principal, conversation)
    named = [conversation.ref]
    looked = look_through_replies(principal.user_id, named)
    with user_clock(principal.user_id):
        # Nobody of this owner writes now: what came since the last part goes too.
        _erase_contents(principal, conversation)
        forget_replies(principal.user_id, named, looked=looked)
        Conversation.objects.filter(pk=conversation.pk).delete()


def _erase_contents(principal: Principal, conversation: Conversation) -> None:
    for erase in erasers.all():
        while erase(principal, conversation):
            pass
