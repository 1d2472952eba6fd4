"""Beliefs by the nearness of their vectors. The filter of the question stands inside the statement: taking the nearest
first and asking afterwards who may see them would starve a narrow reader.

Few rows are compared one by one, which misses nothing. Among many the index of the model is followed until enough of
what it meets passes the filter (pgvector, "Iterative index scans"); how far, the settings of the connection say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, HalfVectorField

from pawflow_web.jobs.models import Task
from pawflow_web.lib.db import execute
from pawflow_web.llm.models import EmbeddingModel
from review.models import READABLE, GovernanceItem, ItemVector, Privacy

# Up to so many rows that a reader may see, each is compared.
EXACT_UP_TO = 5000
# What waits for its vector is counted no further than this.
PENDING_MOST = 1000
RETRY = "embed_item"

_STANDING = f"""
SELECT m.id, m.source, m.name, m.dimension, m.floor, coalesce(v.seq, -1), c.seq,
  EXISTS (SELECT 1 FROM jobs_task AS t WHERE t.kind = '{RETRY}' AND t.user_id = c.user_id)
FROM llm_embeddingmodel AS m CROSS JOIN identity_userclock AS c
LEFT JOIN review_vectormark AS v ON v.user_id = c.user_id AND v.model_id = m.id
WHERE m.current AND c.user_id = %s
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """The model in use, and how far the vectors of one owner follow. ``waiting``: some texts are tried again."""

    model: EmbeddingModel
    mark: int
    behind: bool
    waiting: bool


@dataclass(frozen=True, slots=True)
class Near:
    """A belief and how alike its words are to a question, -1 to 1."""

    id: int
    likeness: float
    scope: str
    recorded_at: datetime


def standing(user_id: int) -> Standing | None:
    """None where no model is in use. The model comes without its ``canary``."""
    for pk, source, name, dimension, floor, mark, seq, waiting in execute(_STANDING, [user_id]):
        model = EmbeddingModel(id=pk, source=source, name=name, dimension=dimension, floor=floor, current=True)
        return Standing(model, mark, mark < seq, waiting)
    return None


def embeddable() -> Q:
    """What has a vector: words that some reader may have, and that are not secret."""
    return Q(status__in=READABLE) & ~Q(privacy=Privacy.SECRET)


def nearest(
    user_id: int, condition: Q, model: EmbeddingModel, vector: Sequence[float], *, limit: int, exact: bool
) -> list[Near]:
    """At most ``limit`` of what meets the condition, the most alike first. ``exact``: it is little enough to be
    compared one by one."""
    rows = nearest_rows(user_id, condition, model, vector, limit=limit, exact=exact)
    found = [Near(pk, 1 - distance, scope, at) for pk, distance, scope, at in execute(*rows.query.sql_with_params())]
    return sorted(found, key=lambda row: (-row.likeness, -row.id))


def nearest_rows(
    user_id: int, condition: Q, model: EmbeddingModel, vector: Sequence[float], *, limit: int, exact: bool
) -> "QuerySet[GovernanceItem, tuple[int, float, str, datetime]]":
    """The statement of :func:`nearest`: id, distance, scope and time of each."""
    stored = F("vectors__vector")
    # The index is on this expression; without it the statement cannot use one.
    compared = stored if exact else Cast(stored, HalfVectorField(dimensions=model.dimension))
    return (
        GovernanceItem.objects.filter(condition & embeddable(), vectors__model_id=model.pk, vectors__user_id=user_id)
        .annotate(distance=CosineDistance(compared, list(vector)))
        .order_by("distance")
        .values_list("pk", "distance", "scope", "recorded_at")[:limit]
    )


def pending(user_id: int, condition: Q, known: Standing) -> int:
    """How many of what meets the condition have no vector yet, counted up to :data:`PENDING_MOST`."""
    vectors = ItemVector.objects.filter(item_id=OuterRef("pk"), model_id=known.model.pk)
    lacking = GovernanceItem.objects.owned_by(user_id).filter(condition & embeddable(), ~Exists(vectors)).order_by()
    count = 0
    if known.behind:
        count += lacking.filter(changed_seq__gt=known.mark)[:PENDING_MOST].count()
    if known.waiting:
        refs = Task.objects.filter(kind=RETRY, user_id=user_id).values("subject")
        count += lacking.filter(changed_seq__lte=known.mark, ref__in=refs)[:PENDING_MOST].count()
    return min(count, PENDING_MOST)
