from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from conversations.models.conversation import Conversation
from pawflow_web.identity.models import Agent

if TYPE_CHECKING:
    from pawflow_web.identity.principal import Principal

RUN_LONGEST = 200
RUN_PATTERN = r"^[A-Za-z0-9_.-]{1,200}$"


class StepKind(models.TextChoices):
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    THINKING = "thinking"


class Run(models.Model):
    """One call of an agent within a conversation, under the client's own name for it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="runs")
    name = models.CharField(max_length=RUN_LONGEST)
    # how many turns it has; their numbers go up to it
    turns = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="conversations_run_name"),
            models.CheckConstraint(condition=models.Q(name__regex=RUN_PATTERN), name="conversations_run_name_shape"),
        ]

    def __str__(self) -> str:
        return self.name


class TurnQuerySet(models.QuerySet["Turn"]):
    def visible_to(self, principal: Principal) -> Self:
        """The owner's, for the person and for each of their agents alike, as their conversations are."""
        return self.filter(user_id=principal.user_id)

    def referred_to(self, reference: str) -> Self:
        """The turn of ``run:number``; none for anything else."""
        run, _, number = reference.strip().rpartition(":")
        if not run or not number.isdecimal() or not number.isascii() or len(number) > 9:
            return self.none()
        return self.filter(run__name=run, number=int(number))


# As they were told, whatever the client's clock says.
IN_ORDER = ("id",)


class Turn(models.Model):
    """What one party said or did at a time. ``run:number`` names it for ever; it is never changed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="+", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.IntegerField()
    # the client's own name for it; '' when it gave none
    external_id = models.CharField(max_length=200, default="", blank=True)
    role = models.CharField(max_length=40)
    # when it was said, as the client tells it
    at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    # who told it; null: the person, or an agent that was erased
    agent = models.ForeignKey(Agent, on_delete=models.SET_NULL, null=True, related_name="+")
    principal = models.CharField(max_length=120)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="conversations_turn_number"),
            # What makes telling it twice idempotent.
            models.UniqueConstraint(
                fields=["conversation", "external_id"],
                condition=~models.Q(external_id=""),
                name="conversations_turn_external",
            ),
        ]
        indexes = [
            # the history of one conversation, from its end
            models.Index(fields=["conversation", "-id"], name="conversations_turn_history"),
            models.Index(fields=["user", "-id"], name="conversations_turn_of_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.run.name}:{self.number}"


class Step(models.Model):
    """A piece of a turn: a message, a call of a tool, its result, a thought.

    ``raw`` is the JSON object exactly as it was received, and the one place of its words; sealed in an encrypted
    conversation.
    """

    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="steps", db_index=False)
    number = models.IntegerField()
    kind = models.CharField(max_length=16, choices=StepKind)
    raw = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "number"], name="conversations_step_number"),
            models.CheckConstraint(condition=models.Q(kind__in=StepKind.values), name="conversations_step_kind"),
        ]
