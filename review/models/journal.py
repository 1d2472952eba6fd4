from django.conf import settings
from django.db import models

from review.models.choices import ERASING, EventKind, Reason


class JournalEntry(models.Model):
    """One change of one belief, sealed into the owner's chain. Holds no words; UPDATE and DELETE are refused.

    ``decision`` is the seq of the first entry of the act, so one act over several items is one decision.
    ``item_id`` is no foreign key: the entry outlives a purged item.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    seq = models.BigIntegerField()
    decision = models.BigIntegerField()
    item_id = models.BigIntegerField()
    item_ref = models.CharField(max_length=12)
    event = models.CharField(max_length=16, choices=EventKind)
    verb = models.CharField(max_length=24)
    actor_kind = models.CharField(max_length=8)
    actor_name = models.CharField(max_length=64)
    actor_token = models.CharField(max_length=12, default="", blank=True)
    # the item's reason after it
    reason = models.CharField(max_length=32, choices=Reason)
    # the decision that this one took back
    undoes = models.BigIntegerField(null=True)
    # whether status or validity changed: what can be undone
    moved = models.BooleanField()
    at = models.DateTimeField()
    payload_digest = models.CharField(max_length=64)
    prev = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "seq"], name="review_journalentry_seq"),
            models.CheckConstraint(condition=models.Q(event__in=EventKind.values), name="review_journalentry_event"),
            models.CheckConstraint(condition=models.Q(reason__in=Reason.values), name="review_journalentry_reason"),
        ]
        indexes = [
            models.Index(fields=["item_id", "seq"], name="review_journal_item"),
            models.Index(fields=["user", "decision"], name="review_journal_decision"),
            # when words were last erased, which the search index asks at every look
            models.Index(fields=["user", "seq"], condition=models.Q(event__in=ERASING), name="review_journal_erasing"),
        ]


class JournalPayload(models.Model):
    """The item as it was after an entry, without its words. May be erased; the chain covers only its digest."""

    entry = models.OneToOneField(JournalEntry, on_delete=models.PROTECT, primary_key=True, related_name="payload")
    user_id = models.BigIntegerField()
    item_id = models.BigIntegerField()
    salt = models.CharField(max_length=32)
    # canonical JSON as text: jsonb would reorder it and change the digest
    body = models.TextField()
    # what a person wrote beside the decision; it goes with the payload when the item is purged
    note = models.TextField(default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["item_id"], name="review_payload_item")]
