from django.conf import settings
from django.db import models

from conversations.models import Conversation
from pawflow_web.identity.models import Agent
from review.models.item import GovernanceItem


class UseEvent(models.Model):
    """One occasion on which an answer showed a belief to an agent. Written in bulk after the answer has gone: the
    last second before a crash may be missing."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    item = models.ForeignKey(GovernanceItem, on_delete=models.CASCADE, related_name="uses")
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, related_name="+")
    # kind and name of the party; stays when the agent goes
    principal = models.CharField(max_length=300)
    conversation = models.ForeignKey(Conversation, on_delete=models.SET_NULL, null=True, related_name="+")
    # the registered reader whose answer it was
    reader = models.CharField(max_length=40)
    # place in that answer, from 1
    rank = models.SmallIntegerField()
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["item", "-at"], name="review_useevent_of_item"),
            models.Index(fields=["user", "-at"], name="review_useevent_newest"),
        ]


class ItemUse(models.Model):
    """How often a belief was shown to agents, and when last: the sum of its events, which may be thinned out."""

    item = models.OneToOneField(GovernanceItem, on_delete=models.CASCADE, primary_key=True, related_name="use")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    count = models.BigIntegerField(default=0)
    last_at = models.DateTimeField()
