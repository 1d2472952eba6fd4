"""Turns as agents and people get them."""

import base64
from collections.abc import Iterable

from pydantic import BaseModel, Field

from conversations.models import Turn
from conversations.record.reading import clipped, shown_steps
from conversations.sessions.entries import Entry
from conversations.sessions.turns import SessionTurn
from pawflow_web.lib.periods import iso, iso_of_millis


class StepOut(BaseModel):
    kind: str = Field(description="message, tool_call, tool_result or thinking")
    role: str
    tool: str = Field(description="the tool that was called; empty for none")
    text: str
    clipped: bool = Field(description="there is more of it: ask with full")
    raw: str | None = Field(description="the JSON of this step exactly as it was received, as base64; only with full")


class TurnOut(BaseModel):
    ref: str = Field(description="run:turn, for read_turn")
    conversation: str
    role: str
    at: str | None
    steps: list[StepOut]

    @classmethod
    def of(cls, turn: Turn, *, full: bool = False) -> "TurnOut":
        return cls(
            ref=str(turn),
            conversation=turn.conversation.ref,
            role=turn.role,
            at=iso(turn.at),
            steps=[
                StepOut(
                    kind=step.kind,
                    role=step.role,
                    tool=step.tool,
                    text=step.text,
                    clipped=step.clipped,
                    raw=base64.b64encode(step.raw.encode()).decode() if full else None,
                )
                for step in shown_steps(turn, whole=full)
            ],
        )


def turn_of_session(turn: SessionTurn, *, full: bool = False) -> TurnOut:
    """A turn of a session file, as one that was told is shown."""
    first = turn.entries[0][0]
    return TurnOut(
        ref=turn.ref,
        conversation=turn.session.conversation.ref,
        role=first.role or "",
        at=iso_of_millis(first.timestamp),
        steps=[_step(entry, raw, full=full) for entry, raw in turn.entries],
    )


def _step(entry: Entry, raw: bytes, *, full: bool) -> StepOut:
    shown, cut = (entry.text, False) if full else clipped(entry.text)
    return StepOut(
        kind="tool_result" if entry.role == "toolResult" else "tool_call" if entry.tool else "message",
        role=entry.role or "",
        tool=entry.tool or "",
        text=shown,
        clipped=cut,
        raw=base64.b64encode(raw).decode() if full else None,
    )


def as_text(turns: Iterable[TurnOut]) -> str:
    """For a chat: who said what."""
    return "\n\n".join(_told(turn) for turn in turns)


def _told(turn: TurnOut) -> str:
    """Whatever a client told, only the first line of a turn begins at the margin."""
    lines = [f"{turn.ref}, {_on_one_line(turn.role)}, {turn.at}"]
    for step in turn.steps:
        name = f"{step.kind} {step.tool}" if step.kind != "message" else step.role
        text = "\n    ".join(step.text.splitlines())
        lines.append(f"{_on_one_line(name)}: {text}")
    return "\n  ".join(lines)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
