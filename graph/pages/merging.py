"""One entity for two: a question that shows what would move, and the way back."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from graph.facts.merging import Preview, merge, preview, undo_merge
from graph.facts.reading import entity_named
from graph.models import Entity, EntityMerge
from graph.pages.entity import find_entity
from graph.pages.forms import MergeForm
from graph.pages.rows import entity_url
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, NotFound
from pawflow_web.web import ways_back
from pawflow_web.web.render import person_required, render_panel, target_of, wants_partial, way_back_closed

TEMPLATE = "graph/merge.html"


@dataclass(frozen=True, slots=True)
class Looked:
    """The other entity, and what would become of it."""

    other: Entity
    preview: Preview


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def merge_into(request: HttpRequest, ref: str) -> HttpResponse:
    """``/kg/<ref>/merge``: ``drop`` names what is the same; a ``POST`` makes them one."""
    person = person_of(request)
    kept, _predicates = find_entity(person, ref)
    given = request.POST if request.method == "POST" else request.GET
    form = MergeForm(given if "drop" in given else None, auto_id="kg-merge-%s")
    looked = _looked(request, kept, form) if form.is_bound and form.is_valid() else None
    if request.method == "POST" and looked is not None:
        try:
            done = merge(principal=person, keep=kept.ref, drop=looked.other.ref)
        except (Conflict, Invalid) as error:
            form.refused(error.message, {})
            return _asked(request, kept, form, looked, error.status)
        return _merged(request, kept, done)
    return _asked(request, kept, form, looked, 422 if form.errors else 200)


@require_POST
@person_required
def unmerge(request: HttpRequest, ref: str) -> HttpResponse:
    """``/kg/merges/<ref>/undo``: they are two again."""
    try:
        done = undo_merge(principal=person_of(request), ref=ref)
    except (NotFound, Conflict) as error:
        return way_back_closed(request, error)
    ways_back.closed(request, request.path)
    messages.success(request, _("Taken back. %(name)s is an entity of its own again.") % {"name": done.back.name})
    return _there(request, done.kept, done.back)


def _looked(request: HttpRequest, kept: Entity, form: MergeForm) -> Looked | None:
    """What the form names; what is wrong with it is said in the form."""
    person, name = person_of(request), form.cleaned_data["drop"]
    other = entity_named(person, name)
    if other is None:
        form.add_error("drop", _("No fact that you may read names this."))
        return None
    if other.pk == kept.pk:
        form.add_error("drop", _("That is a name of this entity already."))
        return None
    return Looked(other, preview(principal=person, keep=kept.ref, drop=other.ref))


def _asked(request: HttpRequest, kept: Entity, form: MergeForm, looked: Looked | None, status: int) -> HttpResponse:
    context = {"entity": kept, "form": form, "looked": looked}
    partial = "preview" if target_of(request) == "kg-merge-preview" else "question"
    return render_panel(request, TEMPLATE, context, partial=partial, status=status)


def _merged(request: HttpRequest, kept: Entity, done: EntityMerge) -> HttpResponse:
    words = _("Merged %(name)s") % {"name": f"#{done.ref}"}
    ways_back.remember(request, url=reverse("kg-unmerge", args=[done.ref]), words=words, fields={}, deed="merge")
    told = {"dropped": done.dropped_name, "kept": kept.name}
    messages.success(request, _("Merged. %(dropped)s is a name of %(kept)s now.") % told)
    return _there(request, kept)


def _there(request: HttpRequest, *entities: Entity) -> HttpResponse:
    """The page of the first of these that something names."""
    there = set(Entity.objects.filter(pk__in=[entity.pk for entity in entities]).values_list("ref", flat=True))
    url = entity_url(next(entity.ref for entity in entities if entity.ref in there))
    return HttpResponse(headers={"HX-Redirect": url}) if wants_partial(request) else redirect(url)
