"""One belief on a page of its own, or beside a list: what it says, where it comes from, what can be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from pawflow_web.identity.models import UserClock
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from review.desk import EVIDENCE_MOST
from review.journal import Event, history
from review.models import Evidence, GovernanceItem, Status
from review.ranges import Interval, ranges_of
from review.readers import check, readers
from review.rows import Row, flags_of, full_rows
from review.sentences import Step, history_steps, source_steps, status_sentence
from review.transitions import TABLE

# Every reader pages through its whole list; with more beliefs than this the page asks before it does so.
CHECK_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Connected:
    """Another belief that this one stands with, and how."""

    how: str
    item: Row


@dataclass(frozen=True, slots=True)
class ItemPage:
    item: Row
    sentence: str
    actions: list[dict[str, Any]]
    sources: list[Step]
    flags: Sequence[Mapping[str, str]] = ()
    history: list[Step] = field(default_factory=list)
    ranges: Mapping[str, Any] | None = None
    connected: list[Connected] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    hash: str = ""
    checks_at_once: bool = False


@dataclass(frozen=True, slots=True)
class ReaderCheck:
    title: str
    finds: bool


def detail_of(item: GovernanceItem, target: str) -> ItemPage:
    """The short form beside a list; ``target`` is the id that an action replaces."""
    return ItemPage(
        item=full_rows([item])[0],
        sentence=status_sentence(item.status, item.reason),
        actions=actions_of(item, target),
        sources=source_steps(item, _evidence(item)),
        flags=flags_of(item),
    )


def page_of(request: HttpRequest, item: GovernanceItem) -> ItemPage:
    """Everything about one belief."""
    principal = person_of(request)
    events = history(item)
    linked = _linked(principal, item)
    shown = full_rows([item, *linked.values()])
    by_ref = {row.ref: row for row in shown}
    return ItemPage(
        item=shown[0],
        sentence=status_sentence(item.status, item.reason),
        actions=actions_of(item, f"#item-{item.ref}"),
        sources=source_steps(item, _evidence(item)),
        flags=flags_of(item),
        history=history_steps(events),
        ranges=_bars(item, linked, by_ref),
        connected=[Connected(how, by_ref[one.ref]) for how, one in linked.items()],
        entries=[event.entry.seq for event in events],
        hash=_grouped(events),
        checks_at_once=UserClock.objects.get(user_id=principal.user_id).number <= CHECK_AT_ONCE,
    )


def check_readers(request: HttpRequest, item: GovernanceItem) -> list[ReaderCheck]:
    """Each way out of the product, asked just now for this person."""
    found = check(person_of(request), item)
    return [ReaderCheck(reader.title, found[reader.name]) for reader in readers.all()]


def actions_of(item: GovernanceItem, target: str) -> list[dict[str, Any]]:
    """What a person can do with it now, for ``components/actions.html``."""
    allowed = TABLE[Status(item.status)]
    actions: list[dict[str, Any]] = []
    if "accept" in allowed and item.contradicts_ref:
        look = reverse("review") + f"?item={item.ref}"
        actions.append({"label": _("Decide in review"), "url": look, "kind": "primary", "icon": "swap"})
    elif "accept" in allowed:
        label = _("Bring back") if item.status == Status.STALE else _("Accept")
        actions.append(_post(item, "accept", label, target, kind="primary", key="a", busy=_("Accepting")))
    if "restore" in allowed:
        actions.append(_post(item, "restore", _("Bring back for review"), target, busy=_("Bringing back")))
    if "forget" in allowed:
        actions.append(_post(item, "forget", _("Forget"), target, key="f", busy=_("Forgetting")))
    if "reject" in allowed:
        actions.append(_post(item, "reject", _("Reject"), target, kind="danger", key="r", busy=_("Rejecting")))
    return actions


def _post(item: GovernanceItem, verb: str, label: str, target: str, **more: str) -> dict[str, Any]:
    return {"label": label, "post": True, "target": target, "url": reverse("item-act", args=[item.ref, verb]), **more}


def _evidence(item: GovernanceItem) -> list[Evidence]:
    return list(Evidence.objects.filter(item=item).order_by("pk")[:EVIDENCE_MOST])


def _linked(principal: Principal, item: GovernanceItem) -> dict[str, GovernanceItem]:
    """The beliefs it replaces, gave way to or contradicts, by how."""
    hows = {
        _("Replaces"): item.supersedes_ref,
        _("Replaced by"): item.superseded_by_ref,
        _("Contradicts"): item.contradicts_ref,
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
    intervals = [
        Interval(f"{how}: {_brief(shown[one.ref].text)}", str(one.status), one.valid.lower, one.valid.upper)
        for how, one in linked.items()
        if not one.valid.isempty
    ]
    if not item.valid.isempty:
        told = _("True in the world") if item.valid.lower else _("True in the world, since when nobody said")
        intervals.append(Interval(told, str(item.status), item.valid.lower, item.valid.upper))
    intervals.append(Interval(_("Known here"), str(item.status), item.recorded_at, item.retired_at))
    return ranges_of(intervals, timezone.now())


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39].rstrip() + "…"


def _grouped(events: Sequence[Event]) -> str:
    """The last seal in groups of four, as far as a person compares."""
    digits = events[-1].entry.hash[:16] if events else ""
    return " ".join(digits[start : start + 4] for start in range(0, len(digits), 4))
