"""The review queue. Deciding works with plain forms; htmx puts the next item in place of the decided one."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.render import person_required, render_panel, target_of
from review.desk import find_item
from review.forms import DecisionForm
from review.outcomes import decide
from review.queue import Wanted, place_of, queue_of, waiting_page
from review.queue_answers import TEMPLATE, item_in_front, next_item, not_done, page_context
from review.rows import rows_of


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
        context = {"desk": item_in_front(request, wanted), "wanted": wanted, "form": DecisionForm()}
        return render_panel(request, TEMPLATE, context, partial="item")
    queue = queue_of(request, wanted)
    context = page_context(request, wanted, item_in_front(request, wanted, queue), queue=queue)
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
        return not_done(request, ref, wanted, error, form)
    return next_item(request, wanted, done, place)
