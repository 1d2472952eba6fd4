"""Keeping a conversation's memory as it was first sent, for prompts whose beginning should stay the same.

A decision about any belief in it, or its end, makes it anew: what was taken out of use is nowhere to be read, frozen
or not.
"""

from typing import Any

from memory.models import FrozenBlock
from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Content, Group, Line
from review.models import GovernanceItem


def kept_memory(principal: Principal) -> Content | None:
    """What this agent was first sent in this conversation, or None: nothing yet, or it no longer holds."""
    row = FrozenBlock.objects.filter(**_place(principal)).first()
    return _restored(principal, row.layout) if row is not None else None


def keep_memory(principal: Principal, content: Content) -> None:
    """From now on this is what the agent gets in this conversation. Two first calls at once: the later one stays."""
    FrozenBlock.objects.update_or_create(
        **_place(principal),
        defaults={"user_id": principal.user_id, "layout": _layout(content), "made_at": now()},
    )


def can_keep(principal: Principal) -> bool:
    """Without an agent and its conversation there is nothing that a later call could belong to."""
    return principal.agent_id is not None and principal.conversation_id is not None


def _place(principal: Principal) -> dict[str, Any]:
    return {"agent_id": principal.agent_id, "conversation_id": principal.conversation_id}


def _layout(content: Content) -> dict[str, Any]:
    return {
        "groups": [[group.label, [_around(line) for line in group.lines]] for group in content.groups],
        "foot": content.foot,
        "foot_always": content.foot_always,
        "counted": content.counted,
    }


def _around(line: Line) -> list[Any]:
    """Words of beliefs stay out; a line without a belief is the product's own."""
    return [line.item, line.revision, line.before, line.after, line.tier, "" if line.item else line.words]


def _restored(principal: Principal, layout: dict[str, Any]) -> Content | None:
    """The same lines, if each belief may still be read and nobody has decided over it since."""
    wanted = {item: revision for _, lines in layout["groups"] for item, revision, *_ in lines if item}
    rows = {row.pk: row for row in GovernanceItem.objects.recallable(principal).filter(pk__in=list(wanted))}
    if any(pk not in rows or rows[pk].revision != revision for pk, revision in wanted.items()):
        return None
    groups = [
        Group(label, tuple(_line(rows.get(item), around, words) for item, _, *around, words in lines))
        for label, lines in layout["groups"]
    ]
    return Content(tuple(groups), foot=layout["foot"], foot_always=layout["foot_always"], counted=layout["counted"])


def _line(row: GovernanceItem | None, around: list[Any], words: str) -> Line:
    before, after, tier = around
    if row is None:
        return Line(words, before=before, after=after)
    return Line(
        " ".join(row.text.split()),
        before=before,
        after=after,
        item=row.pk,
        ref=row.ref,
        number=row.number,
        revision=row.revision,
        tier=tier,
    )
