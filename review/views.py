"""The review queue. Deciding works with plain forms; htmx puts the next item in place of the decided one."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import (
    out_of_band,
    page_title,
    person_required,
    render_panel,
    shell_news,
    target_of,
    toast,
    wants_partial,
)
from review.desk import Desk, desk_of, find_item, following
from review.forms import BulkForm, DecisionForm
from review.lifecycle import decide_many
from review.limits import BULK_MOST
from review.models import GovernanceItem
from review.outcomes import Outcome, bulk_words, decide, toast_of
from review.queue import Queue, Wanted, imported_refs, place_of, queue_of, waiting_items, waiting_page
from review.rows import rows_of

TEMPLATE = "review/review.html"


@require_safe
@person_required
def review(request: HttpRequest) -> HttpResponse:
    """``/review``: the queue and the item that ``item`` names, else the first."""
    wanted = Wanted.of(request.GET)
    target = target_of(request)
    if target == "review-more":
        items, more = waiting_page(person_of(request), wanted)
        context = {"rows": rows_of(items), "more": more, "wanted": wanted}
        return render_panel(request, TEMPLATE, context, partial="rows")
    if target == "review-item":
        context = {"desk": _asked_for(request, wanted), "wanted": wanted, "form": DecisionForm()}
        return render_panel(request, TEMPLATE, context, partial="item")
    queue = queue_of(request, wanted)
    context = _page(request, wanted, _asked_for(request, wanted, queue), queue=queue)
    return render_panel(request, TEMPLATE, context, partial="panel")


@require_POST
@person_required
def decide_one(request: HttpRequest, ref: str, verb: str) -> HttpResponse:
    """Accept or reject one item, then go on to the next. What stands in the way is shown with the item as it is."""
    wanted = Wanted.of(request.GET)
    form = DecisionForm(request.POST)
    place = place_of(find_item(person_of(request), ref))
    try:
        done = decide(person_of(request), verb, ref, form)
    except (Conflict, Invalid) as error:
        return _not_done(request, ref, wanted, error, form)
    return _next(request, wanted, done, place)


@require_POST
@person_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Decide the chosen rows, each by itself; what cannot be decided stays and is counted."""
    wanted = Wanted.of(request.GET)
    form = BulkForm(request.POST)
    refs, revisions = form.chosen()
    if not form.is_valid() or not refs or form.cleaned_data["verb"] == "forget":
        raise Invalid(_("Choose at least one row, and accept or reject."))
    return _decide_many(request, wanted, form.cleaned_data["verb"], refs, revisions, form.cleaned_data["reason"])


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def accept_file(request: HttpRequest) -> HttpResponse:
    """Accept what came with one file and waits for nothing but a look: first the question, then the deed."""
    file = Wanted.of(request.POST if request.method == "POST" else request.GET).file
    refs, waiting = imported_refs(person_of(request), file)
    if request.method != "POST":
        context = {"file": file, "number": len(refs), "rest": waiting - len(refs), "most": BULK_MOST}
        return render_panel(request, "review/accept_file.html", context, partial="question")
    if not refs:
        raise Conflict(_("Nothing of this file waits any more."))
    return _decide_many(request, Wanted(), "accept", refs, {}, "")


# --- answers ----------------------------------------------------------------------------------------------------


def window_title(waiting: int) -> str:
    """``Review (14)``."""
    return f"{_('Review')} ({waiting})" if waiting else _("Review")


def _page(
    request: HttpRequest, wanted: Wanted, desk: Desk, *, queue: Queue | None = None, **more: Any
) -> dict[str, Any]:
    queue = queue or queue_of(request, wanted)
    shared = {
        "queue": queue,
        "window_title": window_title(queue.waiting),
        "rows": queue.rows,
        "more": queue.more,
        "wanted": wanted,
    }
    return {**shared, "desk": desk, "form": DecisionForm(), **more}


def _asked_for(request: HttpRequest, wanted: Wanted, queue: Queue | None = None) -> Desk:
    """The item that the address names, else the first of the list."""
    given = request.GET.get("item", "")
    listed = queue.items if queue is not None else []
    if given:
        known = (item for item in listed if given in {item.ref, str(item.number)})
        item = next(known, None) or find_item(person_of(request), given)
        return desk_of(request, item, wanted)
    first = next(iter(listed), None) if queue is not None else _first(request, wanted)
    return desk_of(request, first, wanted) if first is not None else Desk()


def _first(request: HttpRequest, wanted: Wanted) -> GovernanceItem | None:
    items = wanted.narrow(waiting_items(person_of(request))).for_display()
    return (items.filter(Q(place__gt=wanted.after)) if wanted.after else items).first()


def _not_done(
    request: HttpRequest, ref: str, wanted: Wanted, error: Conflict | Invalid, form: DecisionForm
) -> HttpResponse:
    """The item as it is now, with what stands in the way and the words that were typed."""
    rival = str(error.fields.get("contradicts") or error.fields.get("duplicate_of") or "")
    item = find_item(person_of(request), ref)
    desk = desk_of(request, item, wanted, rival_ref=rival)
    again = DecisionForm(initial={"reason": form.data.get("reason", "")})
    context: Mapping[str, Any] = {"desk": desk, "wanted": wanted, "form": again, "refusal": error.message}
    if not wants_partial(request):
        context = _page(request, wanted, desk, form=again, refusal=error.message)
    return render_panel(request, TEMPLATE, context, partial="item", status=error.status)


def _next(request: HttpRequest, wanted: Wanted, done: Outcome, place: int) -> HttpResponse:
    """What follows the place of the decided item."""
    upcoming = following(person_of(request), wanted, place)
    here = reverse("review") + wanted.query(item=upcoming.ref if upcoming else "")
    if not wants_partial(request):
        messages.success(request, f"{done.fact} {done.detail}", extra_tags=done.item.status)
        return redirect(f"{here}#review-heading")
    forget_all(request)
    desk = desk_of(request, upcoming, wanted) if upcoming is not None else Desk()
    context = _page(request, wanted, desk, was_last=upcoming is None)
    parts = (_list_out_of_band(request, context), toast_of(request, done), _frame(request, context))
    return render_panel(request, TEMPLATE, context, partial="item", headers={"HX-Replace-Url": here}, out_of_band=parts)


def _frame(request: HttpRequest, context: Mapping[str, Any]) -> SafeString:
    """The frame of the page, the title of the window with it."""
    return page_title(window_title(context["queue"].waiting)) + shell_news(request)


def _list_out_of_band(request: HttpRequest, context: Mapping[str, Any]) -> SafeString:
    return out_of_band(request, f"{TEMPLATE}#list", {**context, "swap": True})


def _decide_many(
    request: HttpRequest, wanted: Wanted, verb: str, refs: list[str], revisions: Mapping[str, int], comment: str
) -> HttpResponse:
    _batch, results = decide_many(
        principal=person_of(request), action=verb, references=refs, revisions=revisions, comment=comment
    )
    sentence = bulk_words(verb, results)
    here = reverse("review") + wanted.query()
    if not wants_partial(request):
        messages.success(request, sentence)
        return redirect(here)
    forget_all(request)
    first = _first(request, wanted)
    desk = desk_of(request, first, wanted) if first is not None else Desk()
    context = _page(request, wanted, desk, was_last=first is None)
    item = out_of_band(request, "review/item_out_of_band.html", context)
    headers = {
        "HX-Retarget": "#review-list",
        "HX-Reswap": "outerHTML",
        "HX-Trigger": "dialog-close",
        "HX-Replace-Url": here,
    }
    parts = (item, toast(request, sentence), _frame(request, context))
    return render_panel(request, TEMPLATE, context, partial="list", headers=headers, out_of_band=parts)
