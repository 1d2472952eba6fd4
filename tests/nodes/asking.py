"""What agents do on a node, in the words of the tests."""

from typing import Any

from tests.live import Live


def remember(live: Live, text: str) -> str:
    """The reference of what is remembered now."""
    reply = live.post("/api/v1/tools/remember", {"text": text})
    assert reply.status == 200, reply.body
    ref: str = reply.json["ref"]
    return ref


def recalled(live: Live, word: str) -> tuple[list[str], dict[str, Any]]:
    """The references that a question finds, and what the answer says of itself."""
    reply = live.post("/api/v1/tools/recall", {"query": word})
    assert reply.status == 200, reply.body
    return [item["ref"] for item in reply.json["items"]], reply.json["coverage"]
