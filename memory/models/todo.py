from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual

from memory.desk.places import DeskQuerySet
from memory.models.desk import DeskRow

TASKS_MOST = 1000  # of one list
SUBJECT_MOST = 300  # also of ``active_form``
DESCRIPTION_MOST = 8000
OWNER_MOST = 80
EXTERNAL_ID_MOST = 200
METADATA_MOST = 8192  # bytes, as JSON

# What the context of an agent shows.
SHOWN_OF_TASK = ("subject",)


class TaskStatus(models.TextChoices):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class TodoQuerySet(DeskQuerySet["TodoTask"]):
    def unfinished(self) -> Self:
        return self.exclude(status=TaskStatus.COMPLETED)


class TodoTask(DeskRow):
    """Something to be finished, in the list of one party in one place."""

    # the client's own name for it; '' when it gave none
    external_id = models.CharField(max_length=EXTERNAL_ID_MOST, default="", blank=True)
    subject = models.CharField(max_length=SUBJECT_MOST)
    description = models.TextField(default="", blank=True)
    # what is said while it is being done: "Running the tests"
    active_form = models.CharField(max_length=SUBJECT_MOST, default="", blank=True)
    status = models.CharField(max_length=16, choices=TaskStatus, default=TaskStatus.PENDING)
    # who does it, in the caller's words
    owner = models.CharField(max_length=OWNER_MOST, default="", blank=True)
    # JSON as it came: jsonb would write 1e308 out in full
    metadata = models.TextField(default="{}")

    objects = TodoQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=TaskStatus.values), name="memory_todotask_status"),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("description"), DESCRIPTION_MOST), name="memory_todotask_description"
            ),
            # What makes creating with the same external id idempotent.
            models.UniqueConstraint(
                fields=["user", "agent", "conversation", "external_id"],
                condition=~models.Q(external_id=""),
                nulls_distinct=False,
                name="memory_todotask_external",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "agent", "conversation", "-updated_at", "-id"], name="memory_todotask_list"),
        ]

    def __str__(self) -> str:
        return f"td_{self.ref}"


class TodoDependency(models.Model):
    """``blocker`` is to be finished before ``blocked`` begins. Both are in one list, and no task waits for itself,
    over others neither."""

    blocker = models.ForeignKey(TodoTask, on_delete=models.CASCADE, related_name="blocking", db_index=False)
    blocked = models.ForeignKey(TodoTask, on_delete=models.CASCADE, related_name="waiting")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="memory_tododependency_once"),
            models.CheckConstraint(condition=~models.Q(blocker=models.F("blocked")), name="memory_tododependency_self"),
        ]
