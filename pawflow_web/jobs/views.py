"""The panel of jobs."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from pawflow_web.identity.person import person_of
from pawflow_web.jobs.page import ended_of, live_of, plans_of, workers
from pawflow_web.jobs.reading import find_run
from pawflow_web.jobs.services import cancel_run
from pawflow_web.jobs.work import title_of
from pawflow_web.lib.errors import InvalidTransition
from pawflow_web.web.per_request import forget_all
from pawflow_web.web.render import person_required, render_panel, shell_news, target_of, toast, wants_partial

TEMPLATE = "jobs/jobs.html"
# What the list of ended jobs listens for.
_CHANGED = {"HX-Trigger": "jobs-changed"}


@require_safe
@person_required
def jobs(request: HttpRequest) -> HttpResponse:
    """``/jobs``: what runs, ran and will run. While something does, the page asks for that part again."""
    principal, target = person_of(request), target_of(request)
    cursor = request.GET.get("cursor") or None
    if target == "jobs-live":
        return _live(request, before=request.GET.get("open", ""))
    if target in {"jobs-ended", "jobs-more"}:
        partial = "ended" if target == "jobs-ended" else "rows"
        return render_panel(request, TEMPLATE, {"ended": ended_of(principal, cursor)}, partial=partial)
    context = {
        "live": live_of(principal),
        "ended": ended_of(principal, cursor),
        "later": cursor is not None,
        "plans": plans_of(principal),
        "workers": (beats := workers()),
        "anybody": any(worker.alive for worker in beats),
    }
    return render_panel(request, TEMPLATE, context, partial="panel")


@require_POST
@person_required
def cancel(request: HttpRequest, ref: str) -> HttpResponse:
    """Ask for the end of a job."""
    run = find_run(person_of(request), ref)
    try:
        cancel_run(run)
    except InvalidTransition as error:
        return _answer(request, _("Not done."), error.message, code=error.status)
    title = _("%(job)s is cancelled.") if run.finished_at else _("%(job)s ends as soon as it can.")
    return _answer(request, title % {"job": title_of(run.kind)}, _("What it has stored until then stays."))


def _answer(request: HttpRequest, fact: str, detail: str, *, code: int = 200) -> HttpResponse:
    if not wants_partial(request):
        messages.success(request, f"{fact} {detail}")
        return redirect("jobs")
    forget_all(request)
    note = toast(request, fact, detail=detail)
    return _live(request, before=None, code=code, parts=(note, shell_news(request)))


def _live(request: HttpRequest, *, before: str | None, code: int = 200, parts: tuple[Any, ...] = ()) -> HttpResponse:
    """What waits and runs. The list beside it is told when that is no longer what it was ``before``."""
    live = live_of(person_of(request))
    changed = live.refs != before
    news = () if parts or not changed else (shell_news(request),)
    return render_panel(
        request,
        TEMPLATE,
        {"live": live},
        partial="live",
        status=code,
        headers=_CHANGED if changed else {},
        out_of_band=(*parts, *news),
    )
