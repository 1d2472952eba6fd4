"""The memories panel: what is known, searched and filtered, a form for more, and decisions over many."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from memory.notes.services import Remembered, remember_note
from memory.pages.memories.browse import Browse, add_form, browse, matching
from memory.pages.memories.forms import AddForm
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from pawflow_web.web.paths import own_path, query_of
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
from pawflow_web.web.time_travel import shows_the_past, tells_wrong_times
from review.display import refusals
from review.display.labels import why
from review.display.rows import reader_words
from review.display.steps import kept_from_agents
from review.limits import BULK_MOST
from review.pages.forms import BulkForm
from review.pages.queue.many import Chosen, ask, decide, needs_asking, note_of_many

TEMPLATE = "memory/memories.html"


@shows_the_past
@tells_wrong_times
@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def memories(request: HttpRequest) -> HttpResponse:
    """``/memories``: the list by ``GET``, with the names of ``GET /items``; a new belief by ``POST``."""
    if request.method == "POST":
        return add(request)
    found = browse(request, request.GET)
    status = 422 if found.form.errors else 200
    target = target_of(request)
    context = {"browse": found, "add": add_form(request)}
    if target == "memories-more":
        return render_panel(request, TEMPLATE, context, partial="rows", status=status)
    if target == "memories-list":
        coverage = out_of_band(request, f"{TEMPLATE}#coverage", {**context, "swap": True})
        return render_panel(request, TEMPLATE, context, partial="list", status=status, out_of_band=(coverage,))
    return render_panel(request, TEMPLATE, context, partial="panel", status=status)


def add(request: HttpRequest) -> HttpResponse:
    """Bring the person's words to the gate, and tell in a sentence what became of them."""
    form = add_form(request, request.POST)
    if not form.is_valid():
        return _add_again(request, form, 422)
    given = form.cleaned_data
    try:
        done = remember_note(
            principal=person_of(request),
            text=given["text"],
            tags=form.tag_list(),
            scope=given["scope"] or "global",
            for_agent=given["agent"] or None,
            category=given["category"] or None,
            ttl_days=given["ttl_days"],
        )
    except Tombstoned as error:
        return _add_again(request, form, error.status, notice=_refused(request, error))
    except (Invalid, Conflict) as error:
        form.refused(error.message, error.fields)
        return _add_again(request, form, error.status)
    return _added(request, done)


@require_POST
@person_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Accept, forget or reject the chosen rows, or all that match, each by itself."""
    form = BulkForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("Choose at least one row, and what to do with it."))
    back = own_path(request.POST.get("back", "")) or reverse("memories")
    given = query_of(back.partition("?")[2])
    chosen = Chosen(*form.chosen())
    if form.cleaned_data["whole"]:
        refs, rest = matching(request, given, BULK_MOST)
        chosen = Chosen(refs, rest=rest)
    if needs_asking(form, chosen):
        return ask(request, form, chosen, back=back, target="#memories-list")
    done = decide(request, form, chosen)
    if not wants_partial(request):
        messages.success(request, done.sentence)
        return redirect(back)
    note = note_of_many(request, done)
    forget_all(request)
    context = {"browse": browse(request, given)}
    coverage = out_of_band(request, f"{TEMPLATE}#coverage", {**context, "swap": True})
    headers = {"HX-Retarget": "#memories-list", "HX-Reswap": "outerHTML", "HX-Trigger": "dialog-close"}
    parts = (coverage, note, shell_news(request))
    return render_panel(request, TEMPLATE, context, partial="list", headers=headers, out_of_band=parts)


# --- what became of the words -------------------------------------------------------------------------------------


def _added(request: HttpRequest, done: Remembered) -> HttpResponse:
    fact, detail = _admission_words(done)
    item = done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    waits = item.status == "needs_review"
    url = reverse("review") + f"?item={item.ref}" if waits else reverse("item", args=[item.ref])
    if not wants_partial(request):
        messages.success(request, f"{fact} {detail}")
        return redirect("memories")
    forget_all(request)
    note = toast(request, fact, detail=detail, url=url, url_text=_("Look at it"))
    context = {"add": add_form(request), "browse": None, "added": True}
    return render_panel(
        request,
        TEMPLATE,
        context,
        partial="add",
        status=201,
        headers={"HX-Trigger": "items-changed"},
        out_of_band=(note, shell_news(request)),
    )


def _admission_words(done: Remembered) -> tuple[str, str]:
    """The fact and its consequence."""
    admission, item = done.admission, done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    if admission.outcome == "duplicate":
        return _("Already known as #%(ref)s.") % {"ref": item.ref}, _("Nothing was added.")
    if admission.outcome == "restated":
        return _("Known already as #%(ref)s.") % {"ref": item.ref}, _("It is in use again.")
    if item.status == "active":
        agent = item.scope_agent.name if item.scope_agent else None
        detail = kept_from_agents(item, timezone.now())
        detail = detail or _("In use: %(who)s may read it.") % {"who": reader_words(item.scope, agent)}
        return _("Remembered."), detail
    return _("Kept, but it waits for you."), _("Why: %(why)s.") % {"why": why(admission.reason)}


def _add_again(
    request: HttpRequest, form: AddForm, status: int, *, notice: Mapping[str, str] | None = None
) -> HttpResponse:
    """The form with the words that were typed, and what is wrong."""
    context: dict[str, Any] = {"add": form, "notice": notice, "open": True}
    if not wants_partial(request):
        found: Browse = browse(request, QueryDict())
        context["browse"] = found
    return render_panel(request, TEMPLATE, context, partial="add", status=status)


def _refused(request: HttpRequest, error: Tombstoned) -> dict[str, str]:
    """Why the words are refused, and where the rejection can be looked at and taken back."""
    refusal = refusals.told(person_of(request), str(error.fields["tombstone"]))
    item = refusal.item_ref
    return {"text": refusal.sentence} | ({"url": reverse("item", args=[item]), "url_text": f"#{item}"} if item else {})
