"""Text that is kept beside beliefs: titles, names, comments. It has no privacy of its own, so it keeps no secret."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.scanner import MOST_FINDINGS, Finding, redact, scan


@dataclass(frozen=True, slots=True)
class Looked:
    """A text without its secrets, and what else was found in it. ``unfinished``: so much was found that there may be
    more. ``secrets``: what was taken out, where it stood."""

    text: str
    others: Sequence[Finding] = ()
    unfinished: bool = False
    secrets: Sequence[Finding] = ()


def looked_through(text: str, *, field: str) -> Looked:
    """The text with what looks like a secret taken out; never longer than it was, so that it fits where it would have.

    Raises :class:`Invalid` ``secret_refused`` instead where the server stores none (``PAWFLOW_SECRETS=refuse``).
    """
    found = scan(text) if text else []
    secrets = [finding for finding in found if finding.kind == "secret"]
    if secrets and settings.ENV.secrets_policy == "refuse":
        raise secret_refused(field)
    others = [finding for finding in found if finding.kind != "secret"]
    kept = redact(text, secrets, within_length=True) if secrets else text
    return Looked(kept, others, unfinished=len(found) >= MOST_FINDINGS, secrets=secrets)


def without_secrets(text: str, *, field: str) -> str:
    """The text alone of :func:`looked_through`."""
    return looked_through(text, field=field).text


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
