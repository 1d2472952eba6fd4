"""Session files that the pages of sessions are tried with."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conversations.models import Conversation, Session
from pawflow_web.identity.models import User
from tests.factories import make_person_token
from tests.recall.asking import sent
from tests.sessions.pi import call, message, source, words
from tests.surfaces.conftest import Rest

FIXTURES = Path(__file__).parents[1] / "sessions" / "fixtures"
CANARY = "The <b>canary</b> was red, and the rollback took an hour."


def send_file(user: User, path: str, data: bytes, **more: str) -> Conversation:
    """The conversation of a session file that was sent."""
    ref = sent(Rest(make_person_token(user)), path, data, **more)["ref"]
    return Session.objects.select_related("conversation").get(ref=ref).conversation


def send_fixture(user: User, name: str) -> Conversation:
    return send_file(user, name, (FIXTURES / name).read_bytes())


def talked(lines: Iterable[tuple[str, Any]], **header: Any) -> bytes:
    """A Pi session of these roles and texts, one branch; the role ``call`` makes a call of bash with its result."""
    values: list[Any] = []

    def say(role: str, **said: Any) -> None:
        before = f"m{len(values) - 1}" if values else None
        values.append(message(role, f"m{len(values)}", before, **said))

    for role, text in lines:
        if role == "call":
            asked, answered = text
            identity = f"c{len(values)}"
            say("assistant", content=[words("I look."), call(identity, "bash", command=asked)])
            failed = answered.startswith("error")
            say("toolResult", toolCallId=identity, toolName="bash", content=[words(answered)], isError=failed)
        else:
            say(role, content=[words(text)])
    first = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/srv/shop"}
    return source(values, header=first | header)


def canary() -> bytes:
    """Five entries: what a person asked, a call with its result, an answer, and thanks."""
    return talked(
        [
            ("user", CANARY),
            ("call", ("make rollback", "error: no such target\n<script>window.ran = 1</script>")),
            ("assistant", "Then we\nwait."),
            ("user", "Thanks."),
        ]
    )


def many(number: int) -> bytes:
    """So many entries of a person, each with its number."""
    return talked(("user", f"Entry number n{place:04d}.") for place in range(number))


def as_lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)
