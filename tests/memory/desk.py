"""Asking for tasks and notes the way an agent does."""

from typing import Any

from tests.surfaces.conftest import Asked, Rest


def todo(rest: Rest, action: str, *, conversation: str = "", **more: Any) -> Asked:
    return _ask(rest, "todolist", conversation, {"action": action, **more})


def scratch(rest: Rest, action: str, *, conversation: str = "", **more: Any) -> Asked:
    return _ask(rest, "scratchpad", conversation, {"action": action, **more})


def task(rest: Rest, subject: str = "Write the release notes", **more: Any) -> dict[str, Any]:
    """A new task."""
    return _made(todo(rest, "create", subject=subject, **more))


def note(
    rest: Rest, topic: str = "Rollback plan", content: str = "First stop the canary.", **more: Any
) -> dict[str, Any]:
    """A new note."""
    return _made(scratch(rest, "create", topic=topic, content=content, **more))


def _made(reply: Asked) -> dict[str, Any]:
    assert reply.status == 200, reply.body
    made: dict[str, Any] = reply.json
    return made


def _ask(rest: Rest, tool: str, conversation: str, body: dict[str, Any]) -> Asked:
    return rest.post(f"/tools/{tool}" + (f"?conversation={conversation}" if conversation else ""), body)
