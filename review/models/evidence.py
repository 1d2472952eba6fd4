from django.conf import settings
from django.db import models

from conversations.models import Conversation
from pawflow_web.identity.models import Agent
from review.models.choices import Origin
from review.models.item import GovernanceItem


class Evidence(models.Model):
    """How we know: one occasion on which a belief was said, by whom and where. Labels stay when rows go."""

    item = models.ForeignKey(GovernanceItem, on_delete=models.PROTECT, related_name="evidence")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    origin = models.CharField(max_length=16, choices=Origin)
    # kind and name of the party, for example agent:coder or import:memory.jsonl
    principal = models.CharField(max_length=300)
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, related_name="+")
    # review_evidence_said_in serves the deletion of a conversation too
    conversation = models.ForeignKey(
        Conversation, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    turn = models.CharField(max_length=220, default="", blank=True)
    file = models.CharField(max_length=255, default="", blank=True)
    line = models.IntegerField(null=True)
    quote = models.TextField(default="", blank=True)
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    at = models.DateTimeField()
    # the owner-independent UTC day of ``at``
    day = models.DateField()

    class Meta:
        constraints = [
            # One voice per party, conversation and day; it also bounds the table.
            models.UniqueConstraint(
                fields=["item", "principal", "conversation", "day"],
                nulls_distinct=False,
                name="review_evidence_one_voice",
            ),
        ]
        indexes = [
            # what was last said in a conversation, for the view by project
            models.Index(fields=["conversation", "-id"], name="review_evidence_said_in"),
        ]
