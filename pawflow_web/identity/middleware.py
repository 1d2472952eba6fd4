"""What a signed-in person chose, for the pages of this request. Stands behind the authentication middleware."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from pawflow_web.identity.auth import preferences_of
from pawflow_web.identity.models import User
from pawflow_web.identity.person import person_of

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def preferences(get_response: GetResponse) -> GetResponse:
    """Put ``request.user_settings`` and make the person's time zone the current one.

    Only where there is a session and a page: the API takes the zone from the principal.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path.startswith("/api/"):
            return get_response(request)
        if not isinstance(request.user, User):
            return get_response(request)
        request.user_settings = preferences_of(request.user)  # type: ignore[attr-defined]  # read by the shell
        with timezone.override(person_of(request).zone):
            return get_response(request)

    return middleware
