from django.conf import settings
from django.db import models

from conversations.models import Conversation
from memory.desk.places import Place
from pawflow_web.identity.models import Agent
from pawflow_web.lib.ids import new_ref


class DeskRow(models.Model):
    """What a task and a note have in common: whose they are and where, and that each change has a number.

    ``flags`` says what was found in which of its words when they were written: column to rules of the scanner. No
    column holds a secret: what looked like one was taken out. ``searched`` is what a search compares, the words in one
    letter case.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    # null: the owner's own
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, related_name="+")
    # null: outside of any
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, null=True, related_name="+")
    flags = models.JSONField(default=dict)
    searched = models.TextField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        abstract = True

    @property
    def place(self) -> Place:
        return Place(self.user_id, self.agent_id, self.conversation_id)
