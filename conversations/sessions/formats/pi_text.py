"""What the messages of a Pi session say, as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conversations.sessions.entries import Policy
from conversations.sessions.formats.composing import call_text, has_words, paths_in, string_of


@dataclass(frozen=True, slots=True)
class Said:
    """What an assistant said and called. ``prose``: there are words of its own in it."""

    text: str
    prose: bool
    calls: tuple[tuple[str, str], ...]
    tool: str | None
    paths: tuple[str, ...]


def string(holder: dict[str, Any], key: str) -> str | None:
    """A value that is a string, fit to be stored; None for anything else."""
    value = holder.get(key)
    return string_of(value) if isinstance(value, str) else None


def body(content: Any) -> str:
    """The text of a content: a string, or blocks, of which images and what is unknown say nothing."""
    return "\n".join(_text_of(block) for block in _blocks(content) if block.get("type") == "text")


def assistant(message: dict[str, Any], policy: Policy) -> Said:
    """In the order of the blocks: words, thinking where it is wanted, calls with their whole arguments."""
    lines: list[str] = []
    calls: list[dict[str, Any]] = []
    prose = False
    for block in _blocks(message.get("content")):
        match block.get("type"):
            case "text":
                lines.append(_text_of(block))
                prose = prose or has_words(lines[-1])
            case "thinking" if policy.thinking:
                lines.append(string(block, "thinking") or "")
            case "toolCall":
                lines.append(call_text(_name(block), block.get("arguments")))
                calls.append(block)
    if error := string(message, "errorMessage"):
        lines.append(f"Error: {error}")
    return Said(
        text="\n".join(filter(None, lines)),
        prose=prose,
        calls=tuple((identity, _name(call)) for call in calls if (identity := string(call, "id"))),
        tool=(_name(calls[0]) or None) if calls else None,
        paths=paths_in([call.get("arguments") for call in calls]),
    )


def bash(message: dict[str, Any], policy: Policy) -> str:
    """A command that the person ran, how it ended and what it printed."""
    code = message.get("exitCode")
    ended = f" [exit {code}]" if isinstance(code, int | float) and not isinstance(code, bool) else ""
    printed = (string(message, "output") or "") if policy.tool_output else ""
    return f"bash$ {string(message, 'command') or ''}{ended}" + (f"\n{printed}" if printed else "")


def custom(holder: dict[str, Any]) -> str:
    """What an extension put into the conversation."""
    kind = string(holder, "customType")
    said = body(holder.get("content"))
    return f"[{kind}] {said}" if kind else said


def compaction(holder: dict[str, Any]) -> str:
    return f"compaction: {string(holder, 'summary') or ''}"


def _blocks(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _text_of(block: dict[str, Any]) -> str:
    return string(block, "text") or ""


def _name(call: dict[str, Any]) -> str:
    return string(call, "name") or ""
