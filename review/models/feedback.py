from django.conf import settings
from django.db import models

from review.limits import COMMENT_MOST
from review.models.item import GovernanceItem


class Feedback(models.Model):
    """One party's vote on a belief; the last one counts."""

    item = models.ForeignKey(GovernanceItem, on_delete=models.PROTECT, related_name="feedback")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # kind and name of the party, as in Evidence
    principal = models.CharField(max_length=300)
    helpful = models.BooleanField()
    # hundredths by which it moved the confidence: what is taken back when the vote changes
    points = models.SmallIntegerField(default=0)
    note = models.CharField(max_length=COMMENT_MOST, default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "principal"], name="review_feedback_one_vote"),
        ]
