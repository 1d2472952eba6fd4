"""The serving process writes what it showed by itself: every second, at its end, and not at all when it is killed."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from pawflow_web.env import CHECKOUT
from pawflow_web.lib.db import execute
from review.models import ItemUse, UseEvent
from tests.factories import make_owner, make_token
from tests.jobs.conftest import eventually
from tests.live import Live, database_url
from tests.review.beliefs import Parties, said

pytestmark = pytest.mark.django_db(transaction=True)


class Server:
    """A web process of its own, which the test may end as it likes."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(64)
            port = listener.getsockname()[1]
            with log.open("wb") as output:
                self.process = subprocess.Popen(
                    [
                        *(sys.executable, "-m", "daphne", "-v", "0"),
                        *("--fd", str(listener.fileno()), "pawflow_web.asgi:application"),
                    ],
                    cwd=CHECKOUT,
                    env={
                        **os.environ,
                        "PAWFLOW_PROCESS": "web",
                        "PAWFLOW_DEBUG": "on",
                        "PAWFLOW_PORT": str(port),
                        "PAWFLOW_DATA_DIR": str(settings.ENV.data_dir),
                        "DATABASE_URL": database_url(),
                    },
                    pass_fds=[listener.fileno()],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
        self.log = log
        self.live = Live(f"http://127.0.0.1:{port}")


@pytest.fixture
def parties(transactional_db: None) -> Parties:
    return Parties.of(make_owner("alice"))


@pytest.fixture
def server(parties: Parties, tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "server.log")
    try:
        assert server.live.get("/health").status == 200
        yield server
    finally:
        server.process.kill()
        server.process.wait(15)


def agent(server: Server, parties: Parties) -> Live:
    return server.live.bearing(make_token(parties.user, agent="coder"))


def recalled(client: Live) -> int:
    reply = client.post("/api/v1/tools/recall", {"query": "bread"})
    assert reply.status == 200, reply.body
    return len(reply.json["items"])


def test_it_is_written_by_itself_and_no_connection_is_kept(server: Server, parties: Parties) -> None:
    item = said(parties.coder, "Likes bread")
    assert recalled(agent(server, parties)) == 1
    eventually(UseEvent.objects.exists)

    event = UseEvent.objects.get()
    assert (event.item_id, event.reader, event.agent_id) == (item.pk, "recall", parties.coder.agent_id)
    # What it writes with goes back to the pool: nothing of this process is inside a transaction.
    busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%%'"
    eventually(lambda: execute(busy)[0][0] == 0)


def test_what_is_pending_is_written_when_the_server_is_asked_to_stop(server: Server, parties: Parties) -> None:
    said(parties.coder, "Likes bread")
    client = agent(server, parties)
    for _ in range(3):
        recalled(client)
    server.process.terminate()
    server.process.wait(15)

    assert ItemUse.objects.get().count == 3 == UseEvent.objects.count(), server.log.read_text()


def test_a_killed_server_loses_no_more_than_the_last_second(server: Server, parties: Parties) -> None:
    said(parties.coder, "Likes bread")
    client = agent(server, parties)
    recalled(client)
    eventually(UseEvent.objects.exists)
    assert recalled(client) == 1
    server.process.kill()
    server.process.wait(15)

    assert ItemUse.objects.get().count in {1, 2}
    assert ItemUse.objects.get().count == UseEvent.objects.count()


def test_an_answer_does_not_wait_while_nothing_can_be_written(server: Server, parties: Parties) -> None:
    item = said(parties.coder, "Likes bread")
    client = agent(server, parties)
    assert recalled(client) == 1
    eventually(UseEvent.objects.exists)
    with transaction.atomic():
        execute("LOCK TABLE review_useevent IN ACCESS EXCLUSIVE MODE")
        assert [recalled(client) for _ in range(5)] == [1] * 5
        assert ItemUse.objects.get(item=item).count == 1
    eventually(lambda: ItemUse.objects.get(item=item).count == 6)
