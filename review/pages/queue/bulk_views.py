"""Deciding many of the queue at once, and taking that back."""

from contextlib import suppress

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pawflow_web.identity.person import person_of, user_of
from pawflow_web.jobs.reading import find_run
from pawflow_web.jobs.services import cancel_run
from pawflow_web.lib.errors import Conflict, Invalid, InvalidTransition, NotFound
from pawflow_web.lib.ids import new_ref
from pawflow_web.web import ways_back
from pawflow_web.web.paths import own_path
from pawflow_web.web.render import (
    nothing_but,
    page_behind,
    person_required,
    render_panel,
    shell_news,
    toast,
    wants_partial,
    way_back_closed,
)
from review.lifecycle import undo_batch
from review.pages import sitting
from review.pages.forms import BulkForm
from review.pages.queue.answers import TEMPLATE, all_anew
from review.pages.queue.many import Chosen, ManyDone, ask, decide, needs_asking, note_of_many, taken_back, under_way
from review.pages.queue.many_run import line_of
from review.queue.background import begin_undo
from review.queue.matching import Matching
from review.queue.waiting import Wanted


@require_POST
@person_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Decide the chosen rows, or all that the queue is narrowed to; what cannot be decided stays and is counted."""
    wanted = Wanted.of(request.GET)
    form = BulkForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("Choose at least one row, and what to do with it."))
    chosen = Chosen(*form.chosen())
    if form.cleaned_data["whole"]:
        chosen = Chosen.all_of(Matching.now(person_of(request), wanted, upto=form.cleaned_data["upto"]))
    if needs_asking(form, chosen):
        return ask(request, form, chosen, back=reverse("review") + wanted.query(), target="#review-list")
    return _told(request, wanted, decide(request, form, chosen))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def accept_file(request: HttpRequest) -> HttpResponse:
    """Accept what came with one file and waits for nothing but a look: first the question, then the deed."""
    wanted = Wanted(file=Wanted.of(request.POST if request.method == "POST" else request.GET).file)
    if request.method != "POST":
        matching = Matching.now(person_of(request), wanted, plain=True)
        context = {"file": wanted.file, "number": matching.number, "upto": matching.upto, "question": new_ref()}
        return render_panel(request, "review/accept_file.html", context, partial="question")
    given = request.POST.copy()
    given.update({"verb": "accept", "sure": "on"})
    form = BulkForm(given)
    if not form.is_valid():
        raise Invalid(_("This form cannot be read. Reload the page and decide again."))
    matching = Matching.now(person_of(request), wanted, plain=True, upto=form.cleaned_data["upto"])
    if not matching.number:
        raise Conflict(_("Nothing of this file waits any more."))
    return _told(request, Wanted(), decide(request, form, Chosen.all_of(matching)))


@require_POST
@person_required
def batch_undo(request: HttpRequest, ref: str) -> HttpResponse:
    """Take back what was decided over many, each by itself; what moved on since stays and is counted."""
    try:
        run = begin_undo(user=user_of(request), ref=ref)
    except (NotFound, InvalidTransition) as error:
        return way_back_closed(request, error)
    way = ways_back.used(request, request.path)
    if run is not None:
        return _back(request, under_way("undo", run.arguments["number"]))
    _batch, results = undo_batch(principal=person_of(request), ref=ref)
    done = sum(result.error is None for result in results)
    if way is not None:
        sitting.count(request, way.deed, -done)
    return _back(request, taken_back(results))


@require_POST
@person_required
def cancel_many(request: HttpRequest, ref: str) -> HttpResponse:
    """Ask for the end of a job that decides many; what it decided until then stays, and can be taken back."""
    # It may have come to its end meanwhile; the line says so.
    with suppress(InvalidTransition):
        cancel_run(find_run(person_of(request), ref))
    if not wants_partial(request):
        return redirect("review")
    return render_panel(request, TEMPLATE, {"many": line_of(person_of(request))}, partial="many")


def _back(request: HttpRequest, sentence: str) -> HttpResponse:
    here, query = page_behind(request)
    if not wants_partial(request):
        messages.success(request, sentence)
        return redirect(own_path(request.POST.get("back", "")) or reverse("review"))
    if here == reverse("review"):
        return all_anew(request, Wanted.of(query), toast(request, sentence))
    if here == reverse("memories"):
        return nothing_but(toast(request, sentence), shell_news(request), trigger="items-changed")
    # Any other page may show one of them, and would go on showing it as it was.
    messages.success(request, sentence)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _told(request: HttpRequest, wanted: Wanted, done: ManyDone) -> HttpResponse:
    # Of a job the page has a line of its own.
    if not wants_partial(request):
        if done.run is None:
            messages.success(request, done.sentence)
        return redirect(reverse("review") + wanted.query())
    return all_anew(request, wanted, note_of_many(request, done) if done.run is None else SafeString(""))
