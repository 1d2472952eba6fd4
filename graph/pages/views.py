"""The panel of the knowledge graph: facts in a list, a fact more, and what stands around an entity."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from graph.facts.adding import Added, add_fact
from graph.facts.suggesting import names_like
from graph.limits import NAME_MOST
from graph.pages.browse import browse
from graph.pages.connected import connected_of
from graph.pages.entity import find_entity, page_of
from graph.pages.forms import NewFactForm, new_fact_form
from graph.pages.paths import path_of
from graph.pages.standing import standing_at
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from pawflow_web.web.context import belongs_to
from pawflow_web.web.paths import own_path
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import (
    htmx_of,
    out_of_band,
    page_title,
    person_required,
    render_panel,
    shell_news,
    target_of,
    toast,
    wants_partial,
)
from pawflow_web.web.time_travel import shows_the_past
from review.display import refusals
from review.display.labels import why

LIST, ENTITY, CONNECTED = "graph/kg.html", "graph/entity.html", "graph/connected.html"


@shows_the_past
@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def kg(request: HttpRequest) -> HttpResponse:
    """``/kg``: facts that hold, narrowed by words and predicate; a new one by ``POST``."""
    if request.method == "POST":
        return add(request)
    found = browse(request, request.GET)
    status = 422 if found.form.errors else 200
    context = {"browse": found, "add": new_fact_form()}
    target = target_of(request)
    if target == "kg-more":
        return render_panel(request, LIST, context, partial="rows", status=status)
    if target == "kg-list":
        parts = _beside(request, LIST, context, "numbers", "coverage")
        return render_panel(request, LIST, context, partial="list", status=status, out_of_band=parts)
    return render_panel(request, LIST, context, partial="panel", status=status)


@shows_the_past
@require_safe
@person_required
def entity(request: HttpRequest, ref: str) -> HttpResponse:
    """``/kg/<ref>``: what is known about a person, a place or a thing, and what stands around it."""
    found, predicates = find_entity(person_of(request), ref)
    target = target_of(request)
    page = page_of(request, found, predicates, request.GET, whole=target != "kg-more")
    context: dict[str, Any] = {"page": page, "add": new_fact_form(found.name)}
    status = 422 if page.form.errors else 200
    if target == "kg-more":
        return render_panel(request, ENTITY, context, partial="rows", status=status)
    to = "" if page.form.errors else page.form.cleaned_data["to"].strip()
    context["path"] = path_of(person_of(request), found, to) if to else None
    if target == "kg-view":
        # Before the drawing: after it, htmx would take the title of a node for that of the window.
        context["window_title"] = page_title(found.name)
        parts = _beside(request, ENTITY, context, "head", "detail")
        return render_panel(request, ENTITY, context, partial="view", status=status, out_of_band=parts)
    return render_panel(request, ENTITY, context, partial="panel", status=status)


@require_safe
@person_required
def connected(request: HttpRequest) -> HttpResponse:
    """``/kg/connected``: the best connected entities and their groups, fetched by the list as they take a while."""
    context = {"connected": connected_of(person_of(request))}
    return render_panel(request, CONNECTED, context, partial="cards")


@require_safe
@person_required
def standing(request: HttpRequest) -> HttpResponse:
    """``/kg/standing``: what holds already where the form is about to say something."""
    if not wants_partial(request):
        return redirect("kg")
    context = {"standing": standing_at(person_of(request), request.GET)}
    return render_panel(request, "graph/standing.html", context)


@require_safe
@person_required
def names(request: HttpRequest) -> HttpResponse:
    """``/kg/names``: names like the one that is being typed, for the fields that take one."""
    if not wants_partial(request):
        return redirect("kg")
    typed = request.GET.get(htmx_of(request).trigger_name or "", "").replace("\0", "")[:NAME_MOST]
    found = names_like(person_of(request), typed) if typed.strip() else []
    return render_panel(request, "graph/names.html", {"names": found})


def _beside(request: HttpRequest, template: str, context: Mapping[str, Any], *parts: str) -> tuple[SafeString, ...]:
    """Parts of the same page that stand elsewhere on it and change too."""
    return tuple(out_of_band(request, f"{template}#{part}", {**context, "swap": True}) for part in parts)


# --- a new fact -----------------------------------------------------------------------------------------------------


def add(request: HttpRequest) -> HttpResponse:
    """Bring the person's fact to the gate, and tell in a sentence what became of it."""
    form = NewFactForm(request.POST, auto_id="kg-add-%s")
    if not form.is_valid():
        return _add_again(request, form, 422)
    try:
        done = add_fact(principal=person_of(request), fact=form.fact())
    except Tombstoned as error:
        return _add_again(request, form, error.status, notice=_refused(request, error))
    except (Invalid, Conflict) as error:
        form.refused(error.message, error.fields)
        return _add_again(request, form, error.status)
    return _added(request, done, form.cleaned_data["subject"])


def _added(request: HttpRequest, done: Added, subject: str) -> HttpResponse:
    item = done.admission.item
    assert item is not None  # noqa: S101 - only refusals have none, and they are raised
    fact, detail = _told(done)
    if not wants_partial(request):
        messages.success(request, f"{fact} {detail}".rstrip())
        return redirect(own_path(request.POST.get("back", "")) or reverse("kg"))
    forget_all(request)
    url = reverse("review") + f"?item={item.ref}" if item.status == "needs_review" else reverse("item", args=[item.ref])
    note = toast(request, fact, detail=detail, url=url, url_text=_("Look at it"))
    # Whoever says one thing about somebody often says another.
    context = {"add": new_fact_form(subject), "added": True}
    return render_panel(
        request,
        LIST,
        context,
        partial="add",
        status=201,
        headers={"HX-Trigger": "items-changed"},
        out_of_band=(note, shell_news(request)),
    )


def _told(done: Added) -> tuple[str, str]:
    """What became of it, and what that means."""
    admission, item = done.admission, done.admission.item
    assert item is not None  # noqa: S101 - as above
    if admission.outcome == "duplicate":
        return _("Already known as #%(ref)s.") % {"ref": item.ref}, _("Nothing was added.")
    if item.status != "active":
        return _("Kept, but it waits for you."), _("Why: %(why)s.") % {"why": why(admission.reason)}
    if admission.superseded:
        told = {"ref": admission.superseded[0].ref}
        return _("Added."), _("#%(ref)s gave way and stays in the history.") % told
    return _("Added."), _("It is part of the graph now.")


def _add_again(
    request: HttpRequest, form: NewFactForm, status: int, *, notice: Mapping[str, str] | None = None
) -> HttpResponse:
    """The form with what was typed, and what is wrong."""
    standing = standing_at(person_of(request), request.POST)
    context: dict[str, Any] = {"add": form, "notice": notice, "open": True, "standing": standing}
    if not wants_partial(request):
        belongs_to(request, "kg")
        context["browse"] = browse(request, QueryDict())
    return render_panel(request, LIST, context, partial="add", status=status)


def _refused(request: HttpRequest, error: Tombstoned) -> dict[str, str]:
    """Why it is refused, and where the rejection can be looked at and taken back."""
    refusal = refusals.told(person_of(request), str(error.fields["tombstone"]))
    item = refusal.item_ref
    return {"text": refusal.sentence} | ({"url": reverse("item", args=[item]), "url_text": f"#{item}"} if item else {})
