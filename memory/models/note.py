from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from review.models import GovernanceItem

TAGS_MOST = 20
TAG_LONGEST = 80


class Category(models.TextChoices):
    FACTS = "facts"
    EVENTS = "events"
    DISCOVERIES = "discoveries"
    PREFERENCES = "preferences"
    ADVICE = "advice"


class Importance(models.TextChoices):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Durability(models.TextChoices):
    EPHEMERAL = "ephemeral"
    SESSION = "session"
    PROJECT = "project"
    DURABLE = "durable"


class Memory(models.Model):
    """The facet of a belief in words: what it is about and how long it is meant to matter."""

    item = models.OneToOneField(GovernanceItem, on_delete=models.PROTECT, primary_key=True, related_name="memory")
    category = models.CharField(max_length=16, choices=Category, default="", blank=True)
    tags = ArrayField(models.CharField(max_length=TAG_LONGEST), default=list)
    importance = models.CharField(max_length=16, choices=Importance, default=Importance.MEDIUM)
    durability = models.CharField(max_length=16, choices=Durability, default=Durability.DURABLE)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(category="") | models.Q(category__in=Category.values),
                name="memory_memory_category",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__in=Importance.values), name="memory_memory_importance"
            ),
            models.CheckConstraint(
                condition=models.Q(durability__in=Durability.values), name="memory_memory_durability"
            ),
            models.CheckConstraint(condition=models.Q(tags__len__lte=TAGS_MOST), name="memory_memory_tags"),
        ]
        indexes = [
            # lists narrowed by tag
            GinIndex(fields=["tags"], name="memory_memory_by_tag"),
        ]
