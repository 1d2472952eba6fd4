from __future__ import annotations

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from memory.desk.places import DeskQuerySet
from memory.models.desk import DeskRow
from memory.models.note import TAG_LONGEST, TAGS_MOST
from pawflow_web.lib.db import StatementNow

NOTES_MOST = 200  # of one list
TOPIC_MOST = 160
CONTENT_MOST = 16_000
TTL_HOURS, TTL_HOURS_MOST = 168, 720

# What the context of an agent shows.
SHOWN_OF_NOTE = ("topic",)


class ScratchQuerySet(DeskQuerySet["ScratchNote"]):
    def current(self) -> Self:
        """Those that have not expired: the others are not there any more, swept or not."""
        return self.filter(expires_at__gt=StatementNow())


class ScratchNote(DeskRow):
    """Evidence that is of use for a while, in the list of one party in one place."""

    topic = models.CharField(max_length=TOPIC_MOST)
    content = models.TextField()
    tags = ArrayField(models.CharField(max_length=TAG_LONGEST), default=list)
    expires_at = models.DateTimeField()

    objects = ScratchQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("content"), CONTENT_MOST), name="memory_scratchnote_content"
            ),
            models.CheckConstraint(condition=models.Q(tags__len__lte=TAGS_MOST), name="memory_scratchnote_tags"),
        ]
        indexes = [
            models.Index(
                fields=["user", "agent", "conversation", "-updated_at", "-id"], name="memory_scratchnote_list"
            ),
            # the sweep
            models.Index(fields=["expires_at"], name="memory_scratchnote_expiry"),
        ]

    def __str__(self) -> str:
        return f"sp_{self.ref}"
