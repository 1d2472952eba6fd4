"""Asking recall as a client does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from conversations.recall.index import catch_up
from pawflow_web.identity.models import User
from tests.surfaces.conftest import Asked, Rest

PI = Path(__file__).parents[1] / "sessions" / "fixtures" / "pi"
Answer = dict[str, Any]


def send(rest: Rest, path: str, data: bytes, **more: str) -> Asked:
    """Send a session file."""
    return rest.send("POST", f"/sessions?{urlencode({'path': path, **more})}", data)


def sent(rest: Rest, path: str, data: bytes, **more: str) -> Answer:
    """What came of a file that was taken."""
    reply = send(rest, path, data, **more)
    assert reply.status in {200, 201}, reply.body
    found: Answer = reply.json
    return found


def samples(rest: Rest) -> None:
    """The three sessions whose answers are pinned, the newest last."""
    for name in ("linear", "branched", "trace_branch"):
        sent(rest, f"pi/{name}.jsonl", (PI / f"{name}.jsonl").read_bytes())


def recall(rest: Rest, **arguments: Any) -> Answer:
    return called(rest, "memory_recall", **{"scope": "global", **arguments})


def called(rest: Rest, name: str, /, **arguments: Any) -> Answer:
    reply = rest.post(f"/tools/{name}", arguments)
    assert reply.status == 200, reply.body
    answer: Answer = reply.json
    return answer


def places(answer: Answer) -> list[tuple[str, int]]:
    """Where the hits stand."""
    return [(hit["sessionId"], hit["index"]) for hit in answer["hits"]]


def indexed(owner: User) -> None:
    """Bring the owner's index up to date."""
    while catch_up(owner.pk):
        pass


def expanded(rest: Rest, **arguments: Any) -> Iterator[Answer]:
    """Every piece of an expansion."""
    answer = called(rest, "memory_expand", **arguments)
    yield from answer["entries"]
    while answer["next"] is not None:
        reply = rest.post("/call", answer["next"])
        assert reply.status == 200, reply.body
        answer = reply.json
        yield from answer["entries"]
