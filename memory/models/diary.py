from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from conversations.models import Conversation
from memory.models.note import TAG_LONGEST, TAGS_MOST
from pawflow_web.identity.models import Agent
from pawflow_web.identity.models.token import TokenOrigin
from pawflow_web.lib.ids import new_ref, parse_ref

if TYPE_CHECKING:
    from pawflow_web.identity.principal import Principal

# What stands before the reference of an entry wherever it is shown.
PREFIX = "di_"


class DiaryType(models.TextChoices):
    OBSERVATION = "observation"
    DECISION = "decision"
    LEARNING = "learning"
    REFLECTION = "reflection"


class DiaryFlag(models.TextChoices):
    """What was found in an entry when it was written."""

    # words aimed at agents
    INJECTION = "injection"
    # it was taken out: the entry does not hold it
    SECRET = "secret"


# In the order of writing, whatever the clock said: a clock that was put back moves no entry.
NEWEST_FIRST = ("-id",)


class DiaryEntryQuerySet(models.QuerySet["DiaryEntry"]):
    def visible_to(self, principal: Principal) -> Self:
        """A person reads the diaries of all their agents; an agent its own, and those of the others that are open."""
        rows = self.filter(user_id=principal.user_id)
        if principal.is_person:
            return rows
        if principal.agent_id is None:
            return rows.none()
        closed = Diary.objects.filter(agent=models.OuterRef("agent"), closed=True)
        return rows.filter(models.Q(agent=principal.agent_id) | ~models.Exists(closed))

    def referred_to(self, reference: str) -> Self:
        """The entry of ``di_3fa4c1d2e5b6``, or of the digits alone; none for anything else."""
        ref = parse_ref(reference.strip().removeprefix(PREFIX))
        return self.filter(ref=ref) if ref else self.none()


class DiaryEntry(models.Model):
    """Something that an agent wrote down for itself. Never changed; a person may delete it.

    It holds no secret: what looked like one was taken out. ``admitted``: contexts may show it. An entry that was
    written by an automation or in which something was found waits for a person's word.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+", db_index=False)
    # where it was written; null: outside of any, or in one that was deleted
    conversation = models.ForeignKey(Conversation, on_delete=models.SET_NULL, null=True, related_name="+")
    type = models.CharField(max_length=16, choices=DiaryType, default=DiaryType.OBSERVATION)
    text = models.TextField()
    tags = ArrayField(models.CharField(max_length=TAG_LONGEST), default=list)
    flags = ArrayField(models.CharField(max_length=16, choices=DiaryFlag), default=list)
    origin = models.CharField(max_length=16, choices=TokenOrigin)
    admitted = models.BooleanField()
    created_at = models.DateTimeField()

    objects = DiaryEntryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(type__in=DiaryType.values), name="memory_diaryentry_type"),
            models.CheckConstraint(
                condition=models.Q(flags__contained_by=DiaryFlag.values), name="memory_diaryentry_flags"
            ),
            models.CheckConstraint(condition=models.Q(origin__in=TokenOrigin.values), name="memory_diaryentry_origin"),
            models.CheckConstraint(condition=models.Q(tags__len__lte=TAGS_MOST), name="memory_diaryentry_tags"),
        ]
        indexes = [
            # one diary, newest first; how many entries there are since the last reflection
            models.Index(fields=["agent", "-id"], name="memory_diaryentry_agent"),
            # all diaries of an owner, newest first
            models.Index(fields=["user", "-id"], name="memory_diaryentry_user"),
            # the block of every context
            models.Index(fields=["agent", "-id"], condition=models.Q(admitted=True), name="memory_diaryentry_admitted"),
            # the last reflection
            models.Index(
                fields=["agent", "-id"], condition=models.Q(type="reflection"), name="memory_diaryentry_reflected"
            ),
        ]

    def __str__(self) -> str:
        return f"{PREFIX}{self.ref}"


class Diary(models.Model):
    """What is kept of an agent's diary as a whole. No row: open, and no reflection was asked for yet.

    ``closed``: other agents of the owner do not read it. ``asked_at``: when the agent was last asked for a reflection.
    """

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, primary_key=True, related_name="diary")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    closed = models.BooleanField(default=False)
    asked_at = models.DateTimeField(null=True)
