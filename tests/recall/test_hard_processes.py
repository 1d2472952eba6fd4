"""Processes that are killed while they take in, tell or index sessions, and several that index at once: nothing is half
there, and the next goes on."""

import contextlib
import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from conversations.recall.index import schema
from pawflow_web.env import CHECKOUT
from pawflow_web.lib.search import Index, Snapshot
from tests.live import Live, Reply
from tests.nodes.installation import Installation, Node, installation
from tests.recall.pi_lines import header, said, source, talk
from tests.startup.product import eventually

pytestmark = pytest.mark.processes

# So many entries keep the indexer busy for a moment.
MANY = 5000


@pytest.fixture(scope="module")
def nodes() -> Iterator[Installation]:
    """One node; each test starts and ends its worker."""
    with installation(nodes=1) as made:
        made.nodes[0].start("web")
        made.nodes[0].wait_for_web()
        yield made


@pytest.fixture
def node(nodes: Installation) -> Iterator[Node]:
    made = nodes.nodes[0]
    yield made
    if "worker" in made.running:
        made.kill("worker")


def agent(nodes: Installation) -> Live:
    return nodes.nodes[0].live.bearing(nodes.agent)


def send(live: Live, path: str, data: bytes) -> Reply:
    return live.send("POST", f"/api/v1/sessions?path={quote(path, safe='')}", data)


def sent(live: Live, path: str, data: bytes) -> dict[str, Any]:
    reply = send(live, path, data)
    assert reply.status in {200, 201}, reply.body
    taken: dict[str, Any] = reply.json
    return taken


def recall(live: Live, query: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """How much is found, and what the answer says of itself."""
    reply = live.post("/api/v1/tools/memory_recall", {"query": query, "scope": "global", **more})
    assert reply.status == 200, reply.body
    return reply.json["total"], reply.json["coverage"]


def many(name: str, word: str, entries: int = MANY) -> bytes:
    """A file whose first and last entry hold a word of their own."""
    texts = [f"{word}first", *[f"{word} {n}" for n in range(entries - 2)], f"{word}last"]
    return source(header(name), *[said(n, text) for n, text in enumerate(texts)])


# --- the index ------------------------------------------------------------------------------------------------------


def index(nodes: Installation, node: Node) -> Index:
    return Index.open(node.search_dir / str(nodes.user_id) / "entries", schema())


def snapshot(nodes: Installation, node: Node) -> Snapshot:
    found = index(nodes, node).snapshot()
    assert found is not None
    return found


def caught_up(nodes: Installation, node: Node) -> bool:
    (seq,) = nodes.sql("SELECT session_seq FROM identity_userclock WHERE user_id = %s", nodes.user_id)[0]
    return index(nodes, node).watermark == seq


def wait_for_index(nodes: Installation, node: Node) -> None:
    eventually(lambda: caught_up(nodes, node), f"an index that is up to date: {node.said('worker')}", 90)


def holds_each_once(nodes: Installation, node: Node) -> None:
    """The index has every entry of the database, each once."""
    ((entries,),) = nodes.sql("SELECT sum(entries) FROM conversations_session WHERE user_id = %s", nodes.user_id)
    assert snapshot(nodes, node).documents == entries


def in_a_batch(folder: Path, known: set[str]) -> bool:
    """Whether a writer has begun a segment that no commit names yet."""
    with contextlib.suppress(OSError):
        meta = folder / "meta.json"
        named = meta.read_text().replace("-", "") if meta.exists() else ""
        new = {path.name.partition(".")[0] for path in folder.glob("*.store")} - known
        return any(name.replace("-", "") not in named for name in new)
    return False


def kill_in_a_batch(nodes: Installation, node: Node) -> None:
    folder = index(nodes, node).folder
    known = {path.name.partition(".")[0] for path in folder.glob("*.store")}
    node.start("worker")
    eventually(lambda: in_a_batch(folder, known), f"a batch: {node.said('worker')}", 60)
    node.kill("worker")


def is_right_or_lacks(live: Live, word: str) -> None:
    total, coverage = recall(live, word)
    right = total == 1 and coverage["complete"]
    assert right or set(coverage["reasons"]) & {"index_building", "index_behind"}, (total, coverage)


def test_a_worker_that_is_killed_in_a_batch_costs_no_answer_and_the_next_goes_on(
    nodes: Installation, node: Node
) -> None:
    live = agent(nodes)
    sent(live, "many.jsonl", many("many", "heron"))
    sent(live, "newest.jsonl", talk("the bittern", name="newest"))
    kill_in_a_batch(nodes, node)
    assert not caught_up(nodes, node)
    for word in ("bittern", "heronfirst", "heronlast"):
        is_right_or_lacks(live, word)
    node.start("worker")
    wait_for_index(nodes, node)
    sent(live, "many.jsonl", many("many", "heron") + source(said(MANY, "the crake")))
    sent(live, "rewritten.jsonl", many("rewritten", "robin", 500))
    wait_for_index(nodes, node)
    node.kill("worker")
    sent(live, "rewritten.jsonl", many("rewritten", "wren", 500))
    kill_in_a_batch(nodes, node)
    assert [recall(live, word)[0] for word in ("robinfirst", "wrenfirst", "heronfirst", "crake")] == [0, 1, 1, 1]
    node.start("worker")
    wait_for_index(nodes, node)
    found = [recall(live, word) for word in ("robinfirst", "wrenfirst", "heronfirst", "heronlast", "crake", "bittern")]
    assert [(total, coverage["complete"]) for total, coverage in found] == [(0, True), *[(1, True)] * 5]
    holds_each_once(nodes, node)


def reindexing(node: Node) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "manage.py", "reindex", "--owner", "alice", "--json"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=CHECKOUT, env=node.environment("command"), stdout=pipe, stderr=pipe)


def test_several_processes_that_index_at_once_make_one_index(nodes: Installation, node: Node) -> None:
    live = agent(nodes)
    sent(live, "shared.jsonl", many("shared", "plover", 3000))
    node.start("worker")
    others = [reindexing(node) for _ in range(2)]
    for number in range(5):
        sent(live, "grows.jsonl", talk(*[f"the knot {n}" for n in range(number + 1)], name="grows"))
        assert recall(live, "knot")[0] == number + 1
    outputs = [(*other.communicate(timeout=90), other.returncode) for other in others]
    for out, err, status in outputs:
        # Whoever comes second is told so.
        assert status == 0 or b"cannot be written now" in out + err, (out, err)
    assert 0 in [status for *_, status in outputs]
    assert node.running["worker"].poll() is None
    wait_for_index(nodes, node)
    holds_each_once(nodes, node)
    for word, total in (("ploverfirst", 1), ("ploverlast", 1), ("knot", 5)):
        found, coverage = recall(live, word)
        assert (found, coverage["complete"]) == (total, True)
    left = {path.name for path in index(nodes, node).folder.parent.iterdir()}
    assert {name for name in left if name.startswith("entries")} <= {"entries", "entries.lock", "entries.next.lock"}


# --- what is taken in -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def stopped_before(nodes: Installation, table: str) -> Iterator[None]:
    """Nobody writes into the table until then; everybody reads it. Waits until somebody wants to."""
    with psycopg.connect(nodes.database.url) as connection:
        connection.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")  # type: ignore[call-overload]
        yield
        connection.rollback()


def somebody_waits(nodes: Installation) -> bool:
    rows = nodes.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'INSERT%%'")
    count: int = rows[0][0]
    return count > 0


class Attempt(threading.Thread):
    """A request that nobody may answer."""

    def __init__(self, live: Live, path: str, body: bytes) -> None:
        super().__init__()
        self.live, self.path, self.body = live, path, body
        self.reply: Reply | None = None

    def run(self) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.reply = self.live.send("POST", self.path, self.body, {"Content-Type": "application/json"})


def killed_at(nodes: Installation, node: Node, table: str, path: str, body: bytes) -> None:
    """Send this, and kill the process that answers when it is about to write into the table."""
    attempt = Attempt(agent(nodes), path, body)
    with stopped_before(nodes, table):
        attempt.start()
        eventually(lambda: somebody_waits(nodes), f"a write into {table}: {node.said('web')}", 60)
        node.kill("web")
    attempt.join()
    assert attempt.reply is None
    nobody = "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND query ILIKE 'INSERT%%'"
    eventually(lambda: nodes.sql(nobody) == [(0,)], "the end of the transaction", 60)
    node.start("web")
    node.wait_for_web()


def nothing_is_half(nodes: Installation) -> None:
    """Each session has the chunks that it counts, and each conversation with turns has its session."""
    half = nodes.sql(
        "SELECT s.path FROM conversations_session s LEFT JOIN conversations_chunk c ON c.session_id = s.id"
        " WHERE s.kind <> 'pawflow' GROUP BY s.id HAVING s.entries <> coalesce(sum(c.entries), 0)"
        " OR s.size <> coalesce(sum(c.size), 0)"
    )
    assert half == []
    alone = nodes.sql(
        "SELECT c.ref FROM conversations_conversation c LEFT JOIN conversations_session s ON s.conversation_id = c.id"
        " WHERE s.id IS NULL AND (c.source <> 'api' OR c.turns > 0)"
    )
    assert alone == []
    told = nodes.sql(
        "SELECT s.id FROM conversations_session s WHERE s.kind = 'pawflow' AND (s.entries <> (SELECT count(*)"
        " FROM conversations_step p JOIN conversations_turn t ON t.id = p.turn_id"
        " WHERE t.conversation_id = s.conversation_id)"
        " OR s.entries <> (SELECT sum(c.entries) FROM conversations_chunk c WHERE c.session_id = s.id))"
    )
    assert told == []


@pytest.mark.parametrize("table", ["conversations_session", "conversations_chunk"])
def test_a_file_that_was_half_taken_is_not_there_and_is_taken_when_it_comes_again(
    nodes: Installation, node: Node, table: str
) -> None:
    path, word = f"{table}.jsonl", table.replace("_", "")
    data = talk(*[f"{word} {'x' * 3000} {n}" for n in range(200)], name=table)
    killed_at(nodes, node, table, f"/api/v1/sessions?path={path}", data)
    live = agent(nodes)
    nothing_is_half(nodes)
    assert recall(live, word)[0] == 0
    assert sent(live, path, data)["entries"] == 200
    nothing_is_half(nodes)
    assert recall(live, word)[0] == 200


def test_a_file_that_grew_stays_as_it_was_when_its_taking_is_killed(nodes: Installation, node: Node) -> None:
    live = agent(nodes)
    begun = talk(*[f"dunlin {'x' * 3000} {n}" for n in range(100)], name="dunlin")
    grown = begun + source(*[said(n, f"dunlin {'y' * 3000} {n}") for n in range(100, 200)])
    first = sent(live, "dunlin.jsonl", begun)
    killed_at(nodes, node, "conversations_chunk", "/api/v1/sessions?path=dunlin.jsonl", grown)
    nothing_is_half(nodes)
    assert recall(live, "dunlin")[0] == 100
    again = sent(live, "dunlin.jsonl", grown)
    assert (again["ref"], again["entries"]) == (first["ref"], 200)
    nothing_is_half(nodes)
    assert recall(live, "dunlin")[0] == 200


@pytest.mark.parametrize("table", ["conversations_step", "conversations_chunk"])
def test_turns_that_were_half_told_are_not_there_and_are_told_again(
    nodes: Installation, node: Node, table: str
) -> None:
    live, word = agent(nodes), f"told{table.replace('_', '')}"
    ref = live.post("/api/v1/conversations", {}).json["ref"]
    turns = [
        {"id": f"{word}{n}", "role": "user", "steps": [{"kind": "message", "content": f"{word} {n}"}]}
        for n in range(50)
    ]
    body = json.dumps({"run": word, "turns": turns}).encode()
    killed_at(nodes, node, table, f"/api/v1/conversations/{ref}/turns", body)
    nothing_is_half(nodes)
    assert recall(live, word)[0] == 0
    told = live.post(f"/api/v1/conversations/{ref}/turns", body)
    assert (told.json["accepted"], told.json["duplicates"]) == (50, 0)
    nothing_is_half(nodes)
    assert recall(live, word)[0] == 50


# --- what is in no index and no log ---------------------------------------------------------------------------------


def test_what_is_said_in_conversations_is_in_no_log(nodes: Installation, node: Node) -> None:
    live = agent(nodes)
    node.start("worker")
    for flags, word in (({"encrypted": True}, "capercaillie"), ({"temporary": True}, "ptarmigan"), ({}, "goldeneye")):
        ref = live.post("/api/v1/conversations", flags).json["ref"]
        turn = {"role": "user", "steps": [{"kind": "message", "content": f"The {word} hides."}]}
        assert live.post(f"/api/v1/conversations/{ref}/turns", {"run": word[:4], "turns": [turn]}).status == 200
    wait_for_index(nodes, node)
    (index(nodes, node).folder / "meta.json").write_text("{}")
    assert [recall(live, word)[0] for word in ("capercaillie", "ptarmigan", "goldeneye")] == [0, 0, 1]
    said_by_them = "".join((node.data_dir / f"{part}.log").read_text() for part in ("web", "worker"))
    for word in ("capercaillie", "ptarmigan", "goldeneye"):
        assert word not in said_by_them
    # They do speak.
    assert "index_unreadable" in said_by_them
