"""Routes that misbehave in every way a request can end, once under ``/api/`` and once outside."""

from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from pawflow_web.lib.errors import Invalid, StaleRevision
from pawflow_web.urls import handler400, handler403, handler404, handler500
from pawflow_web.urls import urlpatterns as product
from pawflow_web.web.errors import error_response
from pawflow_web.web.render import person_required

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def fine(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"fine": True})


@csrf_exempt
@require_GET
def only_get(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


@csrf_exempt
def crash(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError("the password is hunter2")


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


@csrf_exempt
def database_away(request: HttpRequest) -> HttpResponse:
    raise OperationalError("connection refused")


@csrf_exempt
def read_body(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(len(request.body)))


def needs_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def refused(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<h1>no</h1>", status=401, headers={"WWW-Authenticate": 'Bearer realm="x"'})


def other_json(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"detail": "not our shape"}, status=422)


def ours(request: HttpRequest) -> HttpResponse:
    return error_response(Invalid("limit is 500.", fields={"limit": "must be at most 100"}))


def conflict(request: HttpRequest) -> HttpResponse:
    raise StaleRevision("Somebody changed it since you read it.", fields={"revision": 3})


@person_required
def for_people(request: HttpRequest) -> HttpResponse:
    return HttpResponse("you")


_VIEWS = (
    fine,
    only_get,
    crash,
    forbidden,
    database_away,
    read_body,
    needs_token,
    refused,
    other_json,
    ours,
    conflict,
    for_people,
)
urlpatterns = [
    *(path(f"api/{view.__name__}", view) for view in _VIEWS),
    *(path(f"page/{view.__name__}", view) for view in _VIEWS),
    *product,
]
