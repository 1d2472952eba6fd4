"""One belief: its page, its place beside a list, and what a person does with it."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.context import belongs_to
from pawflow_web.web.paths import own_path
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import (
    out_of_band,
    person_required,
    render_panel,
    shell_news,
    target_of,
    toast,
    wants_partial,
)
from review.desk import find_item
from review.forms import DecisionForm
from review.item_page import check_readers, detail_of, page_of
from review.models import GovernanceItem, Status
from review.outcomes import decide, toast_of
from review.rows import rows_of

TEMPLATE = "review/item.html"
_BESIDE = re.compile(r"([a-z]+)-detail")
_ACTED_IN = re.compile(r"([a-z]+)-detail-[0-9a-f]{12}")
_ROW = re.compile(r"([a-z]+)-[0-9a-f]{12}")


@require_safe
@person_required
def item(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>``, also by short number: the page, or the short form beside the list that asked."""
    found = find_item(person_of(request), ref)
    beside = _BESIDE.fullmatch(target_of(request))
    if beside:
        return _detail(request, found, beside[1])
    belongs_to(request, _panel_of(found))
    return render_panel(request, TEMPLATE, {"page": page_of(request, found)}, partial="panel")


@require_safe
@person_required
def item_readers(request: HttpRequest, ref: str) -> HttpResponse:
    """Every reader, asked just now whether it finds this belief."""
    found = find_item(person_of(request), ref)
    shown = detail_of(found, "") if wants_partial(request) else page_of(request, found)
    context = {"page": shown, "checks": check_readers(request, found)}
    return render_panel(request, TEMPLATE, context, partial="readers")


@require_POST
@person_required
def item_act(request: HttpRequest, ref: str, verb: str) -> HttpResponse:
    """Accept, reject, forget or restore; the answer replaces the row, the detail or the page that asked."""
    try:
        done = decide(person_of(request), verb, ref, DecisionForm(request.POST))
    except (Conflict, Invalid) as error:
        return _refused(request, ref, error)
    status = done.item.status
    if not wants_partial(request):
        messages.success(request, f"{done.fact} {done.detail}", extra_tags=status)
        return redirect(own_path(request.POST.get("back", "")) or reverse("item", args=[ref]))
    forget_all(request)
    return _replaced(request, find_item(person_of(request), ref), (toast_of(request, done), shell_news(request)))


def _panel_of(found: GovernanceItem) -> str:
    """The entry of the navigation under which a person looks for it."""
    return "review" if found.status == Status.NEEDS_REVIEW else "memories"


# --- answers ----------------------------------------------------------------------------------------------------


def _detail(
    request: HttpRequest,
    found: GovernanceItem,
    panel: str,
    *,
    notice: str = "",
    status: int = 200,
    parts: tuple[SafeString, ...] = (),
) -> HttpResponse:
    shown = detail_of(found, f"#{panel}-detail-{found.ref}")
    context = {"page": shown, "panel": panel, "notice": notice}
    return render_panel(request, TEMPLATE, context, partial="detail", status=status, out_of_band=parts)


def _replaced(request: HttpRequest, found: GovernanceItem, parts: tuple[SafeString, ...]) -> HttpResponse:
    """The part of the page that asked, as it is now."""
    target = target_of(request)
    if beside := _ACTED_IN.fullmatch(target):
        row = out_of_band(request, f"{TEMPLATE}#row", _row(found, beside[1], swap=True, current=True))
        return _detail(request, found, beside[1], parts=(row, *parts))
    if (row_of := _ROW.fullmatch(target)) and row_of[1] != "item":
        return render_panel(request, TEMPLATE, _row(found, row_of[1]), partial="row", out_of_band=parts)
    return render_panel(request, TEMPLATE, {"page": page_of(request, found)}, partial="body", out_of_band=parts)


def _row(found: GovernanceItem, panel: str, *, swap: bool = False, current: bool = False) -> dict[str, object]:
    return {"row": rows_of([found])[0], "panel": panel, "swap": swap, "current": current}


def _refused(request: HttpRequest, ref: str, error: Conflict | Invalid) -> HttpResponse:
    """The belief as it is now, with what stood in the way."""
    found = find_item(person_of(request), ref)
    target = target_of(request)
    if beside := _ACTED_IN.fullmatch(target):
        return _detail(request, found, beside[1], notice=error.message, status=error.status)
    if (row_of := _ROW.fullmatch(target)) and row_of[1] != "item":
        note = toast(request, _("Not done."), detail=error.message, status="rejected")
        context = _row(found, row_of[1])
        return render_panel(request, TEMPLATE, context, partial="row", status=error.status, out_of_band=(note,))
    context = {"page": page_of(request, found), "notice": error.message}
    return render_panel(request, TEMPLATE, context, partial="body", status=error.status)
