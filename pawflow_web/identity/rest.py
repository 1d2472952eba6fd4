"""What a REST route sees of its caller. The surface puts both on the request before any route runs.

A router says who may: ``Router(auth=person)``, ``@router.get(..., auth=reader)``. That is asked before the
context, the query or the body are looked at, so a refusal tells nothing about what exists.
"""

from django.http import HttpRequest

from pawflow_web.identity.call import Call
from pawflow_web.identity.principal import Principal

_PRINCIPAL = "_pawflow_principal"
_CALL = "_pawflow_call"


def put_principal(request: HttpRequest, principal: Principal) -> None:
    setattr(request, _PRINCIPAL, principal)


def put_call(request: HttpRequest, call: Call) -> None:
    setattr(request, _CALL, call)


def call_of(request: HttpRequest) -> Call:
    """The call with its context: principal within its conversation, project, surface."""
    call: Call = getattr(request, _CALL)
    return call


def signed_in(request: HttpRequest) -> Principal:
    """``auth`` of a route that everybody with a principal may use."""
    principal: Principal = getattr(request, _PRINCIPAL)
    return principal


def reader(request: HttpRequest) -> Principal:
    """``auth`` of a route that needs the ability ``read``."""
    principal = signed_in(request)
    principal.require("read")
    return principal


def writer(request: HttpRequest) -> Principal:
    """``auth`` of a route that needs the ability ``write``."""
    principal = signed_in(request)
    principal.require("write")
    return principal


def person(request: HttpRequest) -> Principal:
    """``auth`` of a route for people only: the browser session or a person's token with ``review``."""
    principal = signed_in(request)
    principal.require_person()
    return principal
