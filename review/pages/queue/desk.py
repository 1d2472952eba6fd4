"""The review desk: the item in front of the person, what speaks for and against it, and the ways on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ids import parse_ref
from review.contradictions.doubts import Doubt, doubt_about
from review.display import labels
from review.display.differences import compared
from review.display.rows import Row, flags_of, full_rows
from review.display.steps import Step, history_steps, source_steps
from review.display.time_bars import Interval, named_by, ranges_of
from review.journal.chain import history
from review.models import Evidence, GovernanceItem, Privacy, Status
from review.queue.waiting import Wanted, folds_of, in_full, number_at, place_of, shown_items, waiting_items
from review.search.find import by_reference

EVIDENCE_MOST = 20


@dataclass(frozen=True, slots=True)
class Side:
    """One of two beliefs that cannot both be true."""

    item: Row
    label: str
    words: SafeString
    quote: str = ""
    spans: Sequence[tuple[int, int]] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """The right side of the page. Without ``item`` the queue is empty, or its end is reached."""

    item: Row | None = None
    heading: str = ""
    place: str = ""
    waits: bool = False
    flags: Sequence[Mapping[str, str]] = ()
    sides: Sequence[Side] = ()
    ranges: Mapping[str, Any] | None = None
    sources: Sequence[Step] = ()
    history: Sequence[Step] = ()
    demote: str = ""
    # in use, and perhaps contradicted by the item: the person may let the item take its place
    replaces: str = ""
    next: int = 0
    back: int = 0


def find_item(principal: Principal, given: str) -> GovernanceItem:
    """The belief that an address names, by reference or by its short number. Raises :class:`NotFound`."""
    bare_number = parse_ref(given) is None and given.isascii() and given.isdigit()
    items = GovernanceItem.objects.visible_to(principal).for_display()
    return by_reference(items, f"#{given}" if bare_number else given)


def desk_of(request: HttpRequest, item: GovernanceItem, wanted: Wanted, *, rival_ref: str = "") -> Desk:
    """Everything that decides over one item.

    Args:
        rival_ref: a belief that is in the way although the item does not name it.
    """
    principal = person_of(request)
    rival = _rival(principal, item, rival_ref)
    doubt = doubt_about(principal, item) if rival is None and item.status == Status.NEEDS_REVIEW else None
    beside = rival if doubt is None else doubt.rival
    both = [item] if beside is None else [item, beside]
    evidence = _evidence([one.pk for one in both])
    sources = {pk: rows[0] for pk, rows in evidence.items()}
    shown = full_rows(both, sources if len(sources) == len(both) else None)
    place, back, further = _place(request, item, wanted)
    mine = evidence.get(item.pk, [])
    return Desk(
        item=shown[0],
        heading=_heading(item, rival, doubt),
        place=place,
        waits=item.status == Status.NEEDS_REVIEW,
        flags=flags_of(item),
        sides=_sides(item, beside, shown, evidence) if beside is not None else (),
        ranges=_contest(item, rival, shown) if rival is not None else None,
        sources=source_steps(item, mine[:EVIDENCE_MOST]),
        history=history_steps(history(item)),
        demote=rival.ref if rival is not None else "",
        replaces=doubt.rival.ref if doubt is not None else "",
        next=further,
        back=back,
    )


def following(request: HttpRequest, wanted: Wanted, place: int) -> GovernanceItem | None:
    """The row that comes after that place, else the last one before it, else none."""
    items = shown_items(request, wanted)
    after = in_full(items.filter(Q(place__gt=place))[:1])
    return next(iter(after or in_full(items.filter(Q(place__lt=place)).reverse()[:1])), None)


def _place(request: HttpRequest, item: GovernanceItem, wanted: Wanted) -> tuple[str, int, int]:
    """``Item 3 of 14``, which counts what is folded too, and the numbers of the rows before and after."""
    here, shown = place_of(item), folds_of(request, wanted).shown
    around = (
        wanted.narrow(waiting_items(person_of(request)))
        .order_by()
        .aggregate(
            before=Count("pk", filter=Q(place__lt=here), distinct=True),
            back=Max("place", filter=Q(place__lt=here) & shown),
            next=Min("place", filter=Q(place__gt=here) & shown),
            total=Count("pk", distinct=True),
        )
    )
    place = ""
    if item.status == Status.NEEDS_REVIEW:
        place = _("Item %(place)d of %(total)d") % {"place": around["before"] + 1, "total": around["total"]}
    return place, number_at(around["back"] or 0), number_at(around["next"] or 0)


def _rival(principal: Principal, item: GovernanceItem, rival_ref: str) -> GovernanceItem | None:
    wanted = rival_ref or (item.contradicts_ref if item.status == Status.NEEDS_REVIEW else "")
    if not wanted:
        return None
    return GovernanceItem.objects.visible_to(principal).for_display().filter(ref=wanted).first()


def _evidence(ids: Sequence[int]) -> dict[int, list[Evidence]]:
    found: dict[int, list[Evidence]] = {}
    rows = Evidence.objects.filter(item_id__in=ids).select_related("conversation__project").order_by("item_id", "pk")
    for row in rows[: 4 * EVIDENCE_MOST]:
        found.setdefault(row.item_id, []).append(row)
    return found


def _heading(item: GovernanceItem, rival: GovernanceItem | None, doubt: Doubt | None) -> str:
    if item.status != Status.NEEDS_REVIEW:
        return str(labels.word_of(labels.STATUS, item.status).shown)
    if doubt is not None:
        difference = labels.DIFFERENCE[doubt.difference]
        return _("%(why)s; it may contradict what is in use: %(difference)s") % {
            "why": labels.why(item.reason),
            "difference": difference,
        }
    return _("these two cannot both be true") if rival is not None else labels.why(item.reason)


def _sides(
    item: GovernanceItem, rival: GovernanceItem, shown: Sequence[Row], evidence: Mapping[int, list[Evidence]]
) -> list[Side]:
    old, new = compared(shown[1].text, shown[0].text)
    return [
        _side(shown[1], _("In use now"), old, rival, evidence.get(rival.pk, [])),
        _side(shown[0], _("Waiting"), new, item, evidence.get(item.pk, [])),
    ]


def _side(shown: Row, label: str, text: SafeString, item: GovernanceItem, evidence: Sequence[Evidence]) -> Side:
    quoted = next((row for row in evidence if row.quote and item.privacy != Privacy.SECRET), None)
    if quoted is None:
        return Side(shown, label, text)
    whole = quoted.span_start is None or quoted.span_end is None
    spans = [] if whole else [(quoted.span_start or 0, quoted.span_end or 0)]
    return Side(shown, label, text, quoted.quote, spans)


def _contest(item: GovernanceItem, rival: GovernanceItem, shown: Sequence[Row]) -> dict[str, Any] | None:
    intervals = [
        Interval(named_by(row.text), str(one.status), one.valid.lower, one.valid.upper)
        for one, row in ((rival, shown[1]), (item, shown[0]))
        if not one.valid.isempty
    ]
    return ranges_of(intervals, timezone.now())
