"""The context of an agent: what stands before its next turn. The page that previews it asks the same function."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.context.freeze import can_keep, keep_memory, kept_memory
from pawflow_web.identity.models import Profile
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.assembly import Assembled, Reason, assemble
from pawflow_web.lib.blocks import Ask, Built, LeftOut, Line
from review.models import GovernanceItem

MEMORY, RELEVANT = "persistent_memory", "relevant_memories"
BUDGET, LEAST_BUDGET, MOST_BUDGET = 6000, 500, 50_000
QUERY_MOST = 4000


@dataclass(frozen=True, slots=True)
class Context:
    """What an agent gets. ``system`` is for the beginning of its prompt, ``text`` for the person's latest turn."""

    budget: int
    built: tuple[Built, ...] = ()
    omitted: tuple[tuple[str, Reason], ...] = ()
    system: str = ""
    text: str = ""
    chars: int = 0

    def lines(self) -> Iterator[Line]:
        """Every line that shows a belief, in the order in which it is read."""
        for block in self.built:
            yield from (line for line in block.content.lines() if line.item)

    def items(self) -> list[GovernanceItem]:
        """The beliefs that it shows, each once, by nothing but their row id."""
        return [GovernanceItem(pk=pk) for pk in dict.fromkeys(line.item for line in self.lines())]

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """As ``GET /context`` answers."""
        answer: dict[str, Any] = {
            "system": self.system,
            "text": self.text,
            "chars": self.chars,
            "budget": self.budget,
            "blocks": [_shown(block) for block in self.built],
            "omitted": [{"name": name, "reason": reason} for name, reason in self.omitted],
        }
        return {**answer, "explain": {block.name: _explained(block) for block in self.built}} if explain else answer


def build_context(
    principal: Principal,
    *,
    project: str | None = None,
    query: str = "",
    budget: int = BUDGET,
    freeze: bool = False,
    at: datetime | None = None,
    previewing: bool = False,
    only: Collection[str] = (),
    patient: bool = False,
) -> Context:
    """What this agent, within its conversation, is to know before its next turn.

    Args:
        principal: who reads it: an agent, or a person for themselves.
        project: the slug that the call names; else the conversation's counts.
        query: the person's latest words.
        budget: the most characters of all blocks together.
        freeze: keep the conversation's memory as it was first sent, and leave out what changes with each turn.
        at: as it would have been at that moment, known then.
        previewing: look without being counted as the first call of a frozen conversation.
        only: the blocks to look at; where none is named, all.
        patient: let every block take its time, for whoever asks what could be shown at all.
    """
    if principal.profile == Profile.SECURE:
        return Context(budget)
    ask = Ask(principal, project, query, at)
    frozen = freeze and can_keep(principal) and at is None
    kept = kept_memory(principal) if frozen else None
    done = assemble(
        ask,
        budget=budget,
        kept={MEMORY: kept} if kept else {},
        without={RELEVANT: "frozen"} if frozen and query.strip() else {},
        only=only,
        patient=patient,
    )
    if frozen and kept is None and not previewing:
        _keep(principal, done)
    return Context(budget, done.built, done.omitted, done.system, done.text, done.chars)


def _keep(principal: Principal, done: Assembled) -> None:
    memory = next((block for block in done.built if block.name == MEMORY), None)
    if memory is not None:
        keep_memory(principal, memory.content)


def _shown(block: Built) -> dict[str, Any]:
    return {
        "name": block.name,
        "title": block.block.title,
        "place": block.block.place,
        "text": block.text,
        "chars": block.chars,
    }


def _explained(block: Built) -> dict[str, Any]:
    return {
        "tokens": block.tokens,
        "ms": round(block.took_ms, 1),
        "items": [
            {
                "ref": line.ref,
                "number": line.number,
                "tier": line.tier,
                "chars": len(line.text),
                "words": list(line.matched),
            }
            for line in block.content.lines()
            if line.item
        ],
        "left_out": _left_out(block.left_out),
    }


def _left_out(rows: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [{"ref": row.ref, "reason": row.reason} for row in rows]
