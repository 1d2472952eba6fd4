"""One belief on a page of its own, or beside a list: what it says, where it comes from, what can be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from review.display.rows import Row, flags_of, full_rows
from review.display.steps import Step, history_steps, source_steps, status_sentence, use_steps
from review.display.time_bars import Interval, named_by, ranges_of
from review.journal.chain import Event, history
from review.kinds import Part, kind_of
from review.models import Evidence, GovernanceItem, JournalEntry, UseEvent
from review.pages.item.actions import Actions, actions_of
from review.pages.queue.desk import EVIDENCE_MOST

# The newest of each: a page tells, it does not list everything.
USES_SHOWN = 3
ENTRIES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Connected:
    """Another belief that this one stands with, and how."""

    how: str
    item: Row


@dataclass(frozen=True, slots=True)
class ItemPage:
    """``entries`` are the numbers of its newest entries in the journal, ``earlier`` how many more there are."""

    item: Row
    sentence: str
    actions: Actions
    sources: list[Step]
    flags: Sequence[Mapping[str, str]] = ()
    history: list[Step] = field(default_factory=list)
    ranges: Mapping[str, Any] | None = None
    connected: list[Connected] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    earlier: int = 0
    hash: str = ""
    parts: Sequence[Part] = ()


def detail_of(item: GovernanceItem, target: str) -> ItemPage:
    """The short form beside a list; ``target`` is the id that an action replaces."""
    return ItemPage(
        item=full_rows([item])[0],
        sentence=status_sentence(item, timezone.now()),
        actions=actions_of(item, target),
        sources=source_steps(item, _evidence(item)),
        flags=flags_of(item),
        parts=kind_of(item).parts(item),
    )


def page_of(request: HttpRequest, item: GovernanceItem) -> ItemPage:
    """Everything about one belief."""
    events = history(item)
    linked = _linked(person_of(request), item)
    shown = full_rows([item, *linked.values()])
    by_ref = {row.ref: row for row in shown}
    entries = [event.entry.seq for event in events]
    return ItemPage(
        item=shown[0],
        sentence=status_sentence(item, timezone.now()),
        actions=actions_of(item, f"#item-{item.ref}", can_be_undone=_can_be_undone(item, events)),
        sources=source_steps(item, _evidence(item)),
        flags=flags_of(item),
        history=_told(item, events, linked),
        ranges=_bars(item, linked, by_ref),
        connected=[Connected(_HOWS[how](), by_ref[one.ref]) for how, one in linked.items()],
        entries=entries[-ENTRIES_SHOWN:],
        earlier=max(0, len(entries) - ENTRIES_SHOWN),
        hash=grouped(events[-1].entry.hash) if events else "",
        parts=kind_of(item).parts(item),
    )


def _told(item: GovernanceItem, events: Sequence[Event], linked: Mapping[str, GovernanceItem]) -> list[Step]:
    """What happened to it and who used it, the newest first."""
    uses = UseEvent.objects.filter(item=item).order_by("-at")[:USES_SHOWN]
    steps = history_steps(events, item=item, before=linked.get("supersedes"))
    return sorted([*steps, *use_steps(uses)], key=lambda step: step.at or item.recorded_at, reverse=True)


def _can_be_undone(item: GovernanceItem, events: Sequence[Event]) -> bool:
    """Whether a decision that moved it stands, and did more than bring it."""
    taken_back = {event.entry.undoes for event in events}
    moves = [event.entry for event in events if event.entry.moved and event.entry.undoes is None]
    standing = [entry for entry in moves if entry.decision not in taken_back]
    if not standing:
        return False
    last = standing[-1]
    if last.seq != events[0].entry.seq:
        return True
    # What brought it may have moved others: the one whose words it corrects, or whose place it took.
    of_decision = JournalEntry.objects.filter(user_id=item.user_id, decision=last.decision)
    return of_decision.exclude(item_id=item.pk).exists()


def _evidence(item: GovernanceItem) -> list[Evidence]:
    return list(Evidence.objects.filter(item=item).order_by("pk")[:EVIDENCE_MOST])


_HOWS = {
    "supersedes": lambda: _("Replaces"),
    "superseded_by": lambda: _("Replaced by"),
    "contradicts": lambda: _("Contradicts"),
}


def _linked(principal: Principal, item: GovernanceItem) -> dict[str, GovernanceItem]:
    """The beliefs it replaces, gave way to or contradicts, by how."""
    hows = {
        "supersedes": item.supersedes_ref,
        "superseded_by": item.superseded_by_ref,
        "contradicts": item.contradicts_ref,
    }
    wanted = [ref for ref in hows.values() if ref]
    if not wanted:
        return {}
    rows = GovernanceItem.objects.visible_to(principal).for_display().filter(ref__in=wanted)
    found = {row.ref: row for row in rows}
    return {how: found[ref] for how, ref in hows.items() if ref in found}


def _bars(
    item: GovernanceItem, linked: Mapping[str, GovernanceItem], shown: Mapping[str, Row]
) -> Mapping[str, Any] | None:
    """When it was true in the world, what stood before and after it, and since when it is known here."""
    places = {"supersedes": _("Before it"), "superseded_by": _("After it"), "contradicts": _("Against it")}
    intervals = [
        Interval(f"{places[how]}: {named_by(shown[one.ref].text)}", str(one.status), one.valid.lower, one.valid.upper)
        for how, one in linked.items()
        if not one.valid.isempty
    ]
    if not item.valid.isempty:
        told = _("True in the world, since when nobody said")
        if item.valid.lower:
            told = _("True in the world, from %(day)s") % {"day": _day(item.valid.lower)}
        intervals.append(Interval(told, str(item.status), item.valid.lower, item.valid.upper))
    known = _("Known here, from %(day)s") % {"day": _day(item.recorded_at)}
    intervals.append(Interval(known, str(item.status), item.recorded_at, item.retired_at))
    return ranges_of(intervals, timezone.now())


def _day(moment: Any) -> str:
    return date_format(timezone.localtime(moment), "j M Y")


def grouped(seal: str) -> str:
    """The start of a seal in groups of four, as far as a person compares."""
    return " ".join(seal[start : start + 4] for start in range(0, min(len(seal), 16), 4))
