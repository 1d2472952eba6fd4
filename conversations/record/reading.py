"""Reading turns again: shortened for a prompt, or to the byte."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch

from conversations.models import Conversation, Step, Turn
from conversations.models.turn import IN_ORDER, TurnQuerySet
from conversations.record.sealing import opened
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.text import whole

# Characters of a step that are shown where nobody asks for all of it.
CLIPPED_AT = 2000


@dataclass(frozen=True, slots=True)
class ShownStep:
    """``text`` is the content as text; ``clipped``: there is more of it. ``raw``: the JSON object as it was sent."""

    kind: str
    role: str
    tool: str
    text: str
    clipped: bool
    raw: str


def turns_of(principal: Principal, references: Sequence[str]) -> list[Turn]:
    """The turns of these ``run:number``, in the order of telling, as far as there are any for this caller."""
    found = {turn.pk: turn for one in references for turn in _readable(principal).referred_to(one)}
    return [found[pk] for pk in sorted(found)]


def find_turn(principal: Principal, reference: str) -> Turn:
    """Raises :class:`NotFound`, in the same words for one that is not there and one of somebody else."""
    turn = _readable(principal).referred_to(reference).first()
    if turn is None:
        raise NotFound(f"There is no turn {ascii(reference)[:100]}.")
    return turn


def last_turn(principal: Principal, conversation: int) -> str:
    """``run:number`` of what was told last in a conversation; '' for nothing yet."""
    told = Turn.objects.visible_to(principal).filter(conversation_id=conversation)
    row = told.order_by("-pk").values_list("run__name", "number").first()
    return f"{row[0]}:{row[1]}" if row else ""


def history(
    principal: Principal, conversation: int, *, limit: int, before: Turn | None = None
) -> tuple[list[Turn], bool]:
    """The last turns of a conversation, or those before one of them, in the order of telling, and whether there are
    earlier ones."""
    rows = _readable(principal).filter(conversation_id=conversation)
    rows = rows if before is None else rows.filter(pk__lt=before.pk)
    found = list(rows.order_by("-pk")[: limit + 1])
    return found[:limit][::-1], len(found) > limit


def turns_from(principal: Principal, conversation: Conversation, begin: Turn | None, *, limit: int) -> list[Turn]:
    """The first turns of a conversation, or those from ``begin`` on, in the order of telling."""
    rows = _readable(principal).filter(conversation=conversation).order_by(*IN_ORDER)
    return list((rows if begin is None else rows.filter(pk__gte=begin.pk))[:limit])


def shown_steps(turn: Turn, *, whole: bool = False) -> Iterator[ShownStep]:
    """The steps of a turn that was read here. ``whole``: without shortening.

    Raises :class:`~pawflow_web.lib.errors.Unavailable` where the key of an encrypted conversation is gone.
    """
    for step in turn.steps.all():
        raw = opened(step.raw, turn)
        said: dict[str, Any] = json.loads(raw)
        text = _text(said.get("content", ""))
        shown, cut = (text, False) if whole else clipped(text)
        yield ShownStep(
            kind=step.kind,
            role=_text(said.get("role") or turn.role),
            tool=_text(said.get("tool") or ""),
            text=shown,
            clipped=cut,
            raw=raw,
        )


def _readable(principal: Principal) -> TurnQuerySet:
    steps = Prefetch("steps", queryset=Step.objects.order_by("number"))
    return Turn.objects.visible_to(principal).select_related("run", "conversation").prefetch_related(steps)


def _text(content: Any) -> str:
    """Content as text that can be shown: half a character and NUL, which JSON may hold, become
    the sign for something that cannot be shown."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return whole(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def clipped(text: str) -> tuple[str, bool]:
    """What is shown of a long step where nobody asks for all of it, and whether that is less than there is."""
    more = len(text) - CLIPPED_AT
    return (f"{text[:CLIPPED_AT]} (clipped, {more:,} more characters; full=true)", True) if more > 0 else (text, False)
