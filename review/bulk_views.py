"""Deciding many of the queue at once, and taking that back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.web import ways_back
from pawflow_web.web.paths import own_path
from pawflow_web.web.render import (
    htmx_of,
    nothing_but,
    person_required,
    render_panel,
    shell_news,
    toast,
    wants_partial,
)
from review import sitting
from review.forms import BulkForm
from review.lifecycle import undo_batch
from review.limits import BULK_MOST
from review.many import Chosen, ManyDone, ask, decide, needs_asking, note_of_many, taken_back
from review.queue import Wanted, imported_refs, waiting_items
from review.queue_answers import all_anew


@require_POST
@person_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Decide the chosen rows, or all that the queue is narrowed to; what cannot be decided stays and is counted."""
    wanted = Wanted.of(request.GET)
    form = BulkForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("Choose at least one row, and what to do with it."))
    chosen = _all_of(request, wanted) if form.cleaned_data["whole"] else Chosen(*form.chosen())
    if needs_asking(form, chosen):
        return ask(request, form, chosen, back=reverse("review") + wanted.query(), target="#review-list")
    return _told(request, wanted, decide(request, form, chosen))


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
    form = BulkForm.of("accept")
    return _told(request, Wanted(), decide(request, form, Chosen(refs)))


@require_POST
@person_required
def batch_undo(request: HttpRequest, ref: str) -> HttpResponse:
    """Take back what was decided over many, each by itself; what moved on since stays and is counted."""
    way = ways_back.used(request, request.path)
    _batch, results = undo_batch(principal=person_of(request), ref=ref)
    done = sum(result.error is None for result in results)
    if way is not None:
        sitting.count(request, way.deed, -done)
    sentence = taken_back(results)
    here = htmx_of(request).current_url_abs_path or ""
    if not wants_partial(request):
        messages.success(request, sentence)
        return redirect(own_path(request.POST.get("back", "")) or reverse("review"))
    if here.partition("?")[0] == reverse("review"):
        return all_anew(request, Wanted.of(QueryDict(here.partition("?")[2])), toast(request, sentence))
    return nothing_but(toast(request, sentence), shell_news(request), trigger="items-changed")


def _all_of(request: HttpRequest, wanted: Wanted) -> Chosen:
    items = wanted.narrow(waiting_items(person_of(request)))
    refs = list(items.values_list("ref", flat=True)[:BULK_MOST])
    return Chosen(refs, rest=items.order_by().count() - len(refs))


def _told(request: HttpRequest, wanted: Wanted, done: ManyDone) -> HttpResponse:
    if not wants_partial(request):
        messages.success(request, done.sentence)
        return redirect(reverse("review") + wanted.query())
    return all_anew(request, wanted, note_of_many(request, done))
