"""The scratchpad: the notes of one agent in one place, and each of them."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from memory.models import ScratchNote
from memory.models.scratch import TTL_HOURS
from memory.pages import desk
from memory.pages.scratch.forms import NoteForm
from memory.pages.scratch.page import differences, note_form, note_list, row_of
from memory.scratch.reading import find_note, head_of
from memory.scratch.services import NoteWords, create_note, delete_note, update_note
from pawflow_web.identity.person import person_of
from pawflow_web.lib.errors import Conflict, Invalid, StaleRevision
from pawflow_web.web.render import out_of_band, person_required, render_panel, target_of, toast, wants_partial

LIST = "memory/scratchpad.html"
NOTE = "memory/scratch_note.html"
PANEL = "scratchpad"


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def scratchpad(request: HttpRequest) -> HttpResponse:
    """``/scratchpad``: a list by ``GET``, of ``agent`` in ``conversation``; a new note of it by ``POST``."""
    if request.method == "POST":
        return _add(request)
    context = {"list": note_list(request, request.GET), "add": _new_form()}
    target = target_of(request)
    if target == "scratchpad-more":
        return render_panel(request, LIST, context, partial="rows")
    if target == "scratchpad-list":
        return render_panel(request, LIST, context, partial="list", out_of_band=_around(request, context))
    return render_panel(request, LIST, context, partial="panel")


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def note(request: HttpRequest, reference: str) -> HttpResponse:
    """``/scratchpad/sp_…``: one note to be read and changed, as a page and in the dialog."""
    row = find_note(person_of(request), reference)
    if request.method != "POST":
        return _note_page(request, row, note_form(row))
    form = note_form(row, request.POST)
    if not form.is_valid():
        return _note_page(request, row, form, status=422)
    try:
        row = update_note(note=row, given=form.words(), revision=form.cleaned_data["revision"])
    except StaleRevision as error:
        return _two_versions(request, find_note(person_of(request), reference), request.POST, error.status)
    except Invalid as error:
        form.add_error(None, error.message)
        return _note_page(request, row, form, status=error.status)
    return _changed(request, row, _("Saved."))


@require_POST
@person_required
def keep(request: HttpRequest, reference: str) -> HttpResponse:
    """``POST /scratchpad/sp_…/keep``: a week from now, whatever else was changed meanwhile."""
    row = update_note(note=find_note(person_of(request), reference), given=NoteWords(ttl_hours=TTL_HOURS))
    if not wants_partial(request):
        return desk.onward(request, desk.address(PANEL, row), _("Kept for a week."))
    return _row(request, row, _("Kept for a week."))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def delete(request: HttpRequest, reference: str) -> HttpResponse:
    """``/scratchpad/sp_…/delete``: asks, then deletes."""
    row = find_note(person_of(request), reference)
    back = desk.address(PANEL, row)
    if request.method == "POST":
        delete_note(note=row)
        if desk.is_on(request, PANEL):
            return desk.list_changed(request, _("Deleted."))
        return desk.onward(request, back, _("Deleted."))
    context = {
        "title": _("Delete this note?"),
        "words": row.topic,
        "text": _("This cannot be taken back."),
        "verb": _("Delete"),
        "busy": _("Deleting"),
        "action": reverse("scratch-delete", args=[reference]),
        "back": back,
        "up": _("Scratchpad"),
    }
    return desk.question(request, context)


# --- what is answered ---------------------------------------------------------------------------------------------


def _new_form(given: QueryDict | None = None) -> NoteForm:
    return NoteForm(given, auto_id="scratchpad-add-%s").is_new()


def _add(request: HttpRequest) -> HttpResponse:
    form = _new_form(request.POST)
    chosen = desk.desk_of(request, request.POST, ScratchNote.objects.current())
    if not form.is_valid():
        return _add_again(request, form, 422)
    try:
        create_note(place=chosen.place, given=form.words())
    except (Invalid, Conflict) as error:
        form.add_error(None, error.message)
        return _add_again(request, form, error.status)
    if not wants_partial(request):
        return desk.onward(request, desk.address(PANEL, chosen), _("Noted."))
    context = {"list": note_list(request, request.POST), "add": _new_form(), "added": True}
    headers, said = {"HX-Trigger": "items-changed"}, toast(request, _("Noted."))
    return render_panel(request, LIST, context, partial="add", status=201, headers=headers, out_of_band=(said,))


def _add_again(request: HttpRequest, form: NoteForm, status: int) -> HttpResponse:
    context = {"list": note_list(request, request.POST), "add": form, "open": True}
    return render_panel(request, LIST, context, partial="add", status=status)


def _around(request: HttpRequest, context: dict[str, Any]) -> tuple[Any, ...]:
    """What stands outside of the list and follows it."""
    parts = ("coverage", "place")
    return tuple(out_of_band(request, f"{LIST}#{part}", {**context, "swap": True}) for part in parts)


def _note_page(
    request: HttpRequest, row: ScratchNote, form: NoteForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"row": row_of(row), "form": form, "whose": desk.whose(row), "back": desk.address(PANEL, row), **more}
    return render_panel(request, NOTE, context, partial="question", status=status)


def _two_versions(request: HttpRequest, row: ScratchNote, typed: QueryDict, status: int) -> HttpResponse:
    """What is stored now beside what was typed; sent again, the latter takes its place."""
    insisting = typed.copy()
    insisting["revision"] = str(row.revision)
    form = note_form(row, insisting)
    form.is_valid()
    return _note_page(request, row, form, status=status, theirs=differences(row, form), conflict=True)


def _changed(request: HttpRequest, row: ScratchNote, said: str) -> HttpResponse:
    if desk.is_on(request, PANEL):
        return _row(request, row, said, headers=desk.into_row(PANEL, row.ref))
    return desk.onward(request, desk.address(PANEL, row), said)


def _row(request: HttpRequest, row: ScratchNote, said: str, **more: Any) -> HttpResponse:
    context = {"row": row_of(row, line=head_of(row)), "focus": True}
    return render_panel(request, LIST, context, partial="row", out_of_band=(toast(request, said),), **more)
