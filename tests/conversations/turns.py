"""Telling and reading turns as a client does."""

from typing import Any

from tests.surfaces.conftest import Asked, Rest


def message(text: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "message", "content": text, **more}


def turn(text: Any = "Hello.", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "steps": [message(text)], **more}


def tell(rest: Rest, conversation: str, *turns: dict[str, Any], run: str = "r1") -> Asked:
    return rest.post(f"/conversations/{conversation}/turns", {"run": run, "turns": list(turns)})


def told(rest: Rest, conversation: str, *turns: dict[str, Any], run: str = "r1") -> list[str]:
    """The references of turns that were taken."""
    reply = tell(rest, conversation, *turns, run=run)
    assert reply.status == 200, reply.body
    refs: list[str] = reply.json["turns"]
    return refs


def read(rest: Rest, ref: str, *, full: bool = False) -> list[dict[str, Any]]:
    reply = rest.post("/tools/read_turn", {"ref": ref, "full": full})
    assert reply.status == 200, reply.body
    turns: list[dict[str, Any]] = reply.json["turns"]
    return turns
