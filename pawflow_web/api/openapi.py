"""What the API says of itself: ``/openapi.json`` and the page that shows it."""

import json
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja import NinjaAPI
from pydantic import BaseModel, Field

REF_TEMPLATE = "#/components/schemas/{model}"


class ErrorDetail(BaseModel):
    code: str = Field(description="one of the codes of its status")
    message: str = Field(description="what is wrong, with which value, and what to do")
    fields: dict[str, Any] = Field(description="parameter to sentence, or what is in the way to its ref")


class ErrorBody(BaseModel):
    """Every refusal, whatever its status."""

    error: ErrorDetail


ERRORS = ErrorBody

_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token, `pf_...`, as the settings or `manage.py token create` make it.",
}
_REFUSED = {
    "description": "Refused",
    "content": {"application/json": {"schema": {"$ref": REF_TEMPLATE.format(model="ErrorBody")}}},
}
_CONTEXT = [
    {
        "in": "header",
        "name": "X-PawFlow-Conversation",
        "required": False,
        "schema": {"type": "string"},
        "description": "Ref or external_id of the conversation of the call; `?conversation=` wins over it.",
    },
    {
        "in": "header",
        "name": "X-PawFlow-Project",
        "required": False,
        "schema": {"type": "string"},
        "description": "Slug of the project of the call; `?project=` wins over it.",
    },
    {
        "in": "header",
        "name": "X-PawFlow-Origin",
        "required": False,
        "schema": {"type": "string", "enum": ["automation"]},
        "description": "Counts the words of this call as automation.",
    },
]


@lru_cache(maxsize=1)
def openapi_document(api: NinjaAPI) -> dict[str, Any]:
    """The OpenAPI 3.1 document: ninja's, with definitions in one place, security and context added."""
    # Through JSON once: ninja's statuses are numbers, which JSON's keys are not.
    document: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/api/v1/")))
    components: dict[str, Any] = document["components"]
    components["securitySchemes"] = {"token": _BEARER}
    components.setdefault("parameters", {}).update({row["name"]: row for row in _CONTEXT})
    document["security"] = [{"token": []}]
    references = [{"$ref": f"#/components/parameters/{row['name']}"} for row in _CONTEXT]
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["parameters"] = [*operation.get("parameters", []), *references]
            operation["responses"].setdefault("default", _REFUSED)
            _lift_definitions(operation, components["schemas"])
    error = ErrorBody.model_json_schema(ref_template=REF_TEMPLATE)
    _lift_definitions(error, components["schemas"])
    components["schemas"]["ErrorBody"] = error
    return document


def _lift_definitions(node: Any, schemas: dict[str, Any]) -> None:
    """Move every ``$defs`` below ``node`` to the components that its references name."""
    if isinstance(node, dict):
        for name, schema in node.pop("$defs", {}).items():
            _lift_definitions(schema, schemas)
            schemas.setdefault(name, schema)
        for inner in node.values():
            _lift_definitions(inner, schemas)
    elif isinstance(node, list):
        for inner in node:
            _lift_definitions(inner, schemas)


def docs_page(request: HttpRequest) -> HttpResponse:
    """A page of our own files that reads the document with the caller's own session or token."""
    return render(request, "api/docs.html")
