"""The worker: turns what commits announce into tasks of the queue, and looks at everything once a tick.

One process with two threads (this loop, and the indexer of this machine) above the queue's own processes.
Only this loop ever puts rows into the queue, so a lost or doubled row there costs nothing but a look.
"""

import os
import signal
import time
from types import FrameType

import psycopg
import structlog
from django.db import DatabaseError, close_old_connections, connections
from django_q.cluster import Cluster
from django_q.tasks import async_task

from pawflow_web.jobs.listening import Listener
from pawflow_web.jobs.node import TICK_S, NodeIndexer, node_name
from pawflow_web.jobs.orphans import die_with_parent
from pawflow_web.jobs.services.beats import BEAT_S, beat, stop_beating
from pawflow_web.jobs.services.waking import STARTED_CHANNEL, WAKE_CHANNEL
from pawflow_web.lib.drains import registry

log = structlog.get_logger(__name__)

RUN_DRAIN = "pawflow_web.jobs.slices.run_cluster_drain"
# How long a slice under way may hold up a stop. What is cut off then is done again by the next worker.
PATIENCE_S = 8.0
DEATHS_ALLOWED = 5
DEATHS_WITHIN_S = 60.0


class Waiting:
    """Kinds that stand in the queue and have not begun. One entry serves all that is announced until then."""

    def __init__(self) -> None:
        self._kinds: set[str] = set()

    def add(self, kind: str) -> bool:
        """True: it was not waiting, put it into the queue."""
        if kind in self._kinds:
            return False
        self._kinds.add(kind)
        return True

    def begun(self, kind: str) -> None:
        self._kinds.discard(kind)

    def clear(self) -> None:
        """At a tick: what says "begun" may be lost too, and must not silence a kind for ever."""
        self._kinds.clear()


class Worker:
    """Runs until SIGTERM or SIGINT. ``tick_s``: how long a lost announcement may go unnoticed, in seconds."""

    def __init__(self, *, tick_s: float = TICK_S) -> None:
        self._tick_s = tick_s
        self._kinds = [*registry.kinds("cluster"), *registry.kinds("worker")]
        self._waiting = Waiting()
        self._stopping = False
        self._deaths: list[float] = []
        die_with_parent()
        # Installs handlers of its own when it is made, so ours come after it.
        self._cluster = Cluster()
        self._woken = self._handle_signals()
        self._listener = Listener([WAKE_CHANNEL, STARTED_CHANNEL])
        self._indexer = NodeIndexer(tick_s=tick_s)

    def run(self) -> int:
        """Returns the exit code: 0 after a signal, 1 when the queue's processes keep dying."""
        # Fork before there is any thread or any connection that a child could share.
        connections.close_all()
        self._cluster.start()
        self._indexer.start()
        try:
            while not self._stopping:
                if not self._cluster.sentinel.is_alive() and not self._revive():
                    return 1
                self._until_tick_or_death()
            return 0
        finally:
            self._stop()

    def _until_tick_or_death(self) -> None:
        try:
            self._listener.connect()
            self._tick()
            self._listen()
        except (psycopg.OperationalError, DatabaseError) as error:
            log.warning("worker_interrupted", error=type(error).__name__)
            self._listener.close()
            close_old_connections()
            self._pause(1.0)

    def _tick(self) -> None:
        self._waiting.clear()
        beat(node_name())
        self._start(self._kinds)

    def _listen(self) -> None:
        now = time.monotonic()
        tick_at, beat_at = now + self._tick_s, now + BEAT_S
        sentinel = self._cluster.sentinel.sentinel
        while not self._stopping and self._cluster.sentinel.is_alive():
            now = time.monotonic()
            if now >= tick_at:
                return
            if now >= beat_at:
                beat(node_name())
                beat_at = now + BEAT_S
            heard = self._listener.wait(min(tick_at, beat_at) - now, also=[self._woken, sentinel])
            for channel, kind in heard:
                if channel == STARTED_CHANNEL:
                    self._waiting.begun(kind)
            announced = {kind for channel, kind in heard if channel == WAKE_CHANNEL}
            self._start([kind for kind in self._kinds if kind in announced])

    def _start(self, kinds: list[str]) -> None:
        for kind in kinds:
            if self._waiting.add(kind):
                async_task(RUN_DRAIN, kind, task_name=f"drain {kind}", save=False)

    def _revive(self) -> bool:
        """Start the queue's processes again; False when they die too often."""
        now = time.monotonic()
        self._deaths = [at for at in self._deaths if at > now - DEATHS_WITHIN_S] + [now]
        log.error("queue_died", deaths=len(self._deaths))
        if len(self._deaths) > DEATHS_ALLOWED:
            return False
        self._indexer.stop()
        self._listener.close()
        connections.close_all()
        self._cluster.start()
        self._indexer = NodeIndexer(tick_s=self._tick_s)
        self._indexer.start()
        return True

    def _stop(self) -> None:
        sentinel = self._cluster.sentinel
        self._cluster.stop_event.set()
        self._indexer.stop()
        sentinel.join(PATIENCE_S)
        if sentinel.is_alive():
            sentinel.kill()
            sentinel.join()
        self._listener.close()
        try:
            stop_beating(node_name())
        except DatabaseError:
            log.warning("worker_left_beat")
        connections.close_all()

    def _handle_signals(self) -> int:
        read, write = os.pipe()
        os.set_blocking(read, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._asked_to_stop)
        signal.signal(signal.SIGINT, self._asked_to_stop)
        return read

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _pause(self, seconds: float) -> None:
        self._listener.wait(seconds, also=[self._woken])
