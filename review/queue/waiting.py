"""The queue of what waits for a person: what it is narrowed to, the numbers above it, and one page of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.db.models import BigIntegerField, Case, F, Q, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.web.per_request import per_request
from review.display import labels
from review.display.rows import Row, rows_of
from review.models import (
    GRAVE,
    WAITING,
    ArchiveRequest,
    GovernanceItem,
    KindName,
    Origin,
    Privacy,
    Reason,
    Status,
)
from review.querysets import ItemQuerySet, first_reason, has_first_reason
from review.queue.folding import FileGroup, Folds, folds
from review.search.find import load_for_display

ROWS = 25
QUERY_MOST = 200
AMONG_MOST = 100
_ORDER = (Reason.CONTRADICTS_ACTIVE, *GRAVE, Reason.NEAR_TOMBSTONE, Reason.SENSITIVE_REVIEW)
_REASONS = "review.reasons"
_FOLDS = "review.folds"
# What needs a person most stands in front of the rest.
_PRESSING = (Reason.CONTRADICTS_ACTIVE, *GRAVE)
# A place in the queue is the number of the item, less this much where it presses: one order, one number.
_IN_FRONT = 10**15


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the queue is narrowed to, and behind which place the list begins; all of it stands in the address.

    ``q`` is a part of the words, ``among`` the numbers of chosen beliefs, ``kind`` the sort of belief.
    """

    reason: str = ""
    file: str = ""
    after: int = 0
    q: str = ""
    among: tuple[int, ...] = ()
    kind: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        after = given.get("after", "")
        digits = after.removeprefix("-")
        place = int(after) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0
        reason, file, q = (given.get(name, "").replace("\0", "") for name in ("reason", "file", "q"))
        numbers = (part for part in given.get("among", "").split(",", AMONG_MOST) if part.isascii() and part.isdigit())
        among = tuple(int(part) for part in numbers if len(part) < 19)
        kind = given.get("kind", "")
        return cls(
            reason[:32], file[:255], place, q.strip()[:QUERY_MOST], among, kind if kind in KindName.values else ""
        )

    def query(self, **more: object) -> str:
        """``?reason=…&item=…``; empty parts are left out."""
        among = ",".join(map(str, self.among))
        parts: dict[str, object] = {"q": self.q, "reason": self.reason, "file": self.file, "among": among}
        parts |= {"kind": self.kind, "after": self.after, **more}
        given = urlencode({name: value for name, value in parts.items() if value})
        return f"?{given}" if given else ""

    def narrow(self, items: ItemQuerySet) -> ItemQuerySet:
        """The same on ``items``, without ``after``."""
        if self.reason:
            items = items.filter(has_first_reason([self.reason]))
        if self.file:
            items = items.filter(Q(evidence__file=self.file) & Q(evidence__origin=Origin.IMPORTER)).distinct()
        if self.kind:
            items = items.filter(kind=self.kind)
        if self.among:
            items = items.filter(number__in=self.among)
        if self.q:
            items = items.filter(text__icontains=self.q).exclude(privacy=Privacy.SECRET)
        return items

    @property
    def everything(self) -> bool:
        """Whether it is narrowed to nothing."""
        return not (self.reason or self.file or self.q or self.among or self.kind)

    @property
    def folds(self) -> bool:
        """Whether what came with one file stands under one row: not where somebody looks for single ones."""
        return not (self.file or self.q or self.among or self.kind) and self.reason in {"", Reason.IMPORT_REVIEW}


def waiting_items(principal: Principal) -> ItemQuerySet:
    """What waits, with its ``place``: what is flagged or contradicts first, then the longest waiting."""
    in_front = Value(_IN_FRONT, output_field=BigIntegerField())
    pressing = When(has_first_reason(_PRESSING), then=F("number") - in_front)
    place = Case(pressing, default=F("number"), output_field=BigIntegerField())
    return GovernanceItem.objects.visible_to(principal).waiting().annotate(place=place).order_by("place")


def place_of(item: GovernanceItem) -> int:
    """The place that the item has, or would have, in the queue."""
    pressing = first_reason(item.reason, contradicts=item.contradicts_id is not None) in _PRESSING
    return item.number - _IN_FRONT if pressing else item.number


def number_at(place: int) -> int:
    """The number of the item at a place."""
    return place + _IN_FRONT if place < 0 else place


def counts(principal: Principal) -> dict[str, Any]:
    """``needs_review``, ``candidate`` and ``archive_requests``, and ``by_reason`` for what waits for a person."""
    numbers = GovernanceItem.objects.visible_to(principal).filter(status__in=WAITING).numbers()
    totals = dict.fromkeys(map(str, WAITING), 0)
    for (status, _reason), number in numbers.items():
        totals[status] += number
    by_reason = {reason: number for (status, reason), number in numbers.items() if status == Status.NEEDS_REVIEW}
    return {**totals, "archive_requests": pending_requests(principal), "by_reason": by_reason}


def reasons_of(request: HttpRequest) -> dict[str, int]:
    """How many wait for which reason; asked once a request, as the navigation needs the sum."""

    def count() -> dict[str, int]:
        numbers = waiting_items(person_of(request)).numbers()
        return {reason: number for (_status, reason), number in numbers.items()}

    return per_request(request, _REASONS, count)


@dataclass(frozen=True, slots=True)
class ReasonChip:
    """One reason for which beliefs wait, and the queue narrowed to it; the first chip is all of them."""

    text: str | Promise
    number: int
    url: str
    current: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the list, and what stands under it."""

    item: Row
    group: FileGroup | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """The left side of the page. ``total`` counts what the chosen chip counts, ``waiting`` everything."""

    rows: list[Line]
    items: list[GovernanceItem]
    more: int
    waiting: int
    total: int
    chips: list[ReasonChip]
    wanted: Wanted
    narrowed: list[ReasonChip]


def queue_of(request: HttpRequest, wanted: Wanted) -> Queue:
    """The chips and one page of rows."""
    principal = person_of(request)
    reasons = reasons_of(request)
    if reasons.get(Reason.IMPORT_REVIEW, 0) < 2:
        # Nothing folds, so nobody need ask.
        per_request(request, _FOLDS, Folds)
    items, more = waiting_page(request, wanted)
    waiting = sum(reasons.values())
    total = reasons.get(wanted.reason, 0) if wanted.reason else waiting
    if wanted.file or wanted.q or wanted.among:
        total = wanted.narrow(waiting_items(principal)).order_by().count()
    return Queue(
        rows=lines_of(request, wanted, items),
        items=items,
        more=more,
        waiting=waiting,
        total=total,
        chips=_chips(wanted, reasons, waiting),
        wanted=wanted,
        narrowed=_narrowed(wanted),
    )


def pending_requests(principal: Principal) -> int:
    """How many wishes of agents to archive something nobody has answered."""
    return ArchiveRequest.objects.pending_of(principal.user_id).count()


def _narrowed(wanted: Wanted) -> list[ReasonChip]:
    """What the queue is narrowed to beside a reason, each leading to the queue without it."""
    here = reverse("review")
    set_ones = {
        "q": _("text: %(words)s") % {"words": wanted.q} if wanted.q else "",
        "file": wanted.file,
        "among": _("%(count)d chosen ones") % {"count": len(wanted.among)} if wanted.among else "",
        "kind": _("kind: %(kind)s") % {"kind": labels.KIND[wanted.kind]} if wanted.kind else "",
    }
    return [
        ReasonChip(text, 0, here + _without(wanted, name).query(), current=True)
        for name, text in set_ones.items()
        if text
    ]


def _without(wanted: Wanted, name: str) -> Wanted:
    empty = type(getattr(wanted, name))()
    return replace(wanted, after=0, **{name: empty})


def folds_of(request: HttpRequest, wanted: Wanted) -> Folds:
    """How that queue folds; asked once a request."""
    return per_request(request, _FOLDS, lambda: folds(person_of(request))) if wanted.folds else Folds()


def shown_items(request: HttpRequest, wanted: Wanted) -> ItemQuerySet:
    """What is a row of its own in that queue, in its order."""
    return wanted.narrow(waiting_items(person_of(request))).filter(folds_of(request, wanted).shown)


def lines_of(request: HttpRequest, wanted: Wanted, items: Sequence[GovernanceItem]) -> list[Line]:
    """Items of the queue as rows."""
    groups = folds_of(request, wanted).groups
    # Where a belief comes from is told beside the list, not in it.
    return [Line(row, groups.get(row.number)) for row in rows_of(items, wanted.q.split(), sources={})]


def waiting_page(request: HttpRequest, wanted: Wanted) -> tuple[list[GovernanceItem], int]:
    """One page of rows and the place behind which the next begins (0: there is none)."""
    items = shown_items(request, wanted)
    if wanted.after:
        items = items.filter(Q(place__gt=wanted.after))
    found = in_full(items[: ROWS + 1])
    page = found[:ROWS]
    return page, place_of(page[-1]) if len(found) > ROWS else 0


def in_full(items: ItemQuerySet) -> list[GovernanceItem]:
    """The same few in their order, with everything that showing them needs. What stands first is found in the rows of
    the items alone: joined with all that belongs to each, a queue of thousands took longer than the whole page."""
    ids = list(items.values_list("pk", flat=True))
    full = load_for_display(ids)
    return [full[pk] for pk in ids if pk in full]


def _chips(wanted: Wanted, reasons: Mapping[str, int], waiting: int) -> list[ReasonChip]:
    here = reverse("review")
    chips = [ReasonChip(_("All"), waiting, here, wanted.everything)]
    order = sorted(reasons, key=lambda reason: (reason not in _ORDER, -reasons[reason], reason))
    for reason in order:
        word = labels.word_of(labels.REASON, reason)
        url = here + Wanted(reason).query()
        chips.append(ReasonChip(word.shown, reasons[reason], url, wanted.reason == reason, reason))
    return chips
