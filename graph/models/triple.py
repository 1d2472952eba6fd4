from django.conf import settings
from django.contrib.postgres.fields import DateTimeRangeField
from django.db import models

from graph.limits import NAME_MOST, PREDICATE_MOST, SOURCE_MOST, VALUE_MOST
from graph.models.entity import Entity
from review.models import GovernanceItem
from review.models.item import always


class Triple(models.Model):
    """The facet of a belief of the kind ``fact``: its three parts as they were said, and its place in the graph.

    While the belief is secret its parts are empty here; they stand sealed in the item's words alone. The ends are
    linked to entities exactly while the fact is ``live``. Written only by :mod:`graph.kinds`, under the owner's clock.
    """

    item = models.OneToOneField(GovernanceItem, on_delete=models.PROTECT, primary_key=True, related_name="triple")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    subject_name = models.CharField(max_length=NAME_MOST, blank=True)
    predicate = models.CharField(max_length=PREDICATE_MOST, blank=True)
    # a name, or with ``is_value`` words that are kept as they are
    object_name = models.CharField(max_length=VALUE_MOST, blank=True)
    is_value = models.BooleanField()
    # hundredths: how it was obtained, said outright or guessed; not how far it is trusted
    score = models.SmallIntegerField()
    source = models.CharField(max_length=SOURCE_MOST, blank=True)

    subject = models.ForeignKey(Entity, on_delete=models.PROTECT, null=True, related_name="said_of", db_index=False)
    object = models.ForeignKey(Entity, on_delete=models.PROTECT, null=True, related_name="said_with", db_index=False)
    # copies of the item's state, for the walk along the graph; ``manage.py verify_journal`` compares them
    live = models.BooleanField(default=False)
    valid = DateTimeRangeField(default=always)
    # stands in the degrees of its ends: in use for everybody, since the past and without an end
    counted = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(score__gte=0, score__lte=100), name="graph_triple_score"),
            models.CheckConstraint(
                condition=models.Q(live=False, subject=None, object=None, counted=False)
                | models.Q(live=True, subject__isnull=False),
                name="graph_triple_linked_while_live",
            ),
        ]
        indexes = [
            # one step along the graph, from either end, the newest first
            models.Index(
                fields=["subject", "-item"],
                include=["object", "predicate"],
                condition=models.Q(live=True),
                name="graph_triple_from",
            ),
            models.Index(
                fields=["object", "-item"],
                include=["subject", "predicate"],
                condition=models.Q(live=True, object__isnull=False),
                name="graph_triple_to",
            ),
            # the values of one predicate of one subject
            models.Index(fields=["subject", "predicate"], condition=models.Q(live=True), name="graph_triple_values"),
            # what came last
            models.Index(fields=["user", "-item"], condition=models.Q(live=True), name="graph_triple_newest"),
            # what is said with a predicate, and how many there are of each
            models.Index(fields=["user", "predicate", "-item"], name="graph_triple_predicate"),
            # in use, and yet in no degree: what god nodes count one by one
            models.Index(
                fields=["user"],
                include=["subject", "object", "item"],
                condition=models.Q(live=True, counted=False, is_value=False),
                name="graph_triple_uncounted",
            ),
        ]

    def __str__(self) -> str:
        return f"triple of {self.item_id}"
