"""The review queue as a person works through it: the list, the item in front of them, and the ways on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

from django.db.models import Case, CharField, Count, F, Max, Min, Q, Value, When
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ids import parse_ref
from pawflow_web.web import words
from review.compare import compared
from review.find import by_reference
from review.journal import history
from review.lifecycle import BULK_MOST
from review.models import Evidence, GovernanceItem, Origin, Privacy, Status
from review.querysets import ItemQuerySet
from review.queue import flags_of
from review.ranges import Interval, ranges_of
from review.rows import Row, full_rows, rows_of
from review.sentences import Step, history_steps, source_steps, why

ROWS = 25
# Above so many at once a person is asked first.
ASK_ABOVE = 20
EVIDENCE_MOST = 20
# Findings are graver than a contradiction; everything else comes second to it.
_GRAVE = ("injection_flagged", "scanner_unavailable", "secret")
_WHY = Case(
    When(Q(contradicts__isnull=False) & ~Q(reason__in=_GRAVE), then=Value("contradicts_active")),
    default=F("reason"),
    output_field=CharField(),
)
_ORDER = ("contradicts_active", *_GRAVE, "near_tombstone", "sensitive_review")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the queue is narrowed to, and behind which item the list begins; all of it stands in the address."""

    reason: str = ""
    file: str = ""
    after: int = 0

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        after = given.get("after", "")
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0
        return cls(given.get("reason", "")[:32], given.get("file", "")[:255], number)

    def query(self, **more: object) -> str:
        """``?reason=…&item=…``; empty parts are left out."""
        parts = {"reason": self.reason, "file": self.file, "after": self.after, **more}
        given = urlencode({name: value for name, value in parts.items() if value})
        return f"?{given}" if given else ""

    def narrow(self, items: ItemQuerySet) -> ItemQuerySet:
        """The same on ``items``, without ``after``."""
        if self.reason:
            items = items.annotate(why=_WHY).filter(why=self.reason)
        if self.file:
            items = items.filter(Q(evidence__file=self.file) & Q(evidence__origin=Origin.IMPORTER)).distinct()
        return items


def waiting_items(principal: Principal) -> ItemQuerySet:
    """What waits, the longest waiting first."""
    rows = GovernanceItem.objects.visible_to(principal).filter(status=Status.NEEDS_REVIEW)
    return rows.order_by("recorded_at", "pk")


def reasons_of(request: HttpRequest) -> dict[str, int]:
    """How many wait for which reason; asked once a request, as the navigation needs the sum."""
    kept: dict[str, int] | None = getattr(request, "_review_reasons", None)
    if kept is None:
        rows = waiting_items(person_of(request)).order_by().annotate(why=_WHY).values_list("why")
        kept = dict(rows.annotate(n=Count("pk")))
        request._review_reasons = kept  # type: ignore[attr-defined]  # kept for the rest of the request
    return kept


def forget_reasons(request: HttpRequest) -> None:
    """After a decision the numbers are others."""
    request._review_reasons = None  # type: ignore[attr-defined]


def find_item(principal: Principal, given: str) -> GovernanceItem:
    """The belief that an address names, by reference or by its short number. Raises :class:`NotFound`."""
    bare_number = parse_ref(given) is None and given.isascii() and given.isdigit()
    items = GovernanceItem.objects.visible_to(principal).for_display()
    return by_reference(items, f"#{given}" if bare_number else given)


# --- the list -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chip:
    text: str | Promise
    number: int
    url: str
    current: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Beliefs of one import that wait for nothing but a look."""

    file: str
    number: int
    look: str
    asks: bool
    at_once: int


@dataclass(frozen=True, slots=True)
class Queue:
    """The left side of the page. ``total`` counts what the chosen chip counts, ``waiting`` everything."""

    rows: list[Row]
    items: list[GovernanceItem]
    more: int
    waiting: int
    total: int
    chips: list[Chip]
    files: list[FileGroup]
    wanted: Wanted


def queue_of(request: HttpRequest, wanted: Wanted) -> Queue:
    """The chips, the groups by file and one page of rows."""
    principal = person_of(request)
    reasons = reasons_of(request)
    items, more = page_of(principal, wanted)
    waiting = sum(reasons.values())
    total = reasons.get(wanted.reason, 0) if wanted.reason else waiting
    if wanted.file:
        total = wanted.narrow(waiting_items(principal)).order_by().count()
    files = _files(principal) if reasons.get("import_review", 0) > 1 else []
    return Queue(rows_of(items), items, more, waiting, total, _chips(wanted, reasons, waiting), files, wanted)


def page_of(principal: Principal, wanted: Wanted) -> tuple[list[GovernanceItem], int]:
    """One page of rows and the number behind which the next begins (0: there is none)."""
    items = wanted.narrow(waiting_items(principal)).for_display()
    if wanted.after:
        items = items.filter(number__gt=wanted.after)
    found = list(items[: ROWS + 1])
    page = found[:ROWS]
    return page, page[-1].number if len(found) > ROWS else 0


def _chips(wanted: Wanted, reasons: Mapping[str, int], waiting: int) -> list[Chip]:
    everything = not (wanted.reason or wanted.file)
    chips = [Chip(_("All"), waiting, "/review", everything)]
    order = sorted(reasons, key=lambda reason: (reason not in _ORDER, -reasons[reason], reason))
    for reason in order:
        word = words.word_of(words.REASON, reason)
        url = "/review" + Wanted(reason).query()
        chips.append(Chip(word.shown, reasons[reason], url, wanted.reason == reason, reason))
    return chips


def _files(principal: Principal) -> list[FileGroup]:
    rows = (
        Evidence.objects.filter(item__in=_plain_imports(principal).values("pk"), origin=Origin.IMPORTER)
        .exclude(file="")
        .values_list("file")
        .annotate(n=Count("item", distinct=True))
        .filter(n__gt=1)
        .order_by("-n", "file")[:5]
    )
    return [
        FileGroup(file, number, "/review" + Wanted(file=file).query(), number > ASK_ABOVE, min(number, BULK_MOST))
        for file, number in rows
    ]


def imported_refs(principal: Principal, file: str) -> tuple[list[str], int]:
    """The references of at most :data:`BULK_MOST` plain imports of one file, oldest first, and how many there
    are."""
    items = Wanted(file=file).narrow(_plain_imports(principal)).order_by("number")
    return list(items.values_list("ref", flat=True)[:BULK_MOST]), items.order_by().count()


def _plain_imports(principal: Principal) -> ItemQuerySet:
    return waiting_items(principal).filter(reason="import_review", contradicts__isnull=True).order_by()


# --- the item in front of the person ----------------------------------------------------------------------------


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
    effect: str = ""
    sources: Sequence[Step] = ()
    history: Sequence[Step] = ()
    demote: str = ""
    next: int = 0
    back: int = 0
    # what stands in the way of the last decision
    notice: str = ""


def desk_of(request: HttpRequest, item: GovernanceItem, wanted: Wanted, *, rival_ref: str = "") -> Desk:
    """Everything that decides over one item.

    Args:
        rival_ref: a belief that is in the way although the item does not name it.
    """
    principal = person_of(request)
    rival = _rival(principal, item, rival_ref)
    shown = full_rows([item] if rival is None else [item, rival])
    evidence = _evidence([item.pk] if rival is None else [item.pk, rival.pk])
    place, back, further = _place(principal, item, wanted)
    mine = evidence.get(item.pk, [])
    return Desk(
        item=shown[0],
        heading=_heading(item, rival),
        place=place,
        waits=item.status == Status.NEEDS_REVIEW,
        flags=flags_of(item),
        sides=_sides(item, rival, shown, evidence) if rival is not None else (),
        ranges=_contest(item, rival, shown) if rival is not None else None,
        effect=_effect(shown, item, rival),
        sources=source_steps(item, mine[:EVIDENCE_MOST]),
        history=history_steps(history(item)),
        demote=rival.ref if rival is not None else "",
        next=further,
        back=back,
    )


def following(principal: Principal, wanted: Wanted, number: int) -> GovernanceItem | None:
    """The item that comes after the one with that number, else the last one before it, else none."""
    items = wanted.narrow(waiting_items(principal)).for_display()
    return items.filter(number__gt=number).first() or items.filter(number__lt=number).last()


def _place(principal: Principal, item: GovernanceItem, wanted: Wanted) -> tuple[str, int, int]:
    """``Item 3 of 14``, and the numbers of the items before and after."""
    around = (
        wanted.narrow(waiting_items(principal))
        .order_by()
        .aggregate(
            before=Count("pk", filter=Q(number__lt=item.number), distinct=True),
            back=Max("number", filter=Q(number__lt=item.number)),
            next=Min("number", filter=Q(number__gt=item.number)),
            total=Count("pk", distinct=True),
        )
    )
    place = ""
    if item.status == Status.NEEDS_REVIEW:
        place = _("Item %(place)d of %(total)d") % {"place": around["before"] + 1, "total": around["total"]}
    return place, around["back"] or 0, around["next"] or 0


def _rival(principal: Principal, item: GovernanceItem, rival_ref: str) -> GovernanceItem | None:
    wanted = rival_ref or (item.contradicts_ref if item.status == Status.NEEDS_REVIEW else "")
    if not wanted:
        return None
    return GovernanceItem.objects.visible_to(principal).for_display().filter(ref=wanted).first()


def _evidence(ids: Sequence[int]) -> dict[int, list[Evidence]]:
    found: dict[int, list[Evidence]] = {}
    for row in Evidence.objects.filter(item_id__in=ids).order_by("item_id", "pk")[: 4 * EVIDENCE_MOST]:
        found.setdefault(row.item_id, []).append(row)
    return found


def _heading(item: GovernanceItem, rival: GovernanceItem | None) -> str:
    if item.status != Status.NEEDS_REVIEW:
        return str(words.word_of(words.STATUS, item.status).shown).lower()
    return _("these two cannot both be true") if rival is not None else why(item.reason)


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
        Interval(_brief(row.text), str(one.status), one.valid.lower, one.valid.upper)
        for one, row in ((rival, shown[1]), (item, shown[0]))
        if not one.valid.isempty
    ]
    return ranges_of(intervals, timezone.now())


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 36 else line[:35].rstrip() + "…"


def _effect(shown: Sequence[Row], item: GovernanceItem, rival: GovernanceItem | None) -> str:
    """What accepting changes for whom, as far as it is certain."""
    if item.privacy == Privacy.SECRET:
        return _("It counts as in use, but no agent ever reads it: it looks like a secret.")
    may = _("%(who)s may read it.") % {"who": shown[0].shown_scope}
    if item.privacy == Privacy.SENSITIVE:
        may = _("it is in use for you. It is sensitive: agents do not read it.")
    if rival is None:
        return may
    return _("%(may)s #%(ref)s gives way and stays in the history.") % {"may": may, "ref": rival.ref}
