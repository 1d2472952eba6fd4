from django.conf import settings
from django.db import models
from pgvector.django import HalfVectorField

from pawflow_web.llm.models import EmbeddingModel
from review.models.item import GovernanceItem


class ItemVector(models.Model):
    """What one model makes of the words of one belief; derived. There is none of words that nobody may read.

    Purging a belief takes its vectors along, in the database itself, and so does making it secret. The numbers are
    a direction (length 1), of as many dimensions as the model has; each model has an index of its own, which the
    worker makes.
    """

    # the constraint, with its cascade, is made by hand
    item = models.ForeignKey(GovernanceItem, on_delete=models.CASCADE, related_name="vectors", db_constraint=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    model = models.ForeignKey(EmbeddingModel, on_delete=models.CASCADE, related_name="+")
    vector = HalfVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "model"], name="review_itemvector_one_a_model")]
        indexes = [
            # all of one owner, where they are few enough to be compared one by one
            models.Index(fields=["user", "model"], name="review_itemvector_of_owner"),
        ]


class VectorMark(models.Model):
    """How far the vectors of one owner follow: every belief whose last change has a number up to ``seq`` has its
    vector, needs none, or has a :class:`~pawflow_web.jobs.models.Task` to try again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    model = models.ForeignKey(EmbeddingModel, on_delete=models.CASCADE, related_name="+")
    seq = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "model"], name="review_vectormark_one_a_model")]
