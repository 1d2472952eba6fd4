"""The panel of diaries: what agents write for themselves, and what a person lets into their contexts."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.diary.reading import find_entry
from memory.diary.services import admit_entry, close_diary, delete_entry
from memory.pages.diary.page import TYPES, rows_of, shown_of, why_waiting
from pawflow_web.identity.person import person_of
from pawflow_web.web.render import page_title, person_required, render_panel, target_of, toast, wants_partial

DIARY, ENTRY, DELETE = "memory/diary.html", "memory/diary_entry.html", "memory/diary_delete.html"


@require_safe
@person_required
def diary(request: HttpRequest) -> HttpResponse:
    """``/diary``: the diary of ``agent``, else the one that was written last, narrowed to a ``type``."""
    shown = shown_of(person_of(request), request.GET)
    status = 422 if shown.form.errors else 200
    target = target_of(request)
    if target == "diary-more":
        return render_panel(request, DIARY, {"shown": shown}, partial="rows", status=status)
    if target == "diary-body":
        title = page_title(_("Diary of %(name)s") % {"name": shown.agent.name} if shown.agent else _("Diary"))
        return render_panel(request, DIARY, {"shown": shown}, partial="body", status=status, out_of_band=(title,))
    return render_panel(request, DIARY, {"shown": shown}, partial="panel", status=status)


@require_safe
@person_required
def entry(request: HttpRequest, reference: str) -> HttpResponse:
    """``/diary/di_…``: one entry, whole."""
    found = find_entry(person_of(request), reference)
    context = {"entry": found, "type": TYPES[found.type], "found": why_waiting(found)}
    return render_panel(request, ENTRY, context, partial="panel")


@require_POST
@person_required
def admission(request: HttpRequest, reference: str) -> HttpResponse:
    """Let an entry into the contexts of its agent (``admitted`` is ``yes``), or keep it out of them."""
    admitted = request.POST.get("admitted") == "yes"
    done = admit_entry(principal=person_of(request), reference=reference, admitted=admitted)
    told = {"name": done.agent.name}
    if admitted:
        fact, detail = _("Let in."), _("Contexts of %(name)s may show this entry.") % told
    else:
        fact, detail = _("Kept out."), _("No context of %(name)s shows this entry.") % told
    if not wants_partial(request):
        messages.success(request, f"{fact} {detail}")
        return redirect("diary-entry", str(done))
    note = toast(request, fact, detail=detail)
    context = {"row": next(rows_of([done])), "decided": True}
    return render_panel(request, DIARY, context, partial="row", out_of_band=(note,))


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def delete(request: HttpRequest, reference: str) -> HttpResponse:
    """The question before an entry is deleted, as a page and in the dialog; a POST deletes it."""
    person = person_of(request)
    if request.method == "POST":
        gone = delete_entry(principal=person, reference=reference)
        messages.success(request, _("Deleted. %(name)s cannot read it any more.") % {"name": gone.agent.name})
        return redirect(_diary_of(gone.agent.name))
    return render_panel(request, DELETE, {"entry": find_entry(person, reference)}, partial="question")


@require_POST
@person_required
def closing(request: HttpRequest) -> HttpResponse:
    """Close the diary of ``agent`` to the person's other agents (``closed`` is ``yes``), or open it."""
    closed = request.POST.get("closed") == "yes"
    agent = close_diary(principal=person_of(request), agent=request.POST.get("agent", ""), closed=closed)
    told = _("Closed. No other agent reads the diary of %(name)s.")
    if not closed:
        told = _("Open. Other agents of yours may read the diary of %(name)s.")
    messages.success(request, told % {"name": agent.name})
    return redirect(_diary_of(agent.name))


def _diary_of(name: str) -> str:
    return f"{reverse('diary')}?{urlencode({'agent': name})}"
