from django.conf import settings
from django.contrib.postgres.fields import DateTimeRangeField
from django.contrib.postgres.indexes import GistIndex
from django.db import models

from review.models.item import GovernanceItem


class Believed(models.Model):
    """During ``known`` this belief could be read here and held in the world during ``valid``.

    Written with every change of readability, so that "what did we know in March" is a query, also after the
    row itself was corrected. Holds no words.
    """

    item = models.ForeignKey(GovernanceItem, on_delete=models.PROTECT, related_name="believed")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    known = DateTimeRangeField()
    valid = DateTimeRangeField()

    class Meta:
        indexes = [GistIndex(fields=["known", "valid"], name="review_believed_when")]
