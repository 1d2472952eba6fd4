"""The one family of errors that services raise and the surfaces translate.

A message says what is wrong, with which value, and what to do. Bad text is quoted with :func:`ascii`, since
an error that echoes the character that caused it breaks a second time.
"""

from collections.abc import Mapping

Fields = Mapping[str, object]


class DomainError(Exception):
    """An answer that is not a success: ``{"error": {"code", "message", "fields"}}`` on every surface."""

    status = 400
    code = "bad_request"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        fields: Fields | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.fields = dict(fields or {})
        self.retry_after = retry_after

    def body(self) -> dict[str, dict[str, object]]:
        """The reply body, with exactly these three keys."""
        return {"error": {"code": self.code, "message": self.message, "fields": self.fields}}


class BadRequest(DomainError):
    """The request is not what the route takes at all (400)."""


class MethodNotAllowed(BadRequest):
    status = 405
    code = "method_not_allowed"

    def __init__(self, message: str = "This route does not take that method.") -> None:
        super().__init__(message)


class Unauthenticated(DomainError):
    """No, an unknown, an expired or a revoked token: one text for all four (401)."""

    status = 401
    code = "unauthenticated"

    def __init__(self, message: str = "Send a valid token as `Authorization: Bearer pf_...`.") -> None:
        super().__init__(message)


class NotAllowed(DomainError):
    """The principal lacks the ability (403). Never used for "not yours": that is :class:`NotFound`."""

    status = 403
    code = "not_allowed"


class CsrfMissing(NotAllowed):
    """A browser's session may read without, but not write without the token of its page (403)."""

    code = "csrf"

    def __init__(self, message: str = "Send the token of the page as `X-CSRFToken`.") -> None:
        super().__init__(message)


class NotFound(DomainError):
    """Unknown or not visible, indistinguishable on purpose (404)."""

    status = 404
    code = "not_found"

    def __init__(
        self, message: str = "There is nothing here that you may see.", *, fields: Fields | None = None
    ) -> None:
        super().__init__(message, fields=fields)


class Conflict(DomainError):
    """The state of things forbids it (409); ``fields`` names what is in the way."""

    status = 409
    code = "conflict"


class StaleRevision(Conflict):
    """Somebody changed it since it was read (409); ``fields.revision`` is the current one."""

    code = "stale_revision"


class InvalidTransition(Conflict):
    """The verb does not apply to this status (409); ``fields.status`` is the status."""

    code = "invalid_transition"


class Tombstoned(Conflict):
    """A person rejected or purged these words (409); ``fields.tombstone`` is the ref of the refusal."""

    code = "tombstoned"


class NeedsApproval(Conflict):
    """A person has to look at this one by itself (409)."""

    code = "needs_approval"


class LimitReached(Conflict):
    code = "limit_reached"


class Invalid(DomainError):
    """A value is not acceptable (422); ``fields`` maps dotted parameter names to sentences."""

    status = 422
    code = "invalid"


class TooLarge(DomainError):
    status = 413
    code = "too_large"

    def __init__(self, message: str = "The body is larger than 2 MiB.") -> None:
        super().__init__(message)


class UnsupportedMedia(DomainError):
    status = 415
    code = "unsupported_media"

    def __init__(self, message: str = "Send JSON as `Content-Type: application/json`.") -> None:
        super().__init__(message)


class RateLimited(DomainError):
    status = 429
    code = "rate_limited"


class Unavailable(DomainError):
    """Something this depends on is away (503); worth another try."""

    status = 503
    code = "unavailable"


class NoEmbedder(Unavailable):
    """Nobody here can embed a question (503); the message names the fix."""

    code = "no_embedder"


class DatabaseAway(Unavailable):
    # Long enough for a pool to recover, short enough that nobody wonders.
    def __init__(
        self, message: str = "The database does not answer. Try again shortly.", *, retry_after: int = 5
    ) -> None:
        super().__init__(message, retry_after=retry_after)


class DiskFull(Unavailable):
    """The database has no room left (503)."""

    def __init__(self, message: str = "The disk of the database is full. Make room there, then try again.") -> None:
        super().__init__(message)


class Internal(DomainError):
    """What nobody foresaw (500): the caller learns the reference of the log line and nothing else."""

    status = 500
    code = "internal"

    def __init__(self, reference: str) -> None:
        super().__init__(f"Something broke on our side (reference {reference}).")
        self.reference = reference
