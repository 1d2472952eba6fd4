"""Keeping the vectors of beliefs: the worker follows each owner's clock, as the search index does.

Words are embedded outside of any transaction, and the belief is asked again when its vector is stored. What cannot be
embedded is passed by and tried again later; what became unreadable loses its vector.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef

from pawflow_web.identity.clock import now
from pawflow_web.identity.models import User
from pawflow_web.jobs.models import Task
from pawflow_web.jobs.services import back_off, plan_task
from pawflow_web.lib.db import execute
from pawflow_web.llm.binding import Binding, bind, recheck
from pawflow_web.llm.embeddings import EmbeddingFailed, Vector
from pawflow_web.llm.models import EmbeddingModel
from review.models import READABLE, GovernanceItem, ItemVector, Privacy, VectorMark
from review.search.vectors import RETRY, embeddable

log = structlog.get_logger(__name__)

# A text that is refused is sent once more, no longer than this: servers of small models refuse what does not fit.
SHORT = 2000
FIRST_RETRY = timedelta(seconds=30)
AGAIN_AT_ONCE = 16
ONE_SECONDS = 10.0
# What a batch that begins just before the end of a slice may take on top of it.
MARGIN_S = 10.0

# Asked again under a lock, which is not waited for: a belief that is being changed comes again. Without the lock, one
# that becomes secret at this moment would keep its vector.
_STORE = f"""
INSERT INTO review_itemvector (item_id, user_id, model_id, vector)
SELECT i.id, i.user_id, %(model)s, v.vector::halfvec
FROM unnest(%(ids)s::bigint[], %(vectors)s::text[]) AS v (id, vector)
JOIN LATERAL (
  SELECT id, user_id FROM review_governanceitem
  WHERE id = v.id AND status IN ({", ".join(f"'{status}'" for status in READABLE)}) AND privacy <> '{Privacy.SECRET}'
  FOR SHARE SKIP LOCKED
) AS i ON true
ON CONFLICT (item_id, model_id) DO NOTHING
"""
_CLEAN = f"""
DELETE FROM review_itemvector AS v USING review_governanceitem AS i
WHERE v.item_id = i.id AND i.user_id = %s AND i.changed_seq > %s AND i.changed_seq <= %s
  AND (i.status NOT IN ({", ".join(f"'{status}'" for status in READABLE)}) OR i.privacy = '{Privacy.SECRET}')
"""
_MARK = """
INSERT INTO review_vectormark (user_id, model_id, seq) VALUES (%s, %s, %s)
ON CONFLICT (user_id, model_id) DO UPDATE SET seq = greatest(review_vectormark.seq, excluded.seq)
"""


_BEHIND = """
SELECT c.user_id, c.seq FROM identity_userclock AS c
LEFT JOIN review_vectormark AS v ON v.user_id = c.user_id AND v.model_id = %s
WHERE coalesce(v.seq, 0) < c.seq ORDER BY c.user_id
"""


@dataclass(frozen=True, slots=True)
class Words:
    """What one belief says, and the number of its last change."""

    id: int
    ref: str
    text: str
    seq: int


def embed_slice(deadline: float) -> bool:
    """Give every readable belief its vector until a moment of ``time.monotonic()``. Returns whether there is more to
    do now; what has to wait for the one who embeds comes with a tick."""
    binding = bind()
    if binding is None:
        return False
    make_index(binding.model)
    try:
        for user_id, seq in behind(binding.model.pk):
            while _follow(binding, user_id, seq):
                if time.monotonic() > deadline - MARGIN_S:
                    return True
        return _try_again(binding, deadline)
    except EmbeddingFailed as error:
        return _after(binding, error)


def behind(model_id: int) -> list[tuple[int, int]]:
    """Owners whose vectors do not follow their clock yet, with its number."""
    return [(user_id, seq) for user_id, seq in execute(_BEHIND, [model_id])]


def make_index(model: EmbeddingModel) -> None:
    """The index of a model, over its own vectors alone; made while there are none, so that it takes no time."""
    name = index_name(model.pk)
    if execute("SELECT to_regclass(%s)", [name])[0][0] is None:
        execute(
            f"CREATE INDEX IF NOT EXISTS {name} ON review_itemvector "
            f"USING hnsw ((vector::halfvec({model.dimension:d})) halfvec_cosine_ops) WITH (ef_construction = 100) "
            f"WHERE model_id = {model.pk:d}"
        )


def index_name(model_id: int) -> str:
    return f"review_itemvector_hnsw_{model_id:d}"


def forget_model(model: EmbeddingModel) -> int:
    """Drop everything that a model made. Returns how many vectors that was."""
    with transaction.atomic():
        execute(f"DROP INDEX IF EXISTS {index_name(model.pk)}")
        deleted, _ = ItemVector.objects.filter(model=model).delete()
        VectorMark.objects.filter(model=model).delete()
        model.delete()
    return deleted


def _after(binding: Binding, error: EmbeddingFailed) -> bool:
    """What a failed request says: somebody else answers, nobody does, or these texts were too much."""
    if error.code == "changed":
        recheck(binding.source)
        return True
    if not binding.answers():
        binding.failed(error)
        return False
    binding.choked()
    return True


def _follow(binding: Binding, user_id: int, seq: int) -> bool:
    """One batch of one owner. Returns whether the vectors are still behind ``seq``, a number of the clock up to which
    everything was committed when it was read. Raises :class:`EmbeddingFailed`."""
    model = binding.model
    mark = VectorMark.objects.filter(user_id=user_id, model=model).values_list("seq", flat=True).first() or 0
    if mark >= seq:
        return False
    todo = _lacking(user_id, model, mark, seq, most=binding.source.batch)
    reached = todo[-1].seq if len(todo) == binding.source.batch else seq
    left = _embed(binding, user_id, todo)
    if left:
        reached = max(mark, min(words.seq for words in left) - 1)
    execute(_CLEAN, [user_id, mark, reached])
    execute(_MARK, [user_id, model.pk, reached])
    # What is being changed will wake us when that is over.
    return mark < reached < seq


def _lacking(user_id: int, model: EmbeddingModel, after: int, upto: int, *, most: int) -> list[Words]:
    """What changed in between and has no vector, in the order of the changes."""
    vectors = ItemVector.objects.filter(item_id=OuterRef("pk"), model=model)
    changed = GovernanceItem.objects.owned_by(user_id).filter(changed_seq__gt=after, changed_seq__lte=upto)
    rows = changed.filter(embeddable(), ~Exists(vectors)).order_by("changed_seq")
    return [Words(*row) for row in rows.values_list("pk", "ref", "text", "changed_seq")[:most]]


def _embed(binding: Binding, user_id: int, todo: Sequence[Words]) -> list[Words]:
    """Store vectors for these. Returns what was being changed at that moment and has to come again. Raises
    :class:`EmbeddingFailed`."""
    if not todo:
        return []
    vectors = [_one(binding, todo[0])] if len(todo) == 1 else binding.embed([words.text for words in todo])
    binding.swallowed()
    for words, vector in zip(todo, vectors, strict=True):
        if vector is None:
            plan_task(RETRY, at=now() + FIRST_RETRY, user=User(pk=user_id), subject=words.ref)
    made = {words.id: vector for words, vector in zip(todo, vectors, strict=True) if vector is not None}
    locked = _store(binding.model, made)
    return [words for words in todo if words.id in locked]


def _one(binding: Binding, words: Words) -> Vector | None:
    """The vector of one text, whole or of its beginning; None where the text is at fault. Raises
    :class:`EmbeddingFailed` where it is not."""
    for text in dict.fromkeys((words.text, words.text[:SHORT])):
        try:
            vector = binding.embed([text], seconds=ONE_SECONDS)[0]
        except EmbeddingFailed as error:
            if error.code == "changed" or not binding.answers():
                raise
            vector = None
        if vector is not None:
            return vector
    log.warning("text_not_embedded", item=words.ref)
    return None


def _store(model: EmbeddingModel, made: Mapping[int, Vector]) -> set[int]:
    """Store vectors by row id. Returns those that have none although they may: they were being changed at that
    moment."""
    if not made:
        return set()
    texts = ["[" + ",".join(f"{number:.6g}" for number in vector) + "]" for vector in made.values()]
    execute(_STORE, {"model": model.pk, "ids": list(made), "vectors": texts})
    vectors_of = ItemVector.objects.filter(item_id=OuterRef("pk"), model=model)
    missing = GovernanceItem.objects.filter(embeddable(), ~Exists(vectors_of), pk__in=made)
    return set(missing.values_list("pk", flat=True))


def _try_again(binding: Binding, deadline: float) -> bool:
    """Texts that were passed by, when their time has come. Returns whether there are more."""
    due = list(Task.objects.due(RETRY)[: AGAIN_AT_ONCE + 1])
    for task in due[:AGAIN_AT_ONCE]:
        if time.monotonic() > deadline:
            return True
        items = GovernanceItem.objects.filter(embeddable(), user=task.user, ref=task.subject)
        row = items.values_list("pk", "ref", "text", "changed_seq").first()
        vector = _one(binding, Words(*row)) if row else None
        if row and vector is None:
            back_off(task, error="not_embedded")
            continue
        if row and vector is not None and _store(binding.model, {row[0]: vector}):
            # It is being changed: whoever changes it wakes us, and it is still due then.
            continue
        task.delete()
    return len(due) > AGAIN_AT_ONCE
