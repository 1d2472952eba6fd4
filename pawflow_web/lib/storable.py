"""Text that is kept beside beliefs: titles, names, comments. It has no privacy of its own, so it keeps no secret."""

from django.conf import settings

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.scanner import redact, scan


def without_secrets(text: str, *, field: str) -> str:
    """The text with what looks like a secret taken out.

    Raises :class:`Invalid` ``secret_refused`` instead where the server stores none (``PAWFLOW_SECRETS=refuse``).
    """
    secrets = [finding for finding in scan(text) if finding.kind == "secret"] if text else []
    if not secrets:
        return text
    if settings.ENV.secrets_policy == "refuse":
        raise secret_refused(field)
    return redact(text, secrets)


def require_no_secret(text: str, *, field: str) -> None:
    """For names that must come back as they were given. Raises :class:`Invalid` ``secret_refused``."""
    if any(finding.kind == "secret" for finding in scan(text)):
        raise secret_refused(field)


def secret_refused(field: str) -> Invalid:
    return Invalid(
        f"{field} looks like it holds a secret. Leave it out.",
        code="secret_refused",
        fields={field: "must not hold a secret"},
    )
