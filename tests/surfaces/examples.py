"""Arguments with which each tool runs. A tool without an entry fails the parity test."""

from collections.abc import Callable
from typing import Any

from tests.surfaces.conftest import Rest

Arguments = dict[str, Any]


def remembered(agent: Rest, text: str = "The release is on Friday") -> str:
    """The ref of a belief of the agent's owner."""
    reply = agent.post("/tools/remember", {"text": text})
    assert reply.status == 200, reply.body
    ref: str = reply.json["ref"]
    return ref


EXAMPLES: dict[str, Callable[[Rest], Arguments]] = {
    "remember": lambda _: {"text": "Prefers pytest", "category": "preferences", "tags": ["testing"]},
    "recall": lambda agent: {"query": remembered(agent) and "release"},
    "semantic_recall": lambda agent: {"query": remembered(agent) and "release"},
    "forget": lambda agent: {"memory_id": remembered(agent)},
    "check_duplicate": lambda _: {"text": "Prefers pytest"},
    "search_memory": lambda agent: {"query": remembered(agent) and "release"},
    "list_memory": lambda agent: {"type": remembered(agent) and "context"},
    "tool_search": lambda _: {"query": "remember a decision"},
    "get_tool_schema": lambda _: {"name": "recall"},
    "memory_feedback": lambda agent: {"ref": remembered(agent), "helpful": False},
    "memory_archive_suggestion": lambda agent: {"ref": remembered(agent), "reason": "It is over"},
}
