"""What takes more than a press: other words, an end, what belongs to a belief, a rejection, an erasure.

Each is a page of its own with one form. htmx shows the same form in the dialog; what is not acceptable comes back in
it, with what was typed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from pawflow_web.identity.models import Agent
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from pawflow_web.web import ways_back
from pawflow_web.web.context import belongs_to
from pawflow_web.web.render import person_required, render_panel, wants_partial
from review.display import refusals
from review.lifecycle import correct, edit, end, reject
from review.lifecycle.erasing import Purged, purge
from review.models import GovernanceItem, Privacy
from review.pages.item.answers import answer, names_a_part, refused
from review.pages.item.consequence import LEADS, consequence
from review.pages.item.forms import CorrectForm, EditForm, EndForm, OverOneForm, PurgeForm, RejectForm
from review.pages.item.views import panel_of
from review.pages.outcomes import Outcome, corrected, edited, ended, rejected
from review.pages.queue.desk import find_item
from review.plaintext import words_of
from review.queue.waiting import place_of
from review.readership.receipts import take_receipt

TEMPLATE = "review/question.html"


@dataclass(frozen=True, slots=True)
class Question:
    """How one form asks: its heading, its button, and the decision whose consequence it tells beforehand."""

    title: str | Promise
    verb: str | Promise
    busy: str | Promise
    previewed: str = ""
    note: str | Promise = ""
    danger: bool = False


CORRECT = Question(gettext_lazy("Correct the words"), gettext_lazy("Correct"), gettext_lazy("Correcting"), "correct")
REJECT = Question(
    gettext_lazy("Reject this belief?"), gettext_lazy("Reject"), gettext_lazy("Rejecting"), "reject", danger=True
)
END = Question(gettext_lazy("When did it stop being true?"), gettext_lazy("End"), gettext_lazy("Ending"), "end")
EDIT = Question(gettext_lazy("Change what belongs to it"), gettext_lazy("Save"), gettext_lazy("Saving"))
PURGE = Question(
    gettext_lazy("Erase these words everywhere?"),
    gettext_lazy("Purge"),
    gettext_lazy("Erasing"),
    note=gettext_lazy(
        "The belief, its history's words, its sources and its place in every index are erased, and the words are "
        "refused from now on. The journal keeps that something was erased, not what. This cannot be undone."
    ),
    danger=True,
)


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def item_correct(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>/correct``: other words for it, which make a belief of their own and take its place."""
    found = find_item(person_of(request), ref)

    def decide(form: CorrectForm) -> Outcome:
        done = correct(
            principal=person_of(request),
            reference=ref,
            text=form.cleaned_data["text"],
            override_tombstone=form.cleaned_data["override"],
            **form.decision,
        )
        return corrected(done)

    if request.method == "POST":
        return _decided(request, found, CORRECT, CorrectForm.of(found, request.POST), decide)
    # The words of a secret are not put into a page that only asks.
    text = "" if found.privacy == Privacy.SECRET else words_of(found)
    form = CorrectForm.of(found, initial={"text": text, "revision": found.revision})
    return _asked(request, found, CORRECT, form)


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def item_reject(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>/reject``: asks why; a row's own button rejects without asking."""
    found = find_item(person_of(request), ref)

    def decide(form: RejectForm) -> Outcome:
        done = reject(principal=person_of(request), reference=ref, **form.decision)
        return rejected(done)

    if request.method == "POST":
        return _decided(request, found, REJECT, RejectForm(request.POST, auto_id="reject-%s"), decide)
    return _asked(request, found, REJECT, RejectForm(initial={"revision": found.revision}, auto_id="reject-%s"))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def item_end(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>/end``: it was true, up to a day."""
    found = find_item(person_of(request), ref)

    def decide(form: EndForm) -> Outcome:
        principal = person_of(request)
        done = end(principal=principal, reference=ref, **form.end(principal.zone), **form.decision)
        return ended(done)

    if request.method == "POST":
        return _decided(request, found, END, EndForm(request.POST, auto_id="end-%s"), decide)
    return _asked(request, found, END, EndForm(initial={"revision": found.revision}, auto_id="end-%s"))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def item_edit(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>/edit``: tags, category, who reads it, how private it is, how long it stays."""
    principal = person_of(request)
    found = find_item(principal, ref)
    agents = list(Agent.objects.filter(user_id=principal.user_id).order_by("name").values_list("name", flat=True))

    def decide(form: EditForm) -> Outcome:
        changes = form.changes(principal.zone)
        if not changes:
            return edited(found)
        given = form.cleaned_data
        item = edit(
            principal=principal,
            reference=ref,
            revision=given["revision"] or found.revision,
            changes=changes,
            comment=given["reason"],
        )
        return edited(item)

    if request.method == "POST":
        form = EditForm(request.POST, item=found, agents=agents, auto_id="edit-%s")
        return _decided(request, found, EDIT, form, decide)
    return _asked(request, found, EDIT, EditForm.of(found, agents, auto_id="edit-%s"))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def item_purge(request: HttpRequest, ref: str) -> HttpResponse:
    """``/items/<ref>/purge``: erase it for good, once its reference was typed."""
    found = find_item(person_of(request), ref)
    form = PurgeForm(request.POST if request.method == "POST" else None, auto_id="purge-%s")
    if request.method != "POST":
        return _asked(request, found, PURGE, form)
    if form.is_valid():
        try:
            done = purge(principal=person_of(request), reference=ref, confirm=form.cleaned_data["confirm"].strip())
        except (Conflict, Invalid) as error:
            form.refused(error.message, error.fields)
        else:
            return _purged(request, found, done)
    return _asked(request, found, PURGE, form, status=422)


# --- answers ----------------------------------------------------------------------------------------------------


def _decided(
    request: HttpRequest, found: GovernanceItem, question: Question, form: Any, decide: Callable[[Any], Outcome]
) -> HttpResponse:
    """Do it, or ask again with what is wrong."""
    place = place_of(found)
    if not form.is_valid():
        return _asked(request, found, question, form, status=422)
    try:
        done = decide(form)
    except Tombstoned as error:
        told = refusals.told(person_of(request), str(error.fields.get("tombstone", "")))
        form.refused(told.sentence, {"text": told.sentence})
        form.offer_override()
        return _asked(request, found, question, form, status=error.status)
    except (Conflict, Invalid) as error:
        if names_a_part(request):
            return refused(request, found.ref, error)
        form.refused(error.message, error.fields)
        return _asked(request, found, question, form, status=error.status)
    return answer(request, done, asked=found, place=place)


def _asked(
    request: HttpRequest, found: GovernanceItem, question: Question, form: OverOneForm, *, status: int = 200
) -> HttpResponse:
    belongs_to(request, panel_of(found))
    context: Mapping[str, Any] = {
        "item": found,
        "question": question,
        "form": form,
        "effect": consequence(person_of(request), found, question.previewed) if question.previewed else "",
        "lead": LEADS.get(question.previewed, ""),
        "action": request.path,
        "back": reverse("item", args=[found.ref]),
    }
    return render_panel(request, TEMPLATE, context, partial="question", status=status)


def _purged(request: HttpRequest, found: GovernanceItem, done: Purged) -> HttpResponse:
    """Its page is gone, and so is every way back to what it was; what is left is told once."""
    ways_back.closed(request, reverse("item-act", args=[found.ref, "undo"]))
    receipt = take_receipt(person_of(request), found)
    told = _("Purged. %(receipt)s The words are refused from now on.") % {"receipt": receipt.sentence}
    if done.same_words:
        others = ", ".join(f"#{ref}" for ref in done.same_words)
        told += " " + _("The same words stand elsewhere and were not touched: %(refs)s.") % {"refs": others}
    messages.success(request, told)
    url = reverse("memories")
    return HttpResponse(headers={"HX-Redirect": url}) if wants_partial(request) else redirect(url)
