"""Bodies of forms are left to those who want them: Django's views."""

from typing import Any

from daphne import http_protocol


class UnparsedRequest(http_protocol.WebRequest):  # type: ignore[misc]  # not typed
    """The server below Daphne would parse every form itself, on the one thread that serves everybody, for nobody; and
    refuse one that it cannot parse with an empty reply, before any of our code has seen it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs, parsePOSTFormSubmission=False)


def leave_forms_alone() -> None:
    """For the process that imports this before it serves; Daphne has no setting for it."""
    http_protocol.WebRequest = UnparsedRequest
