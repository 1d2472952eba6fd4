"""How the pages answer what was done to one belief: the part that asked, or what stands where the person is.

A form of a row, a detail or the page names what it replaces. One in the dialog, or the way back at the edge of the
page, does not: there the address of the page decides.
"""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.paths import own_path
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import (
    nothing_but,
    out_of_band,
    page_behind,
    render_panel,
    shell_news,
    target_of,
    toast,
    wants_partial,
)
from review.display.rows import rows_of
from review.models import GovernanceItem
from review.pages.item.another_day import on_its_day
from review.pages.item.page import detail_of, page_of
from review.pages.outcomes import Outcome, note_of, told
from review.pages.queue.answers import came_back, next_item
from review.pages.queue.desk import find_item
from review.queue.waiting import Wanted

TEMPLATE = "review/item.html"
BESIDE = re.compile(r"([a-z]+)-detail(?:-[0-9a-f]{12})?")
_ROW = re.compile(r"([a-z]+)-[0-9a-f]{12}")
# Lists that fetch themselves anew when they hear that beliefs changed.
_LISTS = ("memories", "kg", "kg-entity")
CHANGED = "dialog-close, items-changed"


def answer(request: HttpRequest, done: Outcome, *, asked: GovernanceItem, place: int) -> HttpResponse:
    """What was asked for over ``asked`` is done.

    Args:
        place: where ``asked`` stood in the queue.
    """
    if not wants_partial(request):
        return _elsewhere(request, done, own_path(request.POST.get("back", "")) or _page_of(done))
    if names_a_part(request):
        note = note_of(request, done)
        forget_all(request)
        return _replaced(request, find_item(person_of(request), done.item.ref), (note, shell_news(request)))
    return _where_the_person_is(request, done, asked, place)


def _where_the_person_is(request: HttpRequest, done: Outcome, asked: GovernanceItem, place: int) -> HttpResponse:
    here, query = _here(request)
    name = here.url_name if here else ""
    if name == "review":
        wanted = Wanted.of(query)
        if done.verb == "undo":
            return came_back(request, wanted, done)
        return next_item(request, wanted, done, place)
    if name == "item" and here is not None and done.item.pk == asked.pk:
        shown = here.kwargs["ref"].lstrip("#")
        if shown in {asked.ref, str(asked.number)}:
            note = note_of(request, done)
            forget_all(request)
            headers = {"HX-Retarget": f"#item-{asked.ref}", "HX-Reswap": "outerHTML", "HX-Trigger": "dialog-close"}
            return _whole(request, done.item.ref, headers, (note, shell_news(request)))
    if name in _LISTS:
        note = note_of(request, done)
        forget_all(request)
        return nothing_but(note, shell_news(request), trigger=CHANGED)
    return _elsewhere(request, done, _page_of(done) if name == "item" else request.path_info, refresh=name != "item")


def refused(request: HttpRequest, ref: str, error: Conflict | Invalid) -> HttpResponse:
    """The belief as it is now, with what stood in the way."""
    found = find_item(person_of(request), ref)
    target = target_of(request)
    if beside := BESIDE.fullmatch(target):
        return detail(request, found, beside[1], notice=error.message, status=error.status)
    row_of = _ROW.fullmatch(target)
    if row_of and row_of[1] != "item":
        context = row_context(found, row_of[1])
        parts = (_not_done(request, error),)
        return render_panel(request, TEMPLATE, context, partial="row", status=error.status, out_of_band=parts)
    if wants_partial(request) and not row_of:
        return nothing_but(_not_done(request, error), shell_news(request), status=error.status, trigger=CHANGED)
    context = {"page": page_of(request, found), "notice": error.message}
    return render_panel(request, TEMPLATE, context, partial="body", status=error.status)


def detail(
    request: HttpRequest,
    found: GovernanceItem,
    panel: str,
    *,
    notice: str = "",
    revealed: str = "",
    status: int = 200,
    parts: tuple[SafeString, ...] = (),
) -> HttpResponse:
    """The belief beside a list. ``revealed`` are the words of a secret, for this answer alone."""
    shown = on_its_day(request, detail_of(found, f"#{panel}-detail-{found.ref}"), found)
    context = {"page": shown, "panel": panel, "notice": notice, "revealed": revealed}
    return render_panel(request, TEMPLATE, context, partial="detail", status=status, out_of_band=parts)


def row_context(found: GovernanceItem, panel: str, *, swap: bool = False, current: bool = False) -> dict[str, object]:
    """The belief as a line of a list."""
    return {"row": rows_of([found])[0], "panel": panel, "swap": swap, "current": current}


def names_a_part(request: HttpRequest) -> bool:
    """Whether the form says itself which row, detail or page the answer replaces."""
    target = target_of(request)
    return bool(BESIDE.fullmatch(target) or _ROW.fullmatch(target))


def _replaced(request: HttpRequest, found: GovernanceItem, parts: tuple[SafeString, ...]) -> HttpResponse:
    """The part of the page that asked, as it is now."""
    target = target_of(request)
    if beside := BESIDE.fullmatch(target):
        row = out_of_band(request, f"{TEMPLATE}#row", row_context(found, beside[1], swap=True, current=True))
        return detail(request, found, beside[1], parts=(row, *parts))
    if (row_of := _ROW.fullmatch(target)) and row_of[1] != "item":
        return render_panel(request, TEMPLATE, row_context(found, row_of[1]), partial="row", out_of_band=parts)
    return _whole(request, found.ref, {}, parts)


def _whole(request: HttpRequest, ref: str, headers: dict[str, str], parts: tuple[SafeString, ...]) -> HttpResponse:
    context = {"page": page_of(request, find_item(person_of(request), ref))}
    return render_panel(request, TEMPLATE, context, partial="body", headers=headers, out_of_band=parts)


def _elsewhere(request: HttpRequest, done: Outcome, url: str, *, refresh: bool = False) -> HttpResponse:
    """A whole page follows, and says there what was done."""
    messages.success(request, told(request, done))
    if refresh:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return HttpResponse(headers={"HX-Redirect": url}) if wants_partial(request) else redirect(url)


def _page_of(done: Outcome) -> str:
    return reverse("item", args=[done.item.ref])


def _here(request: HttpRequest) -> tuple[ResolverMatch | None, QueryDict]:
    """The page that the person looks at, and its query."""
    path, query = page_behind(request)
    try:
        return resolve(path), query
    except Resolver404:
        return None, QueryDict()


def _not_done(request: HttpRequest, error: Conflict | Invalid) -> SafeString:
    return toast(request, _("Not done."), detail=error.message)
