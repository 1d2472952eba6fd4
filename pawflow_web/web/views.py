"""The pages and probes that belong to no part of the product."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from pawflow_web.web.health import readiness
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
def menu(request: HttpRequest) -> HttpResponse:
    """The whole navigation as a page, for screens that have no room for it at the side."""
    return render_panel(request, "web/menu.html", {})
