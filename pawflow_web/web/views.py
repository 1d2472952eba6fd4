"""The pages and probes that belong to no part of the product."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from pawflow_web.web.context import Shell
from pawflow_web.web.health import readiness
from pawflow_web.web.panels import registry
from pawflow_web.web.render import person_required, render_panel


@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """This process answers. Open to everybody."""
    return JsonResponse({"status": "ok"})


@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """Whether every part works (200) or which one is away (503). Open to everybody, says nothing private."""
    checks = readiness.run()
    passed = all(checks.values())
    body = {
        "status": "ready" if passed else "not_ready",
        "checks": {name: "ok" if works else "away" for name, works in checks.items()},
    }
    return JsonResponse(body, status=200 if passed else 503)


@require_safe
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Browsers ask for ``/favicon.ico`` whatever the page says."""
    return HttpResponseRedirect(static("favicon.svg"))


@require_safe
@person_required
def start(request: HttpRequest) -> HttpResponse:
    """``/`` leads to what waits for the person, else to the first panel where nothing ever does."""
    shell = Shell(request)
    panels = registry.all()
    for panel in panels:
        count = shell.count(panel.name)
        if count is not None and count.due and count.number:
            return redirect(str(panel.url))
    quiet = [panel for panel in panels if panel.group]
    return redirect(str((quiet or panels)[0].url) if panels else "menu")


@require_safe
@person_required
def menu(request: HttpRequest) -> HttpResponse:
    """The whole navigation as a page, for screens that have no room for it at the side."""
    return render_panel(request, "web/menu.html", {})
