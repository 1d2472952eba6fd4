from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from graph.limits import NAME_MOST, NORMAL_MOST, PREDICATE_MOST, WORD_MOST
from pawflow_web.lib.ids import new_ref


class Entity(models.Model):
    """A person, place or thing that at least one fact in use names. With the last of those facts it goes, and every
    name that it had with it; so no list of entities can say what no fact may.

    Nobody reads entities but through facts that they may read: see :mod:`graph.facts.reading`.
    """

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # as it was first said; one of its names
    name = models.CharField(max_length=NAME_MOST)
    type = models.CharField(max_length=PREDICATE_MOST, default="", blank=True)
    # ends of counted facts (see Triple.counted) that are here; kept, since counting a hub takes too long
    degree = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["user", "-degree", "id"], name="graph_entity_degree"),
        ]

    def __str__(self) -> str:
        return self.ref


class EntityName(models.Model):
    """One of the names of an entity. Two names with one folded form are one name."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="names")
    name = models.CharField(max_length=NAME_MOST)
    normal = models.CharField(max_length=NORMAL_MOST)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "normal"], name="graph_entityname_normal")]

    def __str__(self) -> str:
        return f"name {self.pk}"


class EntityWord(models.Model):
    """A word of a name, by which a question finds the entity, whole or by how it begins."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    name = models.ForeignKey(EntityName, on_delete=models.CASCADE, related_name="words")
    word = models.CharField(max_length=WORD_MOST)

    class Meta:
        indexes = [
            models.Index(
                fields=["user", "word", "name"],
                opclasses=["int8_ops", "varchar_pattern_ops", "int8_ops"],
                name="graph_entityword_word",
            )
        ]

    def __str__(self) -> str:
        return f"word {self.pk}"
