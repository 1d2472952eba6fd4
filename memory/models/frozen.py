from django.conf import settings
from django.db import models

from conversations.models import Conversation
from pawflow_web.identity.models import Agent


class FrozenBlock(models.Model):
    """The memory of a conversation's context as an agent first got it, kept so that its bytes stay the same.

    No words of beliefs: ``layout`` names them by row id and revision with what stands around their words, which never
    change while a belief is in use. So whatever takes one out of use takes it out of here too. What stands around them
    may name projects, in headings, before a line or in a line of their own: a project that is renamed or removed keeps
    its old name here until the conversation's memory is made anew. Derived: it may be deleted.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    layout = models.JSONField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "conversation"], name="memory_frozenblock_one"),
        ]
