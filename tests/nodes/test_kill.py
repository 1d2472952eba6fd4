"""kill -9 of web, worker and PostgreSQL while clients write: what was acknowledged is there, nothing is half there."""

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from typing import Any

import pytest

from tests.nodes.conftest import KILLS
from tests.nodes.installation import PARTS, Installation, Node, installation
from tests.nodes.storm import Client
from tests.startup.product import eventually

pytestmark = pytest.mark.processes

CLIENTS = 4
SEED = 20261130
# So many acts are answered between two kills, so that each meets a product at work.
ACTS_BETWEEN = 8


def test_a_storm_of_kills_loses_nothing_and_leaves_nothing_half_done() -> None:
    with installation() as nodes:
        nodes.start()
        storm = Storm(nodes)
        storm.rage(KILLS or 6)
        storm.settle()
        sys.stdout.write(f"{json.dumps(storm.figures())}\n")
        storm.agrees()


class Storm:
    def __init__(self, nodes: Installation) -> None:
        self.nodes = nodes
        self.random = random.Random(SEED)
        self.over = threading.Event()
        self.clients = [Client(nodes, SEED + number, self.over) for number in range(CLIENTS)]
        self.kills: Counter[str] = Counter()
        self.pauses: list[float] = []
        self.started_again = 0
        self.settled: Counter[str] = Counter()

    @property
    def answered(self) -> int:
        return sum(sum(client.acts.values()) for client in self.clients)

    @property
    def wrong(self) -> list[str]:
        return [wrong for client in self.clients for wrong in client.wrong]

    # --- the storm ------------------------------------------------------------------------------------------------

    def rage(self, kills: int) -> None:
        for client in self.clients:
            client.start()
        try:
            self._until_answered(ACTS_BETWEEN)
            for _ in range(kills):
                time.sleep(self.random.random())
                self._strike()
                struck_at = time.monotonic()
                self._until_answered(1)
                self.pauses.append(time.monotonic() - struck_at)
                self._until_answered(ACTS_BETWEEN)
        finally:
            self.over.set()
            for client in self.clients:
                client.join()
        assert self.wrong == []

    def _strike(self) -> None:
        """Kill one part and start it again at once, as whoever watches over it would."""
        victim = self.random.choice(["web", "worker", "postmaster", "session"])
        self.kills[victim] += 1
        node = self.random.choice(self.nodes.nodes)
        if victim == "postmaster":
            self.nodes.database.kill()
            self.nodes.database.start()
        elif victim == "session":
            self._kill_a_session()
        elif victim == "web":
            node.kill("web")
            node.start("web")
        else:
            node.kill("worker")
            node.start("worker")

    def _kill_a_session(self) -> None:
        """PostgreSQL ends all others with it, and recovers."""
        mine = "datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        pids = [pid for (pid,) in self.nodes.sql(f"SELECT pid FROM pg_stat_activity WHERE {mine} ORDER BY pid")]
        os.kill(self.random.choice(pids), signal.SIGKILL)

    def _until_answered(self, more: int) -> None:
        wanted = self.answered + more

        def answered() -> bool:
            self._tend()
            return self.answered >= wanted or bool(self.wrong)

        eventually(answered, f"{more} more answers: {[client.troubles for client in self.clients]}", 120)
        assert self.wrong == []

    def _tend(self) -> None:
        for node in self.nodes.nodes:
            for part in PARTS:
                if node.running[part].poll() is not None:
                    self.started_again += 1
                    node.start(part)

    # --- after it -------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Acts that nobody answered are sent once more under their keys: done then or before, they are done once."""
        eventually(lambda: self._tend() or all(node.answers() for node in self.nodes.nodes), "two web processes", 60)
        for client in self.clients:
            for act in client.open:
                reply = None
                while reply is None:
                    reply = client.tried(act)
                self.settled["before" if "idempotent-replayed" in reply.headers else "now"] += 1
                client.settle(act, reply)
            for act in client.done[-20:]:
                again = client.tried(act)
                if act.verb != "recall" and again is not None:
                    assert "idempotent-replayed" in again.headers, act
                    assert again.body.decode() == act.reply
        assert self.wrong == []

    def agrees(self) -> None:
        """Model, rows, journal and both indexes say the same."""
        expected = {belief.ref: belief.row for client in self.clients for belief in client.beliefs}
        assert len(expected) == sum(len(client.beliefs) for client in self.clients)
        assert self._rows() == expected
        proof = self.nodes.journal()
        assert (proof["differences"], proof["items"]) == ([], len(expected))
        assert proof["entries"] == sum(len(row[-1]) for row in expected.values())
        self._has_nothing_half()
        self.nodes.wait_for_indexes()
        for node in self.nodes.nodes:
            assert self.nodes.indexed(node) == self.nodes.stored()
            self._is_found(node)

    def _rows(self) -> dict[str, Any]:
        rows = self.nodes.sql(
            "SELECT ref, text, status, tags, ARRAY(SELECT event::text FROM review_journalentry e"
            " WHERE e.item_id = i.id ORDER BY seq) FROM review_governanceitem i"
            " JOIN memory_memory m ON m.item_id = i.id WHERE i.user_id = %s",
            self.nodes.user_id,
        )
        return {row[0]: row for row in rows}

    def _has_nothing_half(self) -> None:
        """Every belief has its facet and its evidence, what agents read is believed once, and each rejection is one
        refusal."""
        count = self.nodes.sql(
            "SELECT count(*), count(*) FILTER (WHERE m.item_id IS NULL),"
            " count(*) FILTER (WHERE (SELECT count(*) FROM review_evidence v WHERE v.item_id = i.id) < 1),"
            " count(*) FILTER (WHERE i.status = 'active' AND (SELECT count(*) FROM review_believed b"
            "  WHERE b.item_id = i.id AND upper_inf(b.known)) <> 1),"
            " count(*) FILTER (WHERE i.status <> 'rejected' AND t.n > 0 OR i.status = 'rejected' AND t.n <> 1)"
            " FROM review_governanceitem i LEFT JOIN memory_memory m ON m.item_id = i.id"
            " CROSS JOIN LATERAL (SELECT count(*) AS n FROM review_tombstone t WHERE t.item_id = i.id) t"
            " WHERE i.user_id = %s",
            self.nodes.user_id,
        )[0]
        assert count[1:] == (0, 0, 0, 0)

    def _is_found(self, node: Node) -> None:
        agent = node.live.bearing(self.nodes.agent)
        for client in self.clients:
            for belief in self.random.sample(client.beliefs, min(10, len(client.beliefs))):
                reply = agent.post("/api/v1/tools/recall", {"query": belief.text.split()[0]}).json
                found = belief.ref in [item["ref"] for item in reply["items"]]
                assert (found, reply["coverage"]["complete"]) == (
                    belief.status == "active" and self._read(belief),
                    True,
                )

    def _read(self, belief: Any) -> bool:
        """What the automation said for itself is read by it alone."""
        rows = self.nodes.sql(
            "SELECT a.name FROM review_governanceitem i LEFT JOIN identity_agent a ON a.id = i.scope_agent_id"
            " WHERE i.ref = %s",
            belief.ref,
        )
        return rows[0][0] in (None, "coder")

    def figures(self) -> dict[str, Any]:
        pauses = sorted(self.pauses)
        return {
            "kills": dict(self.kills),
            "acts": dict(sum((client.acts for client in self.clients), Counter())),
            "beliefs": sum(len(client.beliefs) for client in self.clients),
            "replayed": sum(client.replayed for client in self.clients),
            "left open and settled at the end": dict(self.settled),
            "failed tries": dict(sum((client.troubles for client in self.clients), Counter())),
            "started again": self.started_again,
            "seconds to the next answer (median, 95 of 100, most)": [
                round(pauses[int(len(pauses) * share)], 1) for share in (0.5, 0.95)
            ]
            + [round(pauses[-1], 1)],
        }
