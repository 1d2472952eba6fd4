"""The list of the memories panel: what was asked for, what was found, and what to say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.pages.memories.coverage import by, hint, missing
from memory.pages.memories.forms import NOT_LATELY, READABLE_NOW, AddForm, FilterForm
from pawflow_web.identity.models import Agent
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import last_instant, time_of_query
from pawflow_web.web.per_request import per_request
from pawflow_web.web.templatetags.pawflow import thousands
from pawflow_web.web.time_travel import PARAMETERS, no_day
from pawflow_web.web.times import full_time
from review.display.rows import Row, rows_of
from review.models import JournalEntry, Status
from review.readership.use import UNUSED_DAYS
from review.search.filters import ItemFilter
from review.search.find import Coverage, Page, find_items
from review.search.in_use import count_in_use

ROWS = 18
# So many are read at a time when all that match are meant.
_AT_ONCE = 100
_NAMES = (*FilterForm.BAR, *FilterForm.MORE)


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set; ``url`` is the list without it."""

    text: str | Promise
    url: str
    removes: bool = True
    current: bool = False
    # leads to another day on purpose
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Browse:
    """One page of the list. ``here`` is its address without a cursor, ``more`` the address of the next page,
    ``found`` how many match (0: nobody counted)."""

    rows: list[Row]
    form: FilterForm
    selects: list[dict[str, Any]]
    further: list[Any]
    tags: list[str]
    chips: list[FilterChip]
    sentence: str
    missing: str
    # what would find more; empty where there is nothing to say
    hint: str
    here: str
    more: str
    found: int
    total: int
    q: str
    # why nothing was known yet on the day looked at; empty otherwise
    too_early: str


def agents_of(request: HttpRequest) -> list[str]:
    """The names of the person's agents; read once a request."""

    def names() -> list[str]:
        rows = Agent.objects.filter(user_id=person_of(request).user_id).order_by("name")
        return list(rows.values_list("name", flat=True)[:500])

    return per_request(request, "memory.agents", names)


def total_of(request: HttpRequest) -> int:
    """How many memories are in use; counted once a request, as the navigation shows it too."""
    return per_request(request, "memory.total", lambda: count_in_use(person_of(request)))


def browse(request: HttpRequest, given: QueryDict) -> Browse:
    """The page that ``given`` asks for. A value that cannot be is shown as an error and found nothing by."""
    form = FilterForm(given, agents=agents_of(request), auto_id="memories-%s")
    tags = _tags_of(given)
    query = given.get("q", "").strip()
    page = _found(request, form, tags, query, given.get("cursor") or None)
    asked = _asked(given, tags)
    then = any(given.get(name) for name in PARAMETERS)
    return Browse(
        rows=rows_of([hit.item for hit in page.hits], page.words),
        form=form,
        selects=[_select(form, name) for name in FilterForm.BAR],
        further=[form[name] for name in FilterForm.MORE],
        tags=tags,
        chips=_chips(form, asked),
        sentence=_sentence_then(page, query) if then else _sentence(page, query, total_of(request), len(asked)),
        missing=missing(page.coverage),
        hint=hint(page.coverage),
        here=_address(asked),
        more=_address([*asked, ("cursor", page.next)]) if page.next else "",
        found=page.coverage.searched if not query else 0,
        total=total_of(request),
        q=query,
        too_early=_too_early(request, form) if then and not page.hits else "",
    )


def matching(request: HttpRequest, given: QueryDict, most: int) -> tuple[list[str], int]:
    """The references of at most ``most`` beliefs that the list would come to, in its order, and how many match beyond
    them; of a search nobody counts further."""
    form = FilterForm(given, agents=agents_of(request))
    tags, query = _tags_of(given), given.get("q", "").strip()
    refs: list[str] = []
    page = _found(request, form, tags, query, None, limit=_AT_ONCE)
    total = page.coverage.searched
    while True:
        refs += [hit.item.ref for hit in page.hits]
        if page.next is None or len(refs) >= most:
            return refs[:most], 0 if query else max(0, total - len(refs[:most]))
        page = _found(request, form, tags, query, page.next, limit=_AT_ONCE)


def _tags_of(given: QueryDict) -> list[str]:
    return [tag.strip().lower() for tag in given.getlist("tag") if tag.strip()][:20]


def _found(
    request: HttpRequest, form: FilterForm, tags: Sequence[str], query: str, cursor: str | None, *, limit: int = ROWS
) -> Page:
    nothing = Page([], None, Coverage("browse", 0))
    if not form.is_valid():
        return nothing
    try:
        narrowed_to = _narrowed(request, form.cleaned_data, tags)
    except Invalid as error:
        name = next(iter(error.fields))
        form.add_error(name, no_day(form.cleaned_data[name]))
        return nothing
    return find_items(
        person_of(request),
        narrowed_to=narrowed_to,
        query=query or None,
        sort="relevance" if query else "newest",
        limit=limit,
        cursor=cursor,
    )


def _narrowed(request: HttpRequest, wanted: Mapping[str, str], tags: Sequence[str]) -> ItemFilter:
    """Of another day: what agents could read then and may still; with a status, what has that status today."""
    status = wanted["status"] or Status.ACTIVE
    at, known_at = _moments(request, wanted)
    readable = status == READABLE_NOW or (status == Status.ACTIVE and (at or known_at) is not None)
    return ItemFilter(
        fit_for_prompt=readable,
        at=at,
        known_at=known_at,
        statuses=() if readable or status == "any" else (status,),
        kind=wanted["kind"],
        scope=wanted["scope"],
        agent=wanted["agent"],
        categories=(wanted["category"],) if wanted["category"] else (),
        tags=tuple(tags),
        all_tags=True,
        origin=wanted["origin"],
        privacy=wanted["privacy"],
        pinned={"true": True, "false": False}.get(wanted["pinned"]),
        never_used=wanted["used"] == "never",
        unused_days=UNUSED_DAYS if wanted["used"] == NOT_LATELY else 0,
    )


def _moments(request: HttpRequest, wanted: Mapping[str, str]) -> tuple[datetime | None, datetime | None]:
    """The day of the world and the day of knowledge. Raises :class:`Invalid` naming the field."""
    zone = person_of(request).zone
    at, known_at = (
        last_instant(time_of_query(wanted[name]) if wanted[name] else None, zone, field=name) for name in PARAMETERS
    )
    return at, known_at


def _asked(given: QueryDict, tags: Sequence[str]) -> list[tuple[str, str]]:
    """What was asked for, in one order, without what is empty."""
    single = [(name, given.get(name, "").strip()) for name in ("q", *_NAMES) if name != "tag"]
    return [pair for pair in single if pair[1]] + [("tag", tag) for tag in tags]


def _address(asked: Sequence[tuple[str, str]]) -> str:
    return reverse("memories") + (f"?{urlencode(asked)}" if asked else "")


def _select(form: FilterForm, name: str) -> dict[str, Any]:
    field = form[name]
    return {"name": name, "label": field.label, "value": field.value() or "", "options": form.fields[name].choices}  # type: ignore[attr-defined]  # all of them are choices


def _chips(form: FilterForm, asked: Sequence[tuple[str, str]]) -> list[FilterChip]:
    chips = []
    for pair in asked:
        left = [other for other in asked if other != pair]
        chips.append(FilterChip(_chip_text(form, *pair), _address(left), leaves=pair[0] in PARAMETERS))
    return chips


def _chip_text(form: FilterForm, name: str, value: str) -> str:
    if name == "q":
        return _("text: %(words)s") % {"words": value}
    choices = dict(getattr(form.fields[name], "choices", ()))
    return f"{form.fields[name].label}: {choices.get(value, value)}"


def _sentence(page: Page, query: str, total: int, filters: int) -> str:
    """``7 of 1,204, by words``."""
    if query:
        found = {"found": len(page.hits), "searched": thousands(page.coverage.searched), "by": by(page.coverage)}
        if page.next:
            return _("The best %(found)d of %(searched)s searched, %(by)s") % found
        return _("%(found)d of %(searched)s searched, %(by)s") % found
    number = page.coverage.searched
    if filters:
        return _("%(found)s found, %(total)s in use") % {"found": thousands(number), "total": thousands(total)}
    return ngettext("%(found)s belief in use", "%(found)s beliefs in use", number) % {"found": thousands(number)}


def _sentence_then(page: Page, query: str) -> str:
    """The same for another day, of which nobody counted what was in use beside what was found."""
    number = page.coverage.searched
    if query:
        found = {"found": len(page.hits), "searched": thousands(number), "by": by(page.coverage)}
        return _("%(found)d of %(searched)s searched, %(by)s, of that day") % found
    return ngettext("%(found)s belief of that day", "%(found)s beliefs of that day", number) % {
        "found": thousands(number)
    }


def _too_early(request: HttpRequest, form: FilterForm) -> str:
    """Whether the day looked at lies before everything that the journal knows."""
    if not form.is_valid():
        return ""
    _at, known_at = _moments(request, form.cleaned_data)
    first = JournalEntry.objects.filter(user_id=person_of(request).user_id).order_by("seq").values_list("at").first()
    if known_at is None or (first is not None and known_at >= first[0]):
        return ""
    if first is None:
        return _("Nothing was known here on that day, and nothing is yet.")
    began = full_time(timezone.localtime(first[0]))
    return _("Nothing was known here on that day: the journal begins on %(day)s.") % {"day": began}


def add_form(request: HttpRequest, given: QueryDict | None = None) -> AddForm:
    """The form for a new belief, filled with ``given``."""
    return AddForm(given, agents=agents_of(request), auto_id="memories-add-%s")
