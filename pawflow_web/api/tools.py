"""One route per registered tool, and the routes that describe them."""

from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from pawflow_web.api.governed import EFFECT, JSON, json_body
from pawflow_web.api.openapi import ERRORS, REF_TEMPLATE
from pawflow_web.identity.rest import call_of, reader
from pawflow_web.lib import tool_catalog
from pawflow_web.lib.tools import Tool, registry

# The order in which a tool's own reply documents them.
TOOL_ERRORS = frozenset({400, 401, 403, 404, 409, 413, 415, 422, 429, 503})


def tools_router() -> Router:
    """Built when the registry is complete."""
    router = Router(tags=["tools"])
    for tool in registry.listed():
        router.post(
            f"/tools/{tool.name}",
            operation_id=tool.name,
            summary=tool.name,
            description=tool.description,
            tags=[tool.family],
            url_name=f"tool-{tool.name}",
            response={200: tool.result, TOOL_ERRORS: ERRORS},
            openapi_extra=_documented(tool),
        )(_endpoint(tool))
    router.get("/tools", auth=reader, response={200: Any})(tools)
    router.get("/tools/schema", auth=reader, response={200: Any})(tool_schema)
    return router


def _endpoint(tool: Tool) -> Callable[[HttpRequest], HttpResponse]:
    def endpoint(request: HttpRequest) -> HttpResponse:
        result = tool.run(call_of(request), json_body(request))
        return HttpResponse(result.model_dump_json(by_alias=True), content_type=JSON)

    endpoint.__name__ = tool.name
    return endpoint


def _documented(tool: Tool) -> dict[str, Any]:
    """The body by hand: the registry checks it, so ninja must not do it a second time with other words."""
    schema = tool.params.model_json_schema(ref_template=REF_TEMPLATE)
    return {
        EFFECT: tool.effect.value,
        "requestBody": {"required": bool(schema.get("required")), "content": {JSON: {"schema": schema}}},
    }


def tools(
    request: HttpRequest,  # noqa: ARG001 - ninja's signature
    tree: Annotated[int, Query(ge=0, le=1, description="1: only families, names and hashes")] = 0,
) -> dict[str, Any]:
    """Every tool with its schemas; `?tree=1` the same as families of names and hashes."""
    if tree:
        return {"families": tool_catalog.tree()}
    return {"items": [tool_catalog.describe(tool) for tool in registry.listed()], "next": None}


def tool_schema(
    request: HttpRequest,  # noqa: ARG001 - ninja's signature
    name: Annotated[str | None, Query(max_length=80, description="one tool")] = None,
    family: Annotated[str | None, Query(max_length=80, description="or a family")] = None,
) -> dict[str, Any]:
    """The description and schemas of one tool, or of a family of them."""
    return tool_catalog.schema_of(name=name, family=family)
