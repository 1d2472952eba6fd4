"""Who may bring more than a form holds, asked before it is taken in."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import connection

from pawflow_web.identity.auth import principal_of_token
from pawflow_web.lib.errors import Unauthenticated


def require_caller(authorization: str | None, session_key: str) -> None:
    """By token when there is one, else by the browser's session. For a thread outside a request: its connection is
    given back. What they may do is asked again when the request is answered.

    Raises:
        Unauthenticated: it is neither a token nor a session of anybody.
        RateLimited: the token made too many calls.
    """
    try:
        if authorization is not None:
            principal_of_token(authorization)
        elif SESSION_KEY not in import_module(settings.SESSION_ENGINE).SessionStore(session_key):
            raise Unauthenticated("Sign in first.")
    finally:
        connection.close()
