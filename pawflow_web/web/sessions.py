"""``SESSION_ENGINE``: sessions in the database."""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """A cookie may hold anything, a NUL too, which the database refuses to be asked about. What is no key of ours is no
    session. It is looked at here because websockets do not pass the middleware."""

    def _validate_session_key(self, key: str | None) -> bool:
        fits = super()._validate_session_key(key)  # type: ignore[misc]  # the stubs leave it out
        return bool(fits and key and key.isascii() and key.isalnum())
