"""Embedding what somebody asks, beside the search for its words and for no longer than they want to wait.

A vector that comes too late serves whoever asks the same again. An endpoint that fails or hangs is left alone for a
few seconds after three failures, so that it does not cost every question its patience.
"""

import os
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError
from functools import lru_cache

import structlog

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.llm.binding import embed_as
from pawflow_web.llm.embeddings import SENTENCES, EmbeddingFailed, Provider
from pawflow_web.llm.models import EmbeddingModel, Source
from pawflow_web.llm.providers import providers

log = structlog.get_logger(__name__)

# What a search waits for the vector of its question, from its beginning.
PATIENCE_S = 0.08
# What a question by meaning alone waits: it has nothing else to answer with.
LONG_PATIENCE_S = 5.0
_REQUEST_S = 5.0
_REMEMBERED = 256
_AT_ONCE = 8
_FAILURES = 3
_REST_S = 10.0


class Asked:
    """A question that is being embedded."""

    def __init__(self, future: "Future[array[float]]") -> None:
        self._future = future
        self._began = time.monotonic()

    def vector(self, *, patience_s: float) -> "array[float] | None":
        """The vector, or None when it is not there ``patience_s`` seconds after the question. Raises
        :class:`EmbeddingFailed`."""
        left = self._began + patience_s - time.monotonic()
        try:
            return self._future.result(timeout=max(0.0, left))
        except LateError:
            return None


def ask(model: EmbeddingModel, text: str) -> Asked | None:
    """Begin to embed a question, in a thread of its own; None when nobody here serves ``model``, which may have been
    read without its ``canary``."""
    for provider in providers():
        if (provider.source, provider.model_name) == (model.source, model.name):
            canary = _canary_of(model.pk) if model.source == Source.ENDPOINT else ()
            return Asked(_desk().vector(model, canary, provider, text))
    return None


def warm_up() -> None:
    """Load the model on this machine in a thread, so that the first question need not wait for it; for a process that
    will be asked."""
    for provider in providers()[:1]:
        if provider.source == Source.LOCAL:
            threading.Thread(target=_load, args=(provider,), name="embed_load", daemon=True).start()


def _load(provider: Provider) -> None:
    try:
        provider.embed(SENTENCES[:1], seconds=_REQUEST_S)
    except EmbeddingFailed as error:
        log.warning("embedding_failed", source=provider.source, reason=error.code)


@lru_cache(maxsize=8)
def _canary_of(model_id: int) -> tuple[float, ...]:
    """It never changes, and is as long as a vector."""
    return tuple(EmbeddingModel.objects.values_list("canary", flat=True).get(pk=model_id))


class _Desk:
    """The threads of this process that embed, what they found, and how they fare."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="embed")
        self._free = threading.Semaphore(_AT_ONCE)
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[array[float]]] = OrderedDict()
        self._failures = 0
        self._rests_until = 0.0

    def vector(
        self, model: EmbeddingModel, canary: Sequence[float], provider: Provider, text: str
    ) -> "Future[array[float]]":
        """The same future for the same question, as long as it is remembered and did not fail."""
        key = keyed_digest("question", f"{model.pk}:{text}")
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
            if time.monotonic() < self._rests_until or not self._free.acquire(blocking=False):
                return _refused("busy")
            future = self._threads.submit(_embedded, model, canary, provider, text)
            self._known[key] = future
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        future.add_done_callback(lambda done: self._over(key, done))
        return future

    def _over(self, key: str, done: "Future[array[float]]") -> None:
        self._free.release()
        with self._lock:
            if done.exception() is None:
                self._failures = 0
                return
            self._known.pop(key, None)
            self._failures += 1
            if self._failures >= _FAILURES:
                self._failures = 0
                self._rests_until = time.monotonic() + _REST_S


def _embedded(model: EmbeddingModel, canary: Sequence[float], provider: Provider, text: str) -> "array[float]":
    vector = embed_as(model, canary, provider, [text], seconds=_REQUEST_S)[0]
    if vector is None:
        raise EmbeddingFailed("bad_reply")
    return array("f", vector)


def _refused(code: str) -> "Future[array[float]]":
    future: Future[array[float]] = Future()
    future.set_exception(EmbeddingFailed(code))
    return future


@lru_cache(maxsize=1)
def _desk() -> _Desk:
    return _Desk()


# A forked child has none of its parent's threads.
os.register_at_fork(after_in_child=_desk.cache_clear)
