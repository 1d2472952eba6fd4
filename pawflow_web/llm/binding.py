"""Which model is in use: the first of those configured that answers as it should, found out by the worker.

A model is the one it was when it makes the same of a fixed sentence. One that changed gets a row of its own, and
what was embedded before is not compared with what it makes now. One that fails is asked again later; it is given up
for the next in line when it never worked, or after it failed a few times in a row.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean, pstdev

import structlog
from django.db import transaction

from pawflow_web.lib.db import StatementNow
from pawflow_web.llm.embeddings import SENTENCES, EmbeddingFailed, Provider, Vector, likeness
from pawflow_web.llm.models import BATCH_MOST, EmbeddingModel, EmbeddingSource, Source
from pawflow_web.llm.providers import providers

log = structlog.get_logger(__name__)

# What one model makes of a sentence varies by rounding alone; what two make of it has nothing to do with each other.
SAME = 0.98
# A likeness this far above those of sentences that have nothing to do with each other is no accident.
DEVIATIONS = 2.5
BATCH_SECONDS = 30.0
CHECK_SECONDS = 5.0
CHECK_EVERY = timedelta(minutes=5)
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)
# So often in a row one that has worked may fail before the next in line takes its place.
PATIENCE = 3


@dataclass(slots=True)
class Binding:
    """The model in use, with the one who serves it."""

    model: EmbeddingModel
    provider: Provider
    source: EmbeddingSource

    def embed(self, texts: Sequence[str], *, seconds: float = BATCH_SECONDS) -> list[Vector | None]:
        """A vector for each text, None where it has none. Raises :class:`EmbeddingFailed`, with the code ``changed``
        when somebody else answers by now."""
        return embed_as(self.model, self.model.canary, self.provider, texts, seconds=seconds)

    def answers(self) -> bool:
        """Whether it still does what it did, asked now with a text that it has taken before."""
        try:
            embed_as(self.model, self.model.canary, self.provider, [SENTENCES[0]], seconds=CHECK_SECONDS)
        except EmbeddingFailed:
            return False
        return True

    def choked(self) -> None:
        """It failed on these texts, yet answers: send it fewer at once."""
        self._sends(max(1, self.source.batch // 4))

    def swallowed(self) -> None:
        """It took them: send it more, up to the most."""
        if self.source.batch < BATCH_MOST:
            self._sends(min(BATCH_MOST, self.source.batch * 2))

    def failed(self, error: EmbeddingFailed) -> None:
        """Leave it alone for a while."""
        _note_failure(self.source, error)

    def _sends(self, batch: int) -> None:
        EmbeddingSource.objects.filter(pk=self.source.pk).update(batch=batch)
        self.source.batch = batch


def bind() -> Binding | None:
    """The model to embed with now, checked every few minutes; None when there is nobody to ask, or not yet again. One
    at a time does this: whoever embeds what is kept holds the lock of that drain."""
    current = EmbeddingModel.objects.filter(current=True).first()
    for provider in providers():
        source, _ = EmbeddingSource.objects.get_or_create(name=provider.source)
        own = current if current and (current.source, current.name) == (provider.source, provider.model_name) else None
        if _may_be_asked(source):
            if own and _was_checked(source):
                return Binding(own, provider, source)
            try:
                return Binding(_identified(provider, source), provider, source)
            except EmbeddingFailed as error:
                _note_failure(source, error)
        if own and source.failures < PATIENCE:
            return None
    return None


def recheck(source: EmbeddingSource) -> None:
    """Find out at the next :func:`bind` who answers there."""
    EmbeddingSource.objects.filter(pk=source.pk).update(checked_at=None)


def embed_as(
    model: EmbeddingModel, canary: Sequence[float], provider: Provider, texts: Sequence[str], *, seconds: float
) -> list[Vector | None]:
    """Vectors that were certainly made by ``model``: an endpoint is sent a sentence whose vector is known with every
    request. Raises :class:`EmbeddingFailed`."""
    if provider.source != Source.ENDPOINT:
        return _of_dimension(provider.embed(texts, seconds=seconds), model)
    found = provider.embed([SENTENCES[0], *texts], seconds=seconds)
    if found[0] is None or likeness(found[0], canary) < SAME:
        raise EmbeddingFailed("changed")
    return _of_dimension(found[1:], model)


def _of_dimension(vectors: list[Vector | None], model: EmbeddingModel) -> list[Vector | None]:
    return [vector if vector and len(vector) == model.dimension else None for vector in vectors]


def _may_be_asked(source: EmbeddingSource) -> bool:
    asked = EmbeddingSource.objects.filter(pk=source.pk)
    return not asked.filter(retry_at__gt=StatementNow()).exists()


def _was_checked(source: EmbeddingSource) -> bool:
    checked = EmbeddingSource.objects.filter(pk=source.pk, failures=0)
    return checked.filter(checked_at__gt=StatementNow() - CHECK_EVERY).exists()


def _identified(provider: Provider, source: EmbeddingSource) -> EmbeddingModel:
    """The row of the model that answers, which is in use from now on. Raises :class:`EmbeddingFailed`."""
    found = provider.embed(SENTENCES, seconds=CHECK_SECONDS)
    vectors = [vector for vector in found if vector is not None]
    if len(vectors) < len(SENTENCES) or len({len(vector) for vector in vectors}) != 1:
        raise EmbeddingFailed("bad_reply")
    canary = vectors[0]
    known = EmbeddingModel.objects.filter(
        source=provider.source, name=provider.model_name, dimension=len(canary)
    ).order_by("-current", "-pk")
    model = next((row for row in known if likeness(row.canary, canary) >= SAME), None)
    if model is None:
        again = provider.embed(SENTENCES[:1], seconds=CHECK_SECONDS)[0]
        if again is None or likeness(again, canary) < SAME:
            # No model at all: each answer would look like another one.
            raise EmbeddingFailed("unstable")
        chance = [likeness(one, other) for one, other in itertools.combinations(vectors, 2)]
        floor = fmean(chance) + DEVIATIONS * pstdev(chance)
        model = EmbeddingModel(
            source=provider.source,
            name=provider.model_name,
            dimension=len(canary),
            canary=list(canary),
            floor=min(max(floor, 0.0), 1.0),
        )
    _take_into_use(model, source)
    return model


def _take_into_use(model: EmbeddingModel, source: EmbeddingSource) -> None:
    with transaction.atomic():
        if not model.current:
            EmbeddingModel.objects.filter(current=True).update(current=False)
            model.current = True
            model.save()
            log.info("embedding_model", model=str(model))
        EmbeddingSource.objects.filter(pk=source.pk).update(
            failures=0, failure="", retry_at=None, checked_at=StatementNow()
        )
    source.refresh_from_db()


def _note_failure(source: EmbeddingSource, error: EmbeddingFailed) -> None:
    pause = min(FIRST_PAUSE * 2 ** min(source.failures, 10), LONGEST_PAUSE)
    EmbeddingSource.objects.filter(pk=source.pk).update(
        failures=min(source.failures + 1, 10_000), failure=error.code[:40], retry_at=StatementNow() + pause
    )
    source.refresh_from_db()
    log.warning("embedding_failed", source=source.name, reason=error.code, failures=source.failures)
