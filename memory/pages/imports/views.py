"""Pages of memory files: the check-up that stores nothing, and imports."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.importers import background
from memory.importers.checkup import BYTES_MOST, CheckUp, check_up, may_hold_secret
from memory.importers.formats.text_lines import encoding_of
from memory.importers.outcomes import left_out
from memory.pages.imports import checkup as findings
from memory.pages.imports.forms import ImportForm, MemoryFileForm
from memory.pages.imports.page import imports_of, report_of, run_of, told
from memory.pages.memories.browse import agents_of
from pawflow_web.identity.person import person_of, user_of
from pawflow_web.lib.errors import Invalid, TooLarge, Unavailable
from pawflow_web.web.render import person_required, render_panel, shell_news, target_of, wants_partial

IMPORTS = "memory/imports.html"
CHECKUP = "memory/checkup.html"
# What somebody pasted may hold anything: neither the browser nor anything between keeps a copy of the answer.
_NOT_KEPT = {"Cache-Control": "no-store"}


# --- imports ----------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@person_required
def imports(request: HttpRequest) -> HttpResponse:
    """``/imports``: a file to import, and the imports so far. ``job`` shows a run, ``report`` an earlier one."""
    if request.method == "POST":
        return _import(request)
    job, report = request.GET.get("job", ""), request.GET.get("report", "")
    context: dict[str, Any] = {"run": run_of(request, job) if job else None}
    if target_of(request) == "imports-run":
        return _run(request, context)
    if target_of(request) == "imports-earlier":
        earlier = imports_of(person_of(request), request.GET.get("before", ""))
        return render_panel(request, IMPORTS, {"earlier": earlier}, partial="earlier")
    context["told"] = report_of(request, report) if report else None
    return _page(request, ImportForm(auto_id="imports-%s"), context)


def _run(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """How far it is; once it is over, the list and the numbers of the navigation are new too."""
    over = context["run"] is not None and not context["run"].open
    return render_panel(
        request,
        IMPORTS,
        context,
        partial="run",
        headers={"HX-Trigger": "imports-changed"} if over else None,
        out_of_band=(shell_news(request),) if over else (),
    )


def _import(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES, auto_id="imports-%s")
    if not form.is_valid():
        return _page(request, form, {}, status=422, headers=_NOT_KEPT)
    given = form.cleaned_data
    more = {"user": user_of(request), "name": form.source, "format_name": given["format"], "agent": given["agent"]}
    try:
        if given["dry_run"]:
            report = background.dry_run(form.stream(), **more)
            return _page(request, form, {"told": told(report.value())}, headers=_NOT_KEPT)
        run = background.start_import(form.chunks(), **more)
    except (Invalid, TooLarge, Unavailable) as error:
        form.add_error("file" if given.get("file") else "text", error.message)
        return _page(request, form, {}, status=error.status, headers=_NOT_KEPT)
    return redirect(f"{reverse('imports')}?job={run.ref}")


def _page(
    request: HttpRequest,
    form: ImportForm,
    more: dict[str, Any],
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> HttpResponse:
    earlier = imports_of(person_of(request), request.GET.get("before", ""))
    context = {"form": form, "agents": agents_of(request), "earlier": earlier, **more}
    return render_panel(request, IMPORTS, context, partial="panel", status=status, headers=headers)


# --- check-up ---------------------------------------------------------------------------------------------------


@require_safe
@person_required
def checkup(request: HttpRequest) -> HttpResponse:
    """``/checkup``: a memory file to look through, without storing anything."""
    return render_panel(request, CHECKUP, {"form": MemoryFileForm(auto_id="checkup-%s")}, partial="panel")


@require_POST
@person_required
def check(request: HttpRequest) -> HttpResponse:
    """``POST /imports/check``: what the gate would say. The text is in the answer again only where the browser has no
    other copy of it, and never with a secret in it."""
    form = MemoryFileForm(request.POST, request.FILES, auto_id="checkup-%s")
    context: dict[str, Any] = {"form": form}
    if not form.is_valid():
        return _refused(request, form)
    stream = form.stream()
    try:
        found = check_up(user_of(request), stream, name=form.source)
    except Invalid as error:
        form.add_error("file" if form.cleaned_data.get("file") else "text", error.message)
        return _refused(request, form, status=error.status)
    context |= _shown(found)
    if not wants_partial(request):
        stream.seek(0)
        context |= _again(stream.read(BYTES_MOST), form)
    return _checked(request, context)


def _refused(request: HttpRequest, form: MemoryFileForm, *, status: int = 422) -> HttpResponse:
    """What is wrong, above the same text, unless that may hold a secret."""
    if may_hold_secret(request.POST.get("text", "")):
        form.drop_words()
    return _checked(request, {"form": form}, status=status)


def _checked(request: HttpRequest, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render_panel(request, CHECKUP, context, partial="result", status=status, headers=_NOT_KEPT)


def _shown(found: CheckUp) -> dict[str, Any]:
    sentence, faults, more = findings.faults(found)
    return {
        "found": found,
        "beliefs": findings.beliefs(found),
        "groups": findings.groups(found),
        "not_compared": findings.not_compared(found),
        "skipped": left_out(found.skipped),
        "faults": {"sentence": sentence, "rows": faults, "more": more} if faults else None,
    }


def _again(raw: bytes, form: MemoryFileForm) -> dict[str, Any]:
    """The form for a page without JavaScript, ready to send the same text to review. Where it may hold a secret it is
    asked for again, so that the secret is not sent through the network once more."""
    text = raw.decode(encoding_of(raw[:4096]), "replace")
    if may_hold_secret(text):
        return {"form": MemoryFileForm(auto_id="checkup-%s"), "asked_again": True}
    return {"form": MemoryFileForm(initial={"text": text, "name": form.source}, auto_id="checkup-%s")}
