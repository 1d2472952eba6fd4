"""Two nodes on one PostgreSQL that is reached over TCP: one memory, whichever of them is asked."""

import json
import threading
import time
from typing import Any

import pytest

from tests.nodes.asking import recalled, remember
from tests.nodes.conftest import often
from tests.nodes.installation import Installation, Node
from tests.startup.product import eventually

pytestmark = pytest.mark.processes


def both_ways(nodes: Installation, number: int) -> tuple[Node, Node]:
    first, second = nodes.nodes
    return (first, second) if number % 2 == 0 else (second, first)


def test_what_one_node_stores_the_other_finds_at_once(nodes: Installation) -> None:
    for number in range(often(40, 200)):
        here, there = both_ways(nodes, number)
        ref = remember(here.live.bearing(nodes.agent), f"Parcel quince{number} stands on shelf {number}")
        refs, coverage = recalled(there.live.bearing(nodes.agent), f"quince{number}")
        assert refs == [ref], number
        assert (coverage["complete"], coverage["reasons"]) == (True, []), number


def test_what_one_node_rejects_is_gone_on_the_other_at_once(nodes: Installation) -> None:
    for number in range(often(10, 50)):
        here, there = both_ways(nodes, number)
        agent = here.live.bearing(nodes.agent)
        ref = remember(agent, f"Harbour plover{number} has berth {number}")
        # From the tail in the one half of the cases, from the index in the other.
        if number % 4 > 1:
            nodes.wait_for_indexes()
        assert recalled(agent, f"plover{number}")[0] == [ref]
        assert there.live.bearing(nodes.person).post(f"/api/v1/review/{ref}/reject", {}).status == 200
        refs, coverage = recalled(agent, f"plover{number}")
        assert (refs, coverage["complete"]) == ([], True), number
        refused = agent.post("/api/v1/tools/remember", {"text": f"Harbour plover{number} has berth {number}"})
        assert (refused.status, refused.error["code"]) == (409, "tombstoned")


def test_each_node_keeps_an_index_of_its_own(nodes: Installation) -> None:
    remember(nodes.nodes[0].live.bearing(nodes.agent), "The gannet is counted in May")
    nodes.wait_for_indexes()
    folders = {node.index(nodes.user_id).folder for node in nodes.nodes}
    assert len(folders) == 2
    for node in nodes.nodes:
        assert nodes.indexed(node) == nodes.stored()


def test_both_nodes_serve_pages_and_are_ready(nodes: Installation) -> None:
    for node in nodes.nodes:
        assert (node.live.get("/login").status, node.live.get("/ready").status) == (200, 200)


def test_what_expires_is_swept_once_whoever_does_it(nodes: Installation) -> None:
    person = nodes.nodes[0].live.bearing(nodes.person)
    refs = [remember(nodes.nodes[0].live.bearing(nodes.agent), f"Ferry curlew{n} runs today") for n in range(10)]
    for ref in refs:
        edited = person.send(
            "PATCH",
            f"/api/v1/items/{ref}",
            json.dumps({"revision": 1, "expires_at": time.time() + 1}),
            {"Content-Type": "application/json"},
        )
        assert edited.status == 200, edited.body
    condition = "FROM review_governanceitem WHERE ref = ANY(%s) AND status = 'stale'"
    eventually(lambda: nodes.sql(f"SELECT count(*) {condition}", refs)[0][0] == len(refs), "an end of them all", 45)
    swept = nodes.sql(
        "SELECT item_id, count(*) FROM review_journalentry WHERE verb = 'expire' AND item_id IN "
        f"(SELECT id {condition}) GROUP BY 1",
        refs,
    )
    assert [times for _, times in swept] == [1] * len(refs)
    assert nodes.journal()["differences"] == []


def imported(nodes: Installation, node: Node, name: str) -> dict[str, Any]:
    """Send a file to one node and wait for whoever does the job."""
    person = node.live.bearing(nodes.person)
    lines = "".join(f"- The {name} has room {number}\n" for number in range(20))
    queued = person.send(
        "POST", f"/api/v1/import?format=markdown&name={name}.md", lines, {"Content-Type": "application/octet-stream"}
    )
    assert queued.status == 202, queued.body
    job: dict[str, Any] = {}

    def ended() -> bool:
        job.update(person.get(f"/api/v1/jobs/{queued.json['job']}").json)
        return job["state"] not in {"queued", "running"}

    eventually(ended, f"an end of the job: {job}", 60)
    return job


def test_a_file_is_imported_soon_on_the_node_that_has_it(nodes: Installation) -> None:
    """The other node's worker is woken too and cannot do it: it must not take the work away."""
    took = []
    for number in range(often(6, 20)):
        began = time.monotonic()
        job = imported(nodes, nodes.nodes[number % 2], f"siskin{number}")
        took.append(time.monotonic() - began)
        assert (job["state"], job["result"]["items"]["proposed"]) == ("done", 20), job
    # A tick is 15 seconds; none of them waited for one.
    assert max(took) < 10, took


def test_while_a_worker_is_gone_the_other_goes_on(nodes: Installation) -> None:
    alone, other = nodes.nodes
    nodes.wait_for_indexes()
    behind = alone.index(nodes.user_id).watermark
    alone.kill("worker")
    try:
        ref = remember(other.live.bearing(nodes.agent), "The dunlin nests behind the lighthouse")
        refs, coverage = recalled(alone.live.bearing(nodes.agent), "dunlin")
        assert (refs, coverage["complete"]) == ([ref], True)
        assert alone.live.get("/ready").status == 200
        eventually(lambda: nodes.caught_up(other), "an index of the node whose worker lives", 30)
        assert alone.index(nodes.user_id).watermark == behind
    finally:
        alone.start("worker")
    nodes.wait_for_indexes()
    assert nodes.indexed(alone) == nodes.stored()


def test_a_node_far_behind_says_so(nodes: Installation) -> None:
    """Past the rows that a search reads beside its index, what lies between is not promised."""
    alone, other = nodes.nodes
    nodes.wait_for_indexes()
    alone.kill("worker")
    try:
        first = remember(other.live.bearing(nodes.agent), "The sandpiper came before the others")

        def write(part: int) -> None:
            for number in range(53):
                remember(other.live.bearing(nodes.agent), f"Godwit{part}x{number} of the flock is ringed")

        threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        refs, coverage = recalled(alone.live.bearing(nodes.agent), "sandpiper")
        if not nodes.caught_up(alone):
            assert (refs, coverage["complete"], coverage["reasons"]) == ([], False, ["index_behind"])
        last, coverage = recalled(alone.live.bearing(nodes.agent), "Godwit3x52")
        assert len(last) == 1
    finally:
        alone.start("worker")
    nodes.wait_for_indexes()
    refs, coverage = recalled(alone.live.bearing(nodes.agent), "sandpiper")
    assert (refs, coverage["complete"]) == ([first], True)
