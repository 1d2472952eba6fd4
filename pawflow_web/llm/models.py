"""Models that texts are embedded with, and how those who serve them are doing."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

# The most that can be indexed as half-precision numbers.
DIMENSIONS_MOST = 4000
# So many texts are sent at once where nothing speaks against it.
BATCH_MOST = 64


class Source(models.TextChoices):
    """Who embeds, in the order in which they are asked."""

    ENDPOINT = "endpoint"
    LOCAL = "local"


class EmbeddingModel(models.Model):
    """One model, told apart by the vector it makes of a fixed sentence: a server that begins to serve another
    model under the same name gets another row, and one that moves keeps its own. Vectors name their row and are
    compared with nothing else."""

    source = models.CharField(max_length=16, choices=Source)
    name = models.CharField(max_length=200)
    dimension = models.SmallIntegerField()
    # what it makes of the first of the fixed sentences, of length 1
    canary = ArrayField(models.FloatField())
    # likenesses up to this one are found between any two sentences
    floor = models.FloatField()
    # the one in use
    current = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["current"], condition=Q(current=True), name="llm_embeddingmodel_one_current"
            ),
            models.CheckConstraint(condition=Q(source__in=Source.values), name="llm_embeddingmodel_source"),
            models.CheckConstraint(
                condition=Q(dimension__gte=1, dimension__lte=DIMENSIONS_MOST), name="llm_embeddingmodel_dimension"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.source}, {self.dimension})"


class EmbeddingSource(models.Model):
    """How one who embeds is doing. The worker writes it."""

    name = models.CharField(max_length=16, choices=Source, primary_key=True)
    # in a row, since it last answered as it should
    failures = models.SmallIntegerField(default=0)
    # a code, never words that somebody sent
    failure = models.CharField(max_length=40, default="", blank=True)
    retry_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    # how many texts it is sent at once: fewer after it choked on them
    batch = models.SmallIntegerField(default=BATCH_MOST)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(name__in=Source.values), name="llm_embeddingsource_name"),
            models.CheckConstraint(condition=Q(batch__gte=1, batch__lte=BATCH_MOST), name="llm_embeddingsource_batch"),
        ]

    def __str__(self) -> str:
        return self.name
