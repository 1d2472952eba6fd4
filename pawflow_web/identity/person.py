"""The person behind a page, as the party that every service asks for."""

from django.http import HttpRequest

from pawflow_web.identity.auth import principal_of_user
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.web.per_request import per_request


def person_of(request: HttpRequest) -> Principal:
    """The principal of whoever is signed in; built once a request. Only behind ``person_required``."""
    return per_request(request, "identity.person", lambda: principal_of_user(user_of(request)))


def user_of(request: HttpRequest) -> User:
    """The signed-in owner. Only behind ``person_required``."""
    assert isinstance(request.user, User)  # noqa: S101 - the decorator has checked it
    return request.user


def is_signed_in(request: HttpRequest) -> bool:
    """Whether a person stands behind the request, also where no session was looked for."""
    return isinstance(getattr(request, "user", None), User)
