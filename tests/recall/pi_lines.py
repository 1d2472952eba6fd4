"""Sessions of pi made for a test."""

import json
from typing import Any


def header(name: str = "s", cwd: str = "/home/ada/demo") -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": name, "timestamp": "2026-03-01T10:00:00.000Z", "cwd": cwd}


def said(number: int, text: str, *, role: str = "user", parent: int | None = -1, **more: Any) -> dict[str, Any]:
    """A message; its parent is the one before, unless another is named."""
    before = number - 1 if parent == -1 else parent
    content = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": None if before is None or before < 0 else f"e{before}",
        "timestamp": f"2026-03-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "message": {"role": role, "content": content, **more},
    }


def source(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def talk(*texts: str, name: str = "s", cwd: str = "/home/ada/demo") -> bytes:
    """A person and an assistant in turn."""
    roles = ("user", "assistant")
    return source(header(name, cwd), *[said(n, text, role=roles[n % 2]) for n, text in enumerate(texts)])
