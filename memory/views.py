"""The memories panel: what is known, searched and filtered, a form for more, and decisions over many."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from memory.browse import Browse, add_form, browse
from memory.forms import AddForm
from memory.notes.services import Remembered, remember_note
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, DomainError, Invalid, Tombstoned
from pawflow_web.web.paths import own_path
from pawflow_web.web.render import nav_count, out_of_band, person_required, render_panel, toast, wants_partial
from review.desk import forget_reasons
from review.forms import BulkForm
from review.lifecycle import BulkResult, decide_many, forget
from review.models import JournalEntry, Tombstone
from review.outcomes import bulk_words
from review.rows import reader_words
from review.sentences import why
from review.views import chosen

TEMPLATE = "memory/memories.html"


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def memories(request: HttpRequest) -> HttpResponse:
    """``/memories``: the list by ``GET``, with the names of ``GET /items``; a new belief by ``POST``."""
    if request.method == "POST":
        return add(request)
    found = browse(request, request.GET)
    status = 422 if found.form.errors else 200
    target = request.headers.get("HX-Target", "") if wants_partial(request) else ""
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
        notice = {"text": _refused_words(person_of(request).user_id, str(error.fields["tombstone"]))}
        return _add_again(request, form, error.status, notice=notice | _refused_item(error))
    except (Invalid, Conflict) as error:
        form.refused(error.message, error.fields)
        return _add_again(request, form, error.status)
    return _added(request, done)


@require_POST
@person_required
def bulk(request: HttpRequest) -> HttpResponse:
    """Accept, forget or reject the chosen rows, each by itself."""
    form = BulkForm(request.POST)
    refs, revisions = chosen(request)
    if not form.is_valid() or not refs:
        raise Invalid(_("Choose at least one row, and what to do with it."))
    verb, note = form.cleaned_data["verb"], form.cleaned_data["reason"]
    if verb == "forget":
        results = [
            _each(ref, lambda ref: forget(principal=person_of(request), reference=ref, note=note)) for ref in refs
        ]
    else:
        _batch, results = decide_many(
            principal=person_of(request), action=verb, references=refs, revisions=revisions, note=note
        )
    sentence = bulk_words(verb, results)
    back = own_path(request.POST.get("back", "")) or reverse("memories")
    if not wants_partial(request):
        messages.success(request, sentence)
        return redirect(back)
    forget_reasons(request)
    context = {"browse": browse(request, QueryDict(back.partition("?")[2]))}
    coverage = out_of_band(request, f"{TEMPLATE}#coverage", {**context, "swap": True})
    parts = (coverage, toast(request, sentence), nav_count(request, "review"))
    return render_panel(request, TEMPLATE, context, partial="list", out_of_band=parts)


def _each(ref: str, decide: Callable[[str], Any]) -> BulkResult:
    try:
        decide(ref)
    except DomainError as error:
        return BulkResult(ref, error=error)
    return BulkResult(ref, status="stale")


# --- what became of the words -------------------------------------------------------------------------------------


def _added(request: HttpRequest, done: Remembered) -> HttpResponse:
    fact, detail, status = _admission_words(done)
    item = done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    waits = item.status == "needs_review"
    url = reverse("review") + f"?item={item.ref}" if waits else reverse("item", args=[item.ref])
    if not wants_partial(request):
        messages.success(request, f"{fact} {detail}", extra_tags=status)
        return redirect("memories")
    note = toast(request, fact, detail=detail, status=status, url=url, url_text=_("Look at it"))
    context = {"add": add_form(request), "browse": None, "added": True}
    return render_panel(
        request,
        TEMPLATE,
        context,
        partial="add",
        status=201,
        headers={"HX-Trigger": "items-changed"},
        out_of_band=(note, nav_count(request, "review")),
    )


def _admission_words(done: Remembered) -> tuple[str, str, str]:
    """The fact, its consequence and the status word for its colour."""
    admission, item = done.admission, done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    if admission.outcome == "duplicate":
        return _("Already known as #%(ref)s.") % {"ref": item.ref}, _("Nothing was added."), item.status
    if admission.outcome == "restated":
        return _("Known already as #%(ref)s.") % {"ref": item.ref}, _("It is in use again."), item.status
    if item.status == "active":
        agent = item.scope_agent.name if item.scope_agent else None
        detail = _("In use: %(who)s may read it.") % {"who": reader_words(item.scope, agent)}
        return _("Remembered."), detail, item.status
    return _("Kept, but it waits for you."), _("Why: %(why)s.") % {"why": why(admission.reason)}, item.status


def _add_again(
    request: HttpRequest, form: AddForm, status: int, *, notice: Mapping[str, str] | None = None
) -> HttpResponse:
    """The form with the words that were typed, and what is wrong."""
    context: dict[str, Any] = {"add": form, "notice": notice, "open": True}
    if not wants_partial(request):
        found: Browse = browse(request, QueryDict())
        context["browse"] = found
    return render_panel(request, TEMPLATE, context, partial="add", status=status)


def _refused_words(user_id: int, ref: str) -> str:
    """``You rejected this on 2 May (“wrong city”), so it was not stored.``"""
    stone = Tombstone.objects.filter(user_id=user_id, ref=ref).first()
    if stone is None:
        return _("You rejected this, so it was not stored.")
    day = date_format(localtime(stone.at), "j F Y")
    entry = (
        JournalEntry.objects.filter(item_id=stone.item_id, verb="reject")
        .select_related("payload")
        .order_by("-seq")
        .first()
    )
    note = entry.payload.note if entry is not None and hasattr(entry, "payload") else ""
    if note:
        return _("You rejected this on %(day)s (“%(note)s”), so it was not stored.") % {"day": day, "note": note}
    return _("You rejected this on %(day)s, so it was not stored.") % {"day": day}


def _refused_item(error: Tombstoned) -> dict[str, str]:
    """Where the rejection can be looked at and taken back, if its belief is still there."""
    item = Tombstone.objects.filter(ref=str(error.fields["tombstone"])).values_list("item_ref", flat=True).first()
    return {"url": reverse("item", args=[item]), "url_text": f"#{item}"} if item else {}
