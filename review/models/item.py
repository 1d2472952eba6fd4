from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import BigIntegerRangeField, DateTimeRangeField
from django.db import models
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Coalesce, Length
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual

from conversations.models import Conversation
from pawflow_web.identity.models import Agent
from pawflow_web.lib.ids import new_ref
from review.limits import TEXT_MOST
from review.models.choices import LIVE, READABLE, WAITING, Origin, Privacy, Reason, Scope, Status
from review.models.slot import ExclusiveSlot
from review.querysets import ItemQuerySet


def always() -> DateTimeTZRange:
    """The unbounded range: nobody said when it began or whether it ends."""
    return DateTimeTZRange(None, None)


class GovernanceItem(models.Model):
    """A belief: the one row whose status decides whether anything may read its words.

    What only one kind has (tags of a note, parts of a fact) is in that kind's facet, never here. Rows change
    under the owner's clock, through :class:`review.journal.acts.Act`, and in no other way.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    # per owner, from 1, never used again: the short form #42
    number = models.BigIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="items")
    kind = models.CharField(max_length=16)
    # sealed while privacy is secret: read it through :mod:`review.plaintext`
    text = models.TextField()
    # keyed digest of the folded text: exact duplicates and tombstones
    text_digest = models.CharField(max_length=64)
    # keyed digest of the exact words: what the journal holds in place of them
    words_mac = models.CharField(max_length=64)

    scope = models.CharField(max_length=16, choices=Scope)
    scope_agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="+")
    scope_conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, null=True, related_name="+")
    status = models.CharField(max_length=16, choices=Status)
    reason = models.CharField(max_length=32, choices=Reason)
    confidence = models.SmallIntegerField()
    privacy = models.CharField(max_length=16, choices=Privacy, default=Privacy.NORMAL)
    origin = models.CharField(max_length=16, choices=Origin)
    # [{"rule", "start", "end"}]: what the scanner found in the text
    flags = models.JSONField(default=list)

    # the part of the digest that its kind files it under; '' in none
    tier = models.CharField(max_length=16, default="", blank=True)

    # '' never contradicts; set only for predicates that hold one value at a time
    exclusive_key = models.CharField(max_length=400, default="", blank=True)
    slot = models.GeneratedField(
        expression=ExclusiveSlot(), output_field=BigIntegerRangeField(null=True), db_persist=True
    )
    # when it is true in the world, half-open; the only place that says so
    valid = DateTimeRangeField(default=always)
    valid_from_precision = models.CharField(max_length=8, default="", blank=True)
    valid_to_precision = models.CharField(max_length=8, default="", blank=True)

    recorded_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField()
    pinned = models.BooleanField(default=False)
    # a person accepted or corrected it: agents may no longer move it
    decided = models.BooleanField(default=False)
    contradicts = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    # the winner points at the loser
    supersedes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="superseders", db_index=False
    )
    # counts what a reviewer must know of; evidence, confidence and use do not move it
    revision = models.IntegerField(default=1)
    # journal seq of the last change of words, status, scope or validity: what the index has to catch up with
    changed_seq = models.BigIntegerField()

    objects = ItemQuerySet.as_manager()

    if TYPE_CHECKING:
        # columns that ``for_display()`` adds
        contradicts_ref: str | None
        supersedes_ref: str | None
        superseded_by_ref: str | None
        archive_pending: bool
        use_count: int
        last_used_at: datetime | None

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="review_governanceitem_status"),
            models.CheckConstraint(condition=models.Q(reason__in=Reason.values), name="review_governanceitem_reason"),
            models.CheckConstraint(
                condition=models.Q(privacy__in=Privacy.values), name="review_governanceitem_privacy"
            ),
            models.CheckConstraint(condition=models.Q(origin__in=Origin.values), name="review_governanceitem_origin"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=100),
                name="review_governanceitem_confidence",
            ),
            models.CheckConstraint(
                condition=models.Q(GreaterThanOrEqual(Length("text"), 1))
                & (models.Q(privacy=Privacy.SECRET) | models.Q(LessThanOrEqual(Length("text"), TEXT_MOST))),
                name="review_governanceitem_text",
            ),
            models.CheckConstraint(
                condition=models.Q(scope=Scope.GLOBAL, scope_agent=None, scope_conversation=None)
                | models.Q(scope=Scope.AGENT, scope_agent__isnull=False, scope_conversation=None)
                | models.Q(scope=Scope.CONVERSATION, scope_agent=None, scope_conversation__isnull=False)
                | models.Q(scope=Scope.PRIVATE, scope_agent__isnull=False, scope_conversation__isnull=False),
                name="review_governanceitem_scope",
            ),
            models.UniqueConstraint(fields=["user", "number"], name="review_governanceitem_number"),
            # The same words once per place. Stale, superseded, rejected and ended rows do not count: they are
            # history, and undo must be able to bring one back.
            models.UniqueConstraint(
                fields=["user", "scope_agent", "scope_conversation", "kind", "text_digest"],
                condition=models.Q(status__in=[*LIVE], valid__upper_inf=True),
                nulls_distinct=False,
                name="review_governanceitem_same_words",
            ),
            # One value at a time: at no moment of world time do two rows of one exclusive key hold.
            ExclusionConstraint(
                name="review_governanceitem_one_value",
                expressions=[("slot", "&&"), ("valid", "&&")],
                condition=models.Q(status__in=[*READABLE]),
            ),
        ]
        indexes = [
            # the lists of people and agents: newest first within a status
            models.Index(fields=["user", "status", "-recorded_at", "-id"], name="review_item_list"),
            # the numbers above the review queue, without a look at the rows themselves
            models.Index(
                fields=["user", "status", "reason"],
                include=["id", "contradicts", "number"],
                condition=models.Q(status__in=[*WAITING]),
                name="review_item_queue",
            ),
            # a person's list of every status, newest first
            models.Index(fields=["user", "-recorded_at", "-id"], name="review_item_newest"),
            # what agents read without a query: by scope, newest first
            models.Index(
                fields=["user", "scope", "-recorded_at", "-id"],
                condition=models.Q(status__in=[*READABLE]),
                name="review_item_readable",
            ),
            # the digest: the newest of each tier and scope
            models.Index(
                fields=["user", "tier", "scope", "-recorded_at", "-id"],
                condition=models.Q(status__in=[*READABLE]) & ~models.Q(tier=""),
                name="review_item_digest",
            ),
            # the same for one agent and its conversation, past the rows of all others
            models.Index(
                "user",
                "tier",
                "scope",
                Coalesce("scope_agent", 0),
                Coalesce("scope_conversation", 0),
                models.F("recorded_at").desc(),
                models.F("id").desc(),
                condition=models.Q(status__in=[*READABLE]) & ~models.Q(tier=""),
                name="review_item_place",
            ),
            # what stands first in every digest
            models.Index(
                fields=["user", "-recorded_at", "-id"],
                condition=models.Q(status__in=[*READABLE], pinned=True) & ~models.Q(tier=""),
                name="review_item_pinned",
            ),
            # the tail of a search, and the catch-up of the index
            models.Index(fields=["user", "-changed_seq"], name="review_item_changed"),
            # exact duplicates of any status
            models.Index(fields=["user", "text_digest"], name="review_item_words"),
            # rivals by key
            models.Index(
                fields=["user", "exclusive_key"],
                condition=~models.Q(exclusive_key=""),
                name="review_item_key",
            ),
            # the sweep of what expired
            models.Index(
                fields=["expires_at"],
                condition=models.Q(expires_at__isnull=False, status__in=[*LIVE]),
                name="review_item_expiry",
            ),
            models.Index(fields=["supersedes"], name="review_item_supersedes"),
            # the rejected words that no search index holds
            models.Index(
                fields=["user", "-recorded_at", "-id"],
                condition=models.Q(status=Status.REJECTED, privacy=Privacy.SECRET),
                name="review_item_refused_secret",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.ref}"
