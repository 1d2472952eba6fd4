"""Keeping the search indexes of this machine up to date: one indexer per data directory, in a thread."""

import os
import threading
import time

import psycopg
import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from pawflow_web.jobs.listening import Listener
from pawflow_web.jobs.services.beats import worker_alive
from pawflow_web.jobs.services.waking import WAKE_CHANNEL
from pawflow_web.jobs.slices import run_node_drain
from pawflow_web.lib.drains import registry
from pawflow_web.lib.search import Busy, Unwritable, file_lock

log = structlog.get_logger(__name__)

TICK_S = 15.0
# What is announced within so many seconds is one batch: committing an index costs as much as many rows, and what
# is not in it yet is found all the same.
GATHER_S = 0.2


def node_name() -> str:
    """Which node of the installation this is."""
    name: str = settings.ENV.node
    return name


class NodeIndexer(threading.Thread):
    """Runs the node drains when something wakes them and at every tick.

    Holds a lock file while it does, so that of all processes on this machine one does the work; the others
    try again at each tick. ``yields_to_worker``: rest while this node's worker is alive, which has ``patience_s``
    seconds to come up first.
    """

    def __init__(self, *, tick_s: float = TICK_S, yields_to_worker: bool = False, patience_s: float = 0.0) -> None:
        super().__init__(name="indexer", daemon=True)
        self._tick_s = tick_s
        self._yields = yields_to_worker
        self._patience_s = patience_s
        self._kinds = registry.kinds("node")
        self._stopping = threading.Event()
        self._woken, self._waker = os.pipe()

    def stop(self, timeout: float = 2.0) -> None:
        """Ask it to end and wait a little; a batch that is under way is complete or undone, never half."""
        self._stopping.set()
        os.write(self._waker, b".")
        if self.is_alive():
            self.join(timeout)

    def run(self) -> None:
        listener = Listener([WAKE_CHANNEL])
        self._stopping.wait(self._patience_s)
        while self._kinds and not self._stopping.is_set():
            try:
                if not self._worker_does_it():
                    self._serve(listener)
            except (Busy, Unwritable) as error:
                log.debug("indexer_waits", reason=str(error))
            except (psycopg.OperationalError, DatabaseError, OSError) as error:
                log.warning("indexer_interrupted", error=type(error).__name__)
            listener.close()
            close_old_connections()
            self._stopping.wait(self._tick_s)

    def _serve(self, listener: Listener) -> None:
        with file_lock(settings.ENV.search_dir / "indexer.lock"):
            while not self._stopping.is_set() and not self._worker_does_it():
                listener.connect()
                self._drain(self._kinds)
                self._until_tick(listener)

    def _until_tick(self, listener: Listener) -> None:
        tick_at = time.monotonic() + self._tick_s
        while not self._stopping.is_set() and (left := tick_at - time.monotonic()) > 0:
            heard = {kind for _, kind in listener.wait(left, also=[self._woken])}
            if heard and not self._stopping.wait(GATHER_S):
                heard |= {kind for _, kind in listener.wait(0)}
            self._drain([kind for kind in self._kinds if kind in heard])

    def _drain(self, kinds: list[str]) -> None:
        for kind in kinds:
            run_node_drain(kind, stopping=self._stopping.is_set)
        close_old_connections()

    def _worker_does_it(self) -> bool:
        return self._yields and worker_alive(node_name())


def start_indexer_thread(*, patience_s: float = TICK_S) -> NodeIndexer:
    """For a web process: index here as long as no worker of this node does. Ends with the process."""
    indexer = NodeIndexer(yields_to_worker=True, patience_s=patience_s)
    indexer.start()
    return indexer
