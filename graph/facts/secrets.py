"""Secrets in the parts of a fact, where this server stores words without them (``PAWFLOW_SECRETS=redact``)."""

from django.conf import settings

from graph.facts.parts import Parts, parts_of
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.scanner import redact, scan


def without_secrets(parts: Parts) -> Parts:
    """The parts that may be kept. The gate takes secrets out of the line; its parts stand beside it as columns and
    names, so they have to be without them before they come there.

    Raises :class:`Invalid` where they cannot be taken out, or no fact is left without.
    """
    if settings.ENV.secrets_policy != "redact":
        return parts
    findings = scan(parts.text)
    if not any(finding.kind == "secret" for finding in findings):
        return parts
    kept = parts_of(redact(parts.text, findings, within_length=True), is_value=parts.is_value)
    if any(finding.kind == "secret" for finding in scan(kept.text)):
        raise Invalid(
            "This fact holds a secret that could not be taken out.",
            code="secret_refused",
            fields={"text": "must not hold a secret"},
        )
    return kept
