"""The list of the memories panel: what was asked for, what was found, and what to say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.forms import AddForm, FilterForm
from pawflow_web.identity.models import Agent
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import last_instant
from pawflow_web.web.per_request import per_request
from pawflow_web.web.templatetags.pawflow import thousands
from review.filters import ItemFilter
from review.find import Coverage, Page, find_items
from review.models import GovernanceItem, Status
from review.rows import Row, rows_of

ROWS = 20
_NAMES = (*FilterForm.BAR, *FilterForm.MORE)
_MISSING = {
    "index_behind": "the newest ones are still being read",
    "candidate_budget": "more beliefs hold these words than can be paged through",
}


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set; ``url`` is the list without it."""

    text: str | Promise
    url: str
    removes: bool = True
    current: bool = False


@dataclass(frozen=True, slots=True)
class Browse:
    """One page of the list. ``here`` is its address without a cursor, ``more`` the address of the next page."""

    rows: list[Row]
    form: FilterForm
    selects: list[dict[str, Any]]
    further: list[Any]
    tags: list[str]
    chips: list[FilterChip]
    sentence: str
    missing: str
    here: str
    more: str
    total: int
    q: str


def agents_of(request: HttpRequest) -> list[str]:
    """The names of the person's agents; read once a request."""

    def names() -> list[str]:
        rows = Agent.objects.filter(user_id=person_of(request).user_id).order_by("name")
        return list(rows.values_list("name", flat=True)[:500])

    return per_request(request, "memory.agents", names)


def total_of(request: HttpRequest) -> int:
    """How many memories are in use; counted once a request, as the navigation shows it too."""
    rows = GovernanceItem.objects.visible_to(person_of(request)).filter(status=Status.ACTIVE)
    return per_request(request, "memory.total", rows.count)


def browse(request: HttpRequest, given: QueryDict) -> Browse:
    """The page that ``given`` asks for. A value that cannot be is shown as an error and found nothing by."""
    form = FilterForm(given, agents=agents_of(request), auto_id="memories-%s")
    tags = [tag.strip().lower() for tag in given.getlist("tag") if tag.strip()][:20]
    query = given.get("q", "").strip()
    page = _found(request, form, tags, query, given.get("cursor") or None)
    asked = _asked(given, tags)
    return Browse(
        rows=rows_of([hit.item for hit in page.hits], page.words),
        form=form,
        selects=[_select(form, name) for name in FilterForm.BAR],
        further=[form[name] for name in FilterForm.MORE],
        tags=tags,
        chips=_chips(form, asked),
        sentence=_sentence(page, query, total_of(request), len(asked)),
        missing=_missing(page.coverage),
        here=_address(asked),
        more=_address([*asked, ("cursor", page.next)]) if page.next else "",
        total=total_of(request),
        q=query,
    )


def _found(request: HttpRequest, form: FilterForm, tags: Sequence[str], query: str, cursor: str | None) -> Page:
    nothing = Page([], None, Coverage("browse", 0))
    if not form.is_valid():
        return nothing
    try:
        narrowed_to = _narrowed(request, form.cleaned_data, tags)
    except Invalid as error:
        form.add_error("as_of", error.message)
        return nothing
    return find_items(
        person_of(request),
        narrowed_to=narrowed_to,
        query=query or None,
        sort="relevance" if query else "newest",
        limit=ROWS,
        cursor=cursor,
    )


def _narrowed(request: HttpRequest, wanted: Mapping[str, str], tags: Sequence[str]) -> ItemFilter:
    status = wanted["status"] or Status.ACTIVE
    return ItemFilter(
        at=last_instant(wanted["as_of"] or None, person_of(request).zone, field="as_of"),
        statuses=() if status == "any" else (status,),
        kind=wanted["kind"],
        scope=wanted["scope"],
        agent=wanted["agent"],
        categories=(wanted["category"],) if wanted["category"] else (),
        tags=tuple(tags),
        all_tags=True,
        origin=wanted["origin"],
        privacy=wanted["privacy"],
        pinned={"true": True, "false": False}.get(wanted["pinned"]),
    )


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
        chips.append(FilterChip(_chip_text(form, *pair), _address(left)))
    return chips


def _chip_text(form: FilterForm, name: str, value: str) -> str:
    if name == "q":
        return _("text: %(words)s") % {"words": value}
    choices = dict(getattr(form.fields[name], "choices", ()))
    return f"{form.fields[name].label}: {choices.get(value, value)}"


def _sentence(page: Page, query: str, total: int, filters: int) -> str:
    """``7 of 1,204, by words``."""
    if query:
        found = {"found": len(page.hits), "searched": thousands(page.coverage.searched)}
        if page.next:
            return _("The best %(found)d of %(searched)s searched, by words") % found
        return _("%(found)d of %(searched)s searched, by words") % found
    number = page.coverage.searched
    if filters:
        return _("%(found)s found, %(total)s in use") % {"found": thousands(number), "total": thousands(total)}
    return ngettext("%(found)s belief in use", "%(found)s beliefs in use", number) % {"found": thousands(number)}


def _missing(coverage: Coverage) -> str:
    if coverage.complete:
        return ""
    reasons = ", ".join(_MISSING.get(reason, reason.replace("_", " ")) for reason in coverage.reasons)
    return _("Not complete: %(reasons)s.") % {"reasons": reasons}


def add_form(request: HttpRequest, given: QueryDict | None = None) -> AddForm:
    """The form for a new belief, filled with ``given``."""
    return AddForm(given, agents=agents_of(request), auto_id="memories-add-%s")
