"""How the review page answers a decision: the next item, the same one with what stood in the way, or all anew."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import out_of_band, page_title, render_panel, shell_news, wants_partial
from review.models import GovernanceItem
from review.pages import sitting
from review.pages.forms import DecisionForm
from review.pages.outcomes import Outcome, note_of, told
from review.pages.queue.desk import Desk, desk_of, find_item, following
from review.pages.queue.many_run import above_of
from review.queue.waiting import Queue, Wanted, in_full, queue_of, shown_items

TEMPLATE = "review/review.html"
# Wherever the decision was asked for, its answer takes the place of the item.
INTO_THE_DESK = {"HX-Retarget": "#review-item", "HX-Reswap": "innerHTML", "HX-Trigger": "dialog-close"}


def window_title(waiting: int) -> str:
    """``Review (14)``."""
    return f"{_('Review')} ({waiting})" if waiting else _("Review")


def page_context(
    request: HttpRequest, wanted: Wanted, desk: Desk, *, queue: Queue | None = None, **more: Any
) -> dict[str, Any]:
    """What the whole page needs."""
    queue = queue or queue_of(request, wanted)
    requests, many = above_of(person_of(request))
    shared = {
        "queue": queue,
        "window_title": window_title(queue.waiting),
        "rows": queue.rows,
        "more": queue.more,
        "wanted": wanted,
        "sitting": sitting.told(request),
        "requests": requests,
        "many": many,
    }
    return {**shared, "desk": desk, "form": DecisionForm(), **more}


def item_in_front(request: HttpRequest, wanted: Wanted, queue: Queue | None = None) -> Desk:
    """The item that the address names, else the first of the list."""
    given = request.GET.get("item", "")
    listed = queue.items if queue is not None else []
    if given:
        known = (item for item in listed if given in {item.ref, str(item.number)})
        item = next(known, None) or find_item(person_of(request), given)
        return desk_of(request, item, wanted)
    first = next(iter(listed), None) if queue is not None else first_of(request, wanted)
    return desk_of(request, first, wanted) if first is not None else Desk()


def first_of(request: HttpRequest, wanted: Wanted) -> GovernanceItem | None:
    items = shown_items(request, wanted)
    if wanted.after:
        items = items.filter(Q(place__gt=wanted.after))
    return next(iter(in_full(items[:1])), None)


def not_done(
    request: HttpRequest, ref: str, wanted: Wanted, error: Conflict | Invalid, form: DecisionForm
) -> HttpResponse:
    """The item as it is now, with what stands in the way and the words that were typed."""
    rival = str(error.fields.get("contradicts") or error.fields.get("duplicate_of") or "")
    item = find_item(person_of(request), ref)
    desk = desk_of(request, item, wanted, rival_ref=rival)
    again = DecisionForm(initial={"reason": form.data.get("reason", "")})
    context: Mapping[str, Any] = {"desk": desk, "wanted": wanted, "form": again, "refusal": error.message}
    if not wants_partial(request):
        context = page_context(request, wanted, desk, form=again, refusal=error.message)
    return render_panel(request, TEMPLATE, context, partial="item", status=error.status, headers=INTO_THE_DESK)


def next_item(request: HttpRequest, wanted: Wanted, done: Outcome, place: int) -> HttpResponse:
    """What follows the place of the decided item."""
    forget_all(request)
    return _went_on(request, wanted, done, following(request, wanted, place))


def came_back(request: HttpRequest, wanted: Wanted, done: Outcome) -> HttpResponse:
    """The item itself, as a decision over it was taken back."""
    forget_all(request)
    return _went_on(request, wanted, done, find_item(person_of(request), done.item.ref))


def _went_on(request: HttpRequest, wanted: Wanted, done: Outcome, shown: GovernanceItem | None) -> HttpResponse:
    here = reverse("review") + wanted.query(item=shown.ref if shown else "")
    if not wants_partial(request):
        messages.success(request, told(request, done))
        return redirect(f"{here}#review-heading")
    note = note_of(request, done)
    desk = desk_of(request, shown, wanted) if shown is not None else Desk()
    context = page_context(request, wanted, desk, was_last=shown is None)
    parts = (list_beside(request, context), note, frame(request, context))
    headers = {**INTO_THE_DESK, "HX-Replace-Url": here}
    return render_panel(request, TEMPLATE, context, partial="item", headers=headers, out_of_band=parts)


def all_anew(request: HttpRequest, wanted: Wanted, note: SafeString) -> HttpResponse:
    """The list and the first item, after a decision over many."""
    forget_all(request)
    first = first_of(request, wanted)
    desk = desk_of(request, first, wanted) if first is not None else Desk()
    context = page_context(request, wanted, desk, was_last=first is None)
    item = out_of_band(request, "review/item_out_of_band.html", context)
    headers = {
        "HX-Retarget": "#review-list",
        "HX-Reswap": "outerHTML",
        "HX-Trigger": "dialog-close",
        "HX-Replace-Url": reverse("review") + wanted.query(),
    }
    parts = (item, note, frame(request, context))
    return render_panel(request, TEMPLATE, context, partial="list", headers=headers, out_of_band=parts)


def frame(request: HttpRequest, context: Mapping[str, Any]) -> SafeString:
    """The frame of the page, the title of the window with it."""
    return page_title(window_title(context["queue"].waiting)) + shell_news(request)


def list_beside(request: HttpRequest, context: Mapping[str, Any]) -> SafeString:
    return out_of_band(request, f"{TEMPLATE}#list", {**context, "swap": True})
