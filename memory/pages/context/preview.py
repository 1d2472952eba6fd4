"""What the pages of a context show: the text as it is sent, line by line, each with the belief that it holds and the
reason why it stands there."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.context.build import MEMORY, Context, build_context
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.blocks import Built, Group, LeftOut, Line, registry
from pawflow_web.lib.tokens import estimate_tokens
from pawflow_web.web.templatetags.pawflow import thousands
from review.models import READABLE, GovernanceItem, Privacy, Status

TIERS: Mapping[str, str | Promise] = {
    "L0": gettext_lazy("identity"),
    "L1": gettext_lazy("facts and preferences"),
    "L2": gettext_lazy("recent events"),
    "L3": gettext_lazy("decisions"),
    "L4": gettext_lazy("discoveries and advice"),
    "t1": gettext_lazy("never ages"),
    "t2": gettext_lazy("lasting while it is said again"),
    "t3": gettext_lazy("lately"),
}
# Of lines that hold no belief, by how their references begin: the page that shows the whole, and why they are there.
PLACES: Mapping[str, tuple[str, str | Promise]] = {
    "di_": ("diary-entry", gettext_lazy("Entry %(rank)d of its diary, the newest first.")),
    "td_": ("todo-task", gettext_lazy("A task of its list in this conversation, or of its own.")),
    "sp_": ("scratch-note", gettext_lazy("A topic of its notes in this conversation, or of its own.")),
}
# Why a whole block is missing, and why a line of one is.
OMITTED: Mapping[str, str | Promise] = {
    "budget": gettext_lazy("no line of it fits into the budget"),
    "deadline": gettext_lazy("it took too long"),
    "error": gettext_lazy("it failed, and the log says why"),
    "frozen": gettext_lazy("the conversation keeps its memory as it was first sent"),
}
DROPPED: Mapping[str, str | Promise] = {
    "budget": gettext_lazy("for want of room"),
    "limit": gettext_lazy("beyond the most of their sort"),
    "aged": gettext_lazy("too long ago"),
    "flagged": gettext_lazy("for what was found in their words"),
}


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line with its line break. ``url`` is its belief, or what else it shows; ``change`` is ``ins`` or ``del`` where
    days are compared."""

    text: str
    url: str = ""
    why: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A block. The texts of its lines together are what is sent, but for those with ``del``."""

    title: str | Promise
    size: str
    lines: Sequence[ShownLine]


@dataclass(frozen=True, slots=True)
class Withheld:
    """How many beliefs of an agent's scopes stay out whatever the budget."""

    waiting: int
    secret: int
    sensitive: int


@dataclass(frozen=True, slots=True)
class Preview:
    """``compared`` is False where one of both days could not be looked at in time."""

    context: Context
    parts: Sequence[Part]
    left_out: Sequence[str]
    withheld: Withheld
    tokens: int
    ms: int
    since: datetime | None
    compared: bool

    @property
    def measure(self) -> str:
        return _("%(chars)s of %(budget)s characters, about %(tokens)s tokens, %(ms)s ms") % {
            "chars": thousands(self.context.chars),
            "budget": thousands(self.context.budget),
            "tokens": thousands(self.tokens),
            "ms": thousands(self.ms),
        }


def preview(principal: Principal, *, since: datetime | None = None, freeze: bool = False, **asked: Any) -> Preview:
    """What this agent would get now; with ``since``, what changed in its memory since that moment.

    Args:
        freeze: what it would get now is what its conversation keeps, where it keeps something.
        asked: ``project``, ``query`` and ``budget`` as for :func:`build_context`.
    """
    started = time.perf_counter()
    context = build_context(principal, previewing=True, freeze=freeze, **asked)
    ms = round((time.perf_counter() - started) * 1000)
    # The memory alone is compared, and it gets room before all others.
    before = build_context(principal, previewing=True, at=since, only=(MEMORY,), **asked) if since is not None else None
    compared = before is not None and MEMORY not in dict((*context.omitted, *before.omitted))
    return Preview(
        context=context,
        parts=list(_parts(context, before if compared else None)),
        left_out=list(_left_out(context)),
        withheld=_withheld(principal),
        tokens=sum(estimate_tokens(text) for text in (context.system, context.text)),
        ms=ms,
        since=since,
        compared=compared,
    )


def shown_lines(text: str, lines: Iterable[Line]) -> Iterator[ShownLine]:
    """``text`` line by line. ``lines`` are those that it shows, in its order; each is one line of it."""
    known = iter([line for line in lines if line.item or line.ref[:3] in PLACES])
    awaited, rank = next(known, None), 1
    for piece in re.findall(r"[^\n]*\n|[^\n]+", text):
        if awaited is None or piece.rstrip("\n") != awaited.text:
            yield ShownLine(piece)
            continue
        yield _shown(awaited, piece, why=_why(awaited, rank))
        awaited, rank = next(known, None), rank + 1


def _shown(line: Line, text: str, *, why: str, change: str = "") -> ShownLine:
    page = "item" if line.item else PLACES[line.ref[:3]][0]
    return ShownLine(text, reverse(page, args=[line.ref]), why, change)


def _why(line: Line, rank: int) -> str:
    if not line.item:
        return PLACES[line.ref[:3]][1] % {"rank": rank}
    sort = _(", %(words)s (%(tier)s)") % {"words": TIERS.get(line.tier, ""), "tier": line.tier} if line.tier else ""
    words = _(" It holds: %(words)s.") % {"words": ", ".join(line.matched)} if line.matched else ""
    return _("Belief %(rank)d of this block%(sort)s.%(words)s") % {"rank": rank, "sort": sort, "words": words}


# --- blocks, and how they changed ---------------------------------------------------------------------------------


def _parts(context: Context, before: Context | None) -> Iterator[Part]:
    earlier = _memory_of(before) if before is not None else None
    found = False
    for block in context.built:
        lines = list(shown_lines(block.text, block.content.lines()))
        if before is not None and block.name == MEMORY:
            lines, found = _changed(lines, block.content.groups, earlier.content.groups if earlier else ()), True
        yield Part(block.block.title, _size(block), lines)
    if earlier is not None and not found:
        yield Part(
            earlier.block.title, _("nothing now"), [_gone(line) for line in earlier.content.lines() if line.item]
        )


def _memory_of(context: Context) -> Built | None:
    return next((block for block in context.built if block.name == MEMORY), None)


def _changed(lines: Sequence[ShownLine], now: Sequence[Group], then: Sequence[Group]) -> list[ShownLine]:
    """What is new marked, and what is gone at the end of its group, or of the block where its group is gone too."""
    texts_now, texts_then = ({line.text for group in groups for line in group.lines} for groups in (now, then))
    gone = {group.label: [_gone(line) for line in group.lines if line.text not in texts_now] for group in then}
    ends = {group.lines[-1].text: group.label for group in now if group.lines}
    shown: list[ShownLine] = []
    for line in lines:
        text = line.text.rstrip("\n")
        shown.append(replace(line, change="ins") if line.url and text not in texts_then else line)
        if text in ends:
            shown += gone.pop(ends.pop(text), [])
    return [*shown, *(line for rest in gone.values() for line in rest)]


def _gone(line: Line) -> ShownLine:
    text = f"{line.text}\n"
    return (
        _shown(line, text, why=_("No longer in its memory."), change="del")
        if line.item
        else ShownLine(text, change="del")
    )


def _size(block: Built) -> str:
    if not block.content.counted:
        return _("%(chars)s characters, a budget of its own") % {"chars": thousands(block.chars)}
    if block.block.cap is None:
        return _("%(chars)s characters") % {"chars": thousands(block.chars)}
    return _("%(chars)s of %(most)s") % {"chars": thousands(block.chars), "most": thousands(block.block.cap)}


# --- what is left out ---------------------------------------------------------------------------------------------


def _left_out(context: Context) -> Iterator[str]:
    for block in context.built:
        if block.left_out:
            yield f"{block.block.title}: {_dropped(block.left_out)}."
    for name, reason in context.omitted:
        entry = registry.find(name)
        yield _("%(title)s: left out, %(reason)s.") % {
            "title": entry.title if entry else name,
            "reason": OMITTED[reason],
        }


def _dropped(rows: Sequence[LeftOut]) -> str:
    counts = Counter(row.reason for row in rows)
    return ", ".join(f"{thousands(count)} {DROPPED[reason]}" for reason, count in counts.items())


def _withheld(principal: Principal) -> Withheld:
    waits = Q(status=Status.NEEDS_REVIEW)
    of_privacy = {value: Q(status__in=READABLE, privacy=value) for value in (Privacy.SECRET, Privacy.SENSITIVE)}
    counts = (
        GovernanceItem.objects.visible_to(principal)
        .filter(waits | of_privacy[Privacy.SECRET] | of_privacy[Privacy.SENSITIVE])
        .aggregate(
            waiting=Count("pk", filter=waits),
            secret=Count("pk", filter=of_privacy[Privacy.SECRET]),
            sensitive=Count("pk", filter=of_privacy[Privacy.SENSITIVE]),
        )
    )
    return Withheld(counts["waiting"], counts["secret"], 0 if principal.reads_sensitive else counts["sensitive"])
