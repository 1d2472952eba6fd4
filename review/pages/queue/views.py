"""The review queue. Deciding works with plain forms; htmx puts the next item in place of the decided one."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web.render import person_required, render_panel, shell_news, target_of
from review.pages.forms import DecisionForm
from review.pages.outcomes import decide
from review.pages.queue.answers import TEMPLATE, item_in_front, next_item, not_done, page_context
from review.pages.queue.desk import find_item
from review.pages.queue.many_run import line_of
from review.queue.waiting import Wanted, lines_of, place_of, queue_of, waiting_page


@require_safe
@person_required
def review(request: HttpRequest) -> HttpResponse:
    """``/review``: the queue and the item that ``item`` names, else the first."""
    wanted = Wanted.of(request.GET)
    target = target_of(request)
    if target == "review-more":
        items, more = waiting_page(request, wanted)
        context = {"rows": lines_of(request, wanted, items), "more": more, "wanted": wanted}
        return render_panel(request, TEMPLATE, context, partial="rows")
    if target == "review-many":
        return _many(request)
    if target == "review-item":
        context = {"desk": item_in_front(request, wanted), "wanted": wanted, "form": DecisionForm()}
        return render_panel(request, TEMPLATE, context, partial="item")
    queue = queue_of(request, wanted)
    context = page_context(request, wanted, item_in_front(request, wanted, queue), queue=queue)
    return render_panel(request, TEMPLATE, context, partial="panel")


def _many(request: HttpRequest) -> HttpResponse:
    """How far the job is that decides many, and at its end what waits now."""
    many = line_of(person_of(request))
    news = () if many is not None and many.open else (shell_news(request),)
    return render_panel(request, TEMPLATE, {"many": many}, partial="many", out_of_band=news)


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
