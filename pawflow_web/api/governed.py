"""What happens around every REST operation, in this order: who calls, may they, from where, what did they
send, and did they send it before. Only then does ninja check the parameters and run the route."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.utils import check_csrf

from conversations.context import CONTEXT_PARAMETERS, call_context
from pawflow_web.identity.auth import principal_of_token, principal_of_user
from pawflow_web.identity.idempotency import Reply, checked_key, digest_of, once
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.identity.rest import call_of, put_call, put_principal
from pawflow_web.lib.errors import CsrfMissing, Invalid, TooLarge, Unauthenticated, UnsupportedMedia
from pawflow_web.lib.jsonbody import load_object
from pawflow_web.lib.text import clean
from pawflow_web.lib.tools import shown_name

Run = Callable[..., HttpResponseBase]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
JSON = "application/json"
# In ``openapi_extra``: an operation that changes nothing although it is a POST.
EFFECT = "x-effect"
# There too: one that keeps its body as it was received, half characters included.
VERBATIM = "x-verbatim"
_CONTEXT_HEADERS = ("X-PawFlow-Origin", "X-PawFlow-Conversation", "X-PawFlow-Project")


class BodyParser(Parser):
    """Ninja asks here for body and query; both were read and cleaned before it got to run."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        return json_body(request)

    def parse_querydict(self, data: Any, list_fields: list[str], request: HttpRequest) -> dict[str, Any]:
        return {
            key: [clean(value, field=key) for value in data.getlist(key)]
            if key in list_fields
            else clean(data[key], field=key)
            for key in data
        }


def json_body(request: HttpRequest) -> dict[str, Any]:
    """The JSON object that was sent with the request; {} for none."""
    body: dict[str, Any] = getattr(request, "_pawflow_json", {})
    return body


def governed(run: Run) -> Run:
    """Decorator of ninja's ``Operation.run``, applied to each operation when it is bound to the API."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    query_names = _query_names(operation)
    body_fields = _body_fields(operation)
    takes_json = _takes_json(operation)

    @wraps(run)
    def checked(request: HttpRequest, **path: Any) -> HttpResponseBase:
        try:
            principal = _authenticate(request)
            put_principal(request, principal)
            for may in operation.auth_callbacks:
                may(request)
            put_call(request, call_context(principal, headers=request.headers, query=request.GET, surface="rest"))
            _refuse_unknown(request, query_names)
            path = {name: clean(value, field=name) if isinstance(value, str) else value for name, value in path.items()}
            request._pawflow_body_fields = body_fields  # type: ignore[attr-defined]
            if request.method not in SAFE_METHODS and takes_json:
                verbatim = bool((operation.openapi_extra or {}).get(VERBATIM))
                _read_json(request, refuse_any=body_fields == [], verbatim=verbatim)
                return _once(request, operation, lambda: run(request, **path))
            return run(request, **path)
        except Exception as error:
            return operation.api.on_exception(request, error)

    return checked


# --- who ----------------------------------------------------------------------------------------------------


def _authenticate(request: HttpRequest) -> Principal:
    """By token when a header is there, else by the browser's session, which needs the CSRF token to write."""
    authorization = request.headers.get("Authorization")
    if authorization is not None:
        return principal_of_token(authorization)
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        raise Unauthenticated
    if request.method not in SAFE_METHODS and check_csrf(request) is not None:
        raise CsrfMissing
    return principal_of_user(user)


# --- what was sent ------------------------------------------------------------------------------------------


def _refuse_unknown(request: HttpRequest, known: frozenset[str]) -> None:
    unknown = sorted(set(request.GET) - known - CONTEXT_PARAMETERS)
    if unknown:
        names = [shown_name(name) for name in unknown]
        allowed = ", ".join(sorted(known)) or "none"
        raise Invalid(
            f"{names[0]} is not a parameter; the parameters are {allowed}.",
            fields=dict.fromkeys(names, f"is not a parameter; the parameters are {allowed}"),
        )


def _read_json(request: HttpRequest, *, refuse_any: bool, verbatim: bool) -> None:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = int(request.headers.get("Content-Length") or 0)
    if length > limit:
        raise TooLarge
    # A chunked body has no length to refuse it by; one byte more than allowed is enough to know.
    raw = request.read(limit + 1)
    if len(raw) > limit:
        raise TooLarge
    # A form of a session was read already, by the look for its CSRF token; its length is still there.
    if (raw or length) and request.content_type != JSON:
        raise UnsupportedMedia
    body = load_object(raw, mend=verbatim)
    if body and refuse_any:
        name = shown_name(next(iter(body)))
        raise Invalid(
            f"{name} is not a parameter; there are none.", fields={name: "is not a parameter; there are none"}
        )
    request._pawflow_json = body  # type: ignore[attr-defined]
    # Ninja asks the parser only when there is a body.
    request._body = raw or b"{}"


def _once(request: HttpRequest, operation: Operation, run: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    header = request.headers.get("Idempotency-Key")
    if header is None or (operation.openapi_extra or {}).get(EFFECT) == "read":
        return run()
    response: HttpResponse | None = None

    def write() -> Reply:
        nonlocal response
        answer = run()
        if not isinstance(answer, HttpResponse):
            raise TypeError("a streamed reply cannot be kept; such a route is not a JSON write")
        response = answer
        # What a browser must not store, we do not keep either.
        kept = answer.get("Cache-Control") != "no-store"
        return Reply(answer.status_code, answer.content.decode(), kept=kept)

    digest = digest_of(
        request.method or "",
        request.get_full_path(),
        *(request.headers.get(name, "") for name in _CONTEXT_HEADERS),
        request.body,
    )
    reply = once(call_of(request).principal, checked_key(header), digest, write)
    if response is None or reply.replayed:
        response = HttpResponse(reply.body, status=reply.status, content_type=JSON)
        response["Idempotent-Replayed"] = "true"
    return response


# --- what an operation takes --------------------------------------------------------------------------------


def _query_names(operation: Operation) -> frozenset[str]:
    names: set[str] = set()
    for model in operation.models:
        if model.__ninja_param_source__ == "query":
            names |= set(model.__ninja_flatten_map__)
    return frozenset(names)


def _body_fields(operation: Operation) -> list[str] | None:
    """The keys of the documented body; [] for no body, None when its shape is documented by hand."""
    if "requestBody" in (operation.openapi_extra or {}):
        return None
    fields: list[str] = []
    for model in operation.models:
        if model.__ninja_param_source__ == "body":
            for field in model.model_fields.values():
                fields += [inner.alias or name for name, inner in field.annotation.model_fields.items()]
    return fields


def _takes_json(operation: Operation) -> bool:
    content = (operation.openapi_extra or {}).get("requestBody", {}).get("content")
    return content is None or JSON in content
