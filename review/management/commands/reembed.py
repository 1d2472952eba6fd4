"""``manage.py reembed``."""

import time
from contextlib import AbstractContextManager
from typing import Any

from django.core.management.base import CommandParser

from pawflow_web.jobs.models import Task
from pawflow_web.lib.commands import JsonCommand
from pawflow_web.lib.db import awaited_lock
from pawflow_web.lib.drains import lock_of
from pawflow_web.lib.errors import NoEmbedder
from pawflow_web.llm.binding import Binding, bind
from pawflow_web.llm.models import EmbeddingModel
from pawflow_web.llm.state import why_none
from review.journal.acts import EMBED_DRAIN
from review.models import ItemVector
from review.search.embedding import behind, embed_slice, forget_model
from review.search.vectors import RETRY

SLICE_S = 10.0


class Command(JsonCommand):
    help = (
        "Embed all beliefs with the model in use and drop the vectors of others. Interrupted, it goes on where it "
        "was. Example: manage.py reembed --again"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--again", action="store_true", help="drop the vectors of the model in use as well")
        parser.add_argument("--keep", action="store_true", help="keep the vectors of models that are not in use")

    def answer(self, **options: Any) -> dict[str, Any]:
        removed = 0
        with _alone():
            binding = _bound()
            if options["again"]:
                removed += forget_model(binding.model)
                binding = _bound()
        self._until_done()
        if not options["keep"]:
            with _alone():
                removed += sum(forget_model(model) for model in EmbeddingModel.objects.filter(current=False))
        return {
            "model": binding.model.name,
            "source": binding.model.source,
            "dimension": binding.model.dimension,
            "vectors": ItemVector.objects.filter(model__current=True).count(),
            "waiting": Task.objects.filter(kind=RETRY).count(),
            "removed": removed,
        }

    def words(self, answer: dict[str, Any], **options: Any) -> str:
        said = f"{answer['vectors']} vectors of {answer['model']} ({answer['dimension']} numbers each)"
        if answer["waiting"]:
            said += f"; {answer['waiting']} texts could not be embedded and are tried again later"
        return f"{said}. {answer['removed']} of other models were dropped."

    def _until_done(self) -> None:
        """Work in slices, in turn with a worker that does the same. Raises :class:`NoEmbedder`."""
        told = time.monotonic()
        while _behind():
            with _alone():
                if not embed_slice(time.monotonic() + SLICE_S) and _behind():
                    _bound()
            if time.monotonic() - told > SLICE_S:
                told = time.monotonic()
                self.stderr.write(f"{ItemVector.objects.filter(model__current=True).count()} vectors")


def _alone() -> AbstractContextManager[None]:
    """Between two slices of the worker: who binds or forgets a model during one breaks what it does."""
    return awaited_lock(lock_of(EMBED_DRAIN))


def _bound() -> Binding:
    """Who embeds now. Raises :class:`NoEmbedder`."""
    binding = bind()
    if binding is None:
        raise NoEmbedder(why_none())
    return binding


def _behind() -> bool:
    """Whether some owner's vectors do not follow their clock yet."""
    current = EmbeddingModel.objects.filter(current=True).first()
    return current is None or bool(behind(current.pk))
