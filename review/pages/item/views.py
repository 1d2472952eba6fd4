"""One belief: its page, its place beside a list, who reads it, and what a person does with it by one press."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, NotFound
from pawflow_web.web import ways_back
from pawflow_web.web.context import belongs_to
from pawflow_web.web.render import person_required, render_panel, target_of, way_back_closed
from pawflow_web.web.time_travel import shows_the_past
from review.journal.proof import prove
from review.lifecycle.sealing import reveal
from review.models import GovernanceItem, Status
from review.pages.forms import DecisionForm
from review.pages.item.another_day import on_its_day
from review.pages.item.answers import BESIDE, TEMPLATE, answer, detail, refused
from review.pages.item.consequence import LEADS, consequence
from review.pages.item.page import page_of
from review.pages.outcomes import decide
from review.pages.queue.desk import find_item
from review.queue.waiting import place_of
from review.readership.receipts import take_receipt


@shows_the_past
@require_safe
@person_required
def item(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>``, also by short number: the page, or the short form beside the list that asked."""
    found = find_item(person_of(request), ref)
    beside = BESIDE.fullmatch(target_of(request))
    if beside:
        return detail(request, found, beside[1])
    belongs_to(request, panel_of(found))
    page = on_its_day(request, page_of(request, found), found)
    return render_panel(request, TEMPLATE, {"page": page}, partial="panel")


@require_safe
@person_required
def item_receipt(request: HttpRequest, ref: str) -> HttpResponse:
    """Every reader, asked just now whether it finds this belief: a page, the card of the item's page, or
    the one line of a note."""
    found = find_item(person_of(request), ref)
    belongs_to(request, panel_of(found))
    receipt = take_receipt(person_of(request), found)
    partial = "line" if "line" in request.GET else "readers"
    return render_panel(request, "review/receipt.html", {"item": found, "receipt": receipt}, partial=partial)


@require_safe
@person_required
def item_consequence(request: HttpRequest, ref: str) -> HttpResponse:
    """What a decision would change; the review page fetches it, so that nobody waits for it to see the item."""
    found = find_item(person_of(request), ref)
    belongs_to(request, panel_of(found))
    verb = request.GET.get("verb", "accept")
    effect = consequence(person_of(request), found, verb, demote=request.GET.get("demote", "")[:40])
    context = {"item": found, "effect": effect, "lead": LEADS.get(verb, LEADS["accept"])}
    return render_panel(request, "review/consequence.html", context, partial="effect")


@require_safe
@person_required
def item_proof(request: HttpRequest, ref: str) -> HttpResponse:
    """The page, its entries of the journal replayed just now."""
    found = find_item(person_of(request), ref)
    belongs_to(request, panel_of(found))
    context = {"page": page_of(request, found), "proof": prove(found)}
    return render_panel(request, TEMPLATE, context, partial="proof")


@require_POST
@person_required
def item_act(request: HttpRequest, ref: str, verb: str) -> HttpResponse:
    """What takes one press; the answer replaces the row, the detail or the page that asked."""
    try:
        asked = find_item(person_of(request), ref)
    except NotFound as error:
        return way_back_closed(request, error)
    place = place_of(asked)
    try:
        done = decide(person_of(request), verb, ref, DecisionForm(request.POST))
    except (Conflict, Invalid) as error:
        if verb == "undo":
            # This way is closed for good: something moved on since.
            ways_back.used(request, reverse("item-act", args=[asked.ref, verb]))
        return refused(request, ref, error)
    return answer(request, done, asked=asked, place=place)


@require_POST
@person_required
def item_reveal(request: HttpRequest, ref: str) -> HttpResponse:
    """The words of a secret, once: in the answer to this press and nowhere else."""
    found = find_item(person_of(request), ref)
    try:
        words = reveal(principal=person_of(request), reference=ref)
    except Conflict as error:
        return refused(request, ref, error)
    beside = BESIDE.fullmatch(target_of(request))
    if beside:
        response = detail(request, found, beside[1], revealed=words)
    else:
        response = render_panel(request, TEMPLATE, {"page": page_of(request, found), "revealed": words}, partial="body")
    response["Cache-Control"] = "no-store"
    return response


def panel_of(found: GovernanceItem) -> str:
    """The entry of the navigation under which a person looks for it."""
    return "review" if found.status == Status.NEEDS_REVIEW else "memories"
