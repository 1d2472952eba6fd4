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


def written(agent: Rest, entry: str = "I looked twice before the release") -> str:
    """The id of an entry in the agent's diary."""
    reply = agent.post("/tools/diary_write", {"entry": entry})
    assert reply.status == 200, reply.body
    named: str = reply.json["id"]
    return named


def lives_in(agent: Rest, place: str = "Lisbon") -> Arguments:
    """A fact that the agent has added."""
    arguments = {"subject": "Lotta Berg", "predicate": "lives_in", "object": place}
    reply = agent.post("/tools/kg_add", arguments)
    assert reply.status == 200, reply.body
    return arguments


def to_do(agent: Rest, subject: str = "Write the release notes") -> str:
    """The id of a task in the agent's list."""
    reply = agent.post("/tools/todolist", {"action": "create", "subject": subject})
    assert reply.status == 200, reply.body
    named: str = reply.json["id"]
    return named


def noted(agent: Rest, topic: str = "How the release went") -> str:
    """The id of a scratch note of the agent."""
    reply = agent.post("/tools/scratchpad", {"action": "create", "topic": topic, "content": "It went well."})
    assert reply.status == 200, reply.body
    named: str = reply.json["id"]
    return named


def in_conversation(agent: Rest) -> str:
    """A conversation of the agent's owner in which something was said: its ref."""
    reply = agent.post("/conversations", {"external_id": "example"})
    assert reply.status in {200, 201}, reply.body
    ref: str = reply.json["ref"]
    turn = {"id": "c-1", "role": "user", "steps": [{"kind": "message", "content": "Look at the release."}]}
    assert agent.post(f"/conversations/{ref}/turns", {"run": "example", "turns": [turn]}).status == 200
    return ref


def address(name: str, agent: Rest) -> str:
    """Where the tool is called; within a conversation, where it needs one."""
    within = f"?conversation={in_conversation(agent)}" if name in NEED_A_CONVERSATION else ""
    return f"/tools/{name}{within}"


NEED_A_CONVERSATION = {"read_history"}

EXAMPLES: dict[str, Callable[[Rest], Arguments]] = {
    "remember": lambda _: {"text": "Prefers pytest", "category": "preferences", "tags": ["testing"]},
    "recall": lambda agent: {"query": remembered(agent) and "release"},
    "semantic_recall": lambda agent: {"query": remembered(agent) and "release"},
    "forget": lambda agent: {"memory_id": remembered(agent)},
    "check_duplicate": lambda _: {"text": "Prefers pytest"},
    "search_memory": lambda agent: {"query": remembered(agent) and "release"},
    "list_memory": lambda agent: {"type": remembered(agent) and "context"},
    "kg_add": lambda _: {"subject": "Lotta Berg", "predicate": "works_at", "object": "Ferrous"},
    "kg_query": lambda agent: {"entity": lives_in(agent)["subject"]},
    "kg_invalidate": lives_in,
    "kg_timeline": lambda agent: {"entity": lives_in(agent)["object"]},
    "kg_stats": lambda agent: lives_in(agent) and {},
    "query_graph": lambda agent: {"question": f"Where does {lives_in(agent)['subject']} live?"},
    "kg_path": lambda agent: {"from": lives_in(agent)["subject"], "to": "Lisbon"},
    "kg_god_nodes": lambda agent: lives_in(agent) and {},
    "kg_communities": lambda agent: lives_in(agent) and {},
    "tool_search": lambda _: {"query": "remember a decision"},
    "get_tool_schema": lambda _: {"name": "recall"},
    "diary_write": lambda _: {"entry": "I will look twice before a release", "type": "decision", "tags": ["release"]},
    "diary_read": lambda agent: {"entry_id": written(agent)},
    "todolist": lambda agent: {"action": "get", "task_id": to_do(agent)},
    "scratchpad": lambda agent: {"action": "get", "note_id": noted(agent)},
    "read_history": lambda _: {"limit": 5},
    "read_turn": lambda agent: {"ref": in_conversation(agent) and "example:1"},
    "conversation_search": lambda agent: {"query": in_conversation(agent) and "release", "include_current": True},
    "search_conversation_history": lambda agent: {"query": in_conversation(agent) and "release", "scope": "all"},
    "memory_recall": lambda agent: {"query": in_conversation(agent) and "release", "scope": "global"},
    "memory_sessions": lambda agent: {"scope": in_conversation(agent) and "global"},
    "memory_expand": lambda agent: {"session": in_conversation(agent), "indices": [0]},
    "call": lambda agent: {"ref": in_conversation(agent) and "memory.recall", "args": {"scope": "global"}},
    "memory_feedback": lambda agent: {"ref": remembered(agent), "helpful": False},
    "memory_archive_suggestion": lambda agent: {"ref": remembered(agent), "reason": "It is over"},
}
