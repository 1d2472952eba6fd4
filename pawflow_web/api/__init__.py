"""The REST surface: ``/api/v1``. Routes live in the apps; this puts them together under one set of rules."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI, Router

from conversations.api import router as conversations_router
from graph.api import router as graph_router
from memory.api import router as memory_router
from pawflow_web.api.failures import add_handlers
from pawflow_web.api.governed import BodyParser, governed
from pawflow_web.api.openapi import docs_page, openapi_document
from pawflow_web.api.tools import tools_router
from pawflow_web.identity.api import router as tokens_router
from pawflow_web.identity.rest import reader, signed_in
from pawflow_web.jobs.api import router as jobs_router
from pawflow_web.web.errors import error_of_status, error_response
from review.api import router as review_router


def _build() -> NinjaAPI:
    api = NinjaAPI(
        title="PawFlow Web",
        version="1",
        description="A governed memory for AI agents.",
        parser=BodyParser(),
        auth=signed_in,
        docs_url=None,
        openapi_url=None,
        urls_namespace="api",
    )
    add_handlers(api)
    # "view": around authentication and validation too, on this router and every other one.
    api.add_decorator(governed, mode="view")
    for router in (
        *(_about(api), tools_router()),
        *(
            conversations_router,
            tokens_router,
            jobs_router,
            review_router,
            graph_router,
            memory_router,
        ),
    ):
        api.add_router("", router)
    return api


def _about(api: NinjaAPI) -> Router:
    router = Router(auth=reader)

    @router.get("/openapi.json", include_in_schema=False, response={200: Any})
    def openapi(request: HttpRequest) -> dict[str, Any]:  # noqa: ARG001 - ninja's signature
        return openapi_document(api)

    @router.get("/docs", include_in_schema=False)
    def docs(request: HttpRequest) -> HttpResponse:
        return docs_page(request)

    return router


@csrf_exempt
def unknown_route(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Whatever no route takes, with any method and for anybody: which routes exist is no secret."""
    return error_response(error_of_status(404))


api = _build()

urlpatterns: list[URLPattern | URLResolver] = [
    # Ninja's own root would answer in HTML and ask for a CSRF token.
    path("api/v1/", unknown_route),
    path("api/v1/", api.urls),
    re_path(r"^api(?:/.*)?\Z", unknown_route),
]
