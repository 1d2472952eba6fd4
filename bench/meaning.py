"""Vectors for a run: a part of the notes really embedded, the others near to one of those.

To embed all of them would take longer than everything else; how long a search takes does not depend on what the
numbers say, only on how many there are and how they lie.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import connection

from bench.loading import Owner
from pawflow_web.identity.models import UserClock
from pawflow_web.llm.binding import BATCH_SECONDS, bind
from pawflow_web.llm.minilm import provider
from pawflow_web.llm.models import EmbeddingModel
from review.models import GovernanceItem, VectorMark
from review.search.embedding import make_index
from review.search.vectors import embeddable

_EMBEDDED = 1000
# How far the others lie from one of them, as a share of its length.
_NOISE = 0.6
_CHUNK = 5000


def available() -> bool:
    """Whether a model is on this machine."""
    return provider() is not None


@contextlib.contextmanager
def local_model() -> Iterator[None]:
    """The model on this machine, here and in the processes that are started meanwhile."""
    before, environment = settings.ENV, os.environ.get("PAWFLOW_EMBEDDINGS", "none")
    settings.ENV = replace(before, embeddings="local", embeddings_url=None)
    os.environ["PAWFLOW_EMBEDDINGS"] = "local"
    try:
        yield
    finally:
        settings.ENV = before
        os.environ["PAWFLOW_EMBEDDINGS"] = environment


def load_vectors(owners: Sequence[Owner], seed: int) -> int:
    """A vector for each readable belief, and the index over them. Returns the bytes of table and indexes."""
    binding = bind()
    if binding is None:
        raise RuntimeError("The model on this machine does not answer.")
    for owner in owners:
        _load(owner, binding.model, seed)
        seq = UserClock.objects.values_list("seq", flat=True).get(pk=owner.user.pk)
        VectorMark.objects.update_or_create(user=owner.user, model=binding.model, defaults={"seq": seq})
    with connection.cursor() as cursor:
        # So that a million vectors are linked in memory; the product adds them one by one.
        cursor.execute("SET maintenance_work_mem = '2GB'")
        make_index(binding.model)
        cursor.execute("RESET maintenance_work_mem")
        cursor.execute("VACUUM (ANALYZE) review_itemvector")
        cursor.execute("SELECT pg_total_relation_size('review_itemvector')")
        return int(cursor.fetchone()[0])


def _load(owner: Owner, model: EmbeddingModel, seed: int) -> None:
    import numpy as np  # noqa: PLC0415 - comes with the model

    local = provider()
    assert local is not None  # noqa: S101 - asked before
    rows = GovernanceItem.objects.owned_by(owner.user.pk).filter(embeddable()).order_by("pk")
    ids = list(rows.values_list("pk", flat=True))
    texts = list(rows.values_list("text", flat=True)[:_EMBEDDED])
    known = np.array(local.embed(texts, seconds=BATCH_SECONDS), dtype=np.float32)
    source = np.random.default_rng(seed)
    with connection.cursor() as cursor:
        for start in range(0, len(ids), _CHUNK):
            part = ids[start : start + _CHUNK]
            noise = source.normal(size=(len(part), model.dimension)).astype(np.float32)
            noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
            vectors = known[source.integers(0, len(known), len(part))] + noise
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            with cursor.copy("COPY review_itemvector (item_id, user_id, model_id, vector) FROM STDIN") as copy:
                for pk, vector in zip(part, vectors.tolist(), strict=True):
                    numbers = ",".join(f"{number:.5f}" for number in vector)
                    copy.write_row((pk, owner.user.pk, model.pk, f"[{numbers}]"))
