"""The first steps of the gate, outside the owner's clock: shape, secrets, scan. Pure but for the scanner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.conf import settings

from pawflow_web.lib.crypto import keyed_digest
from pawflow_web.lib.errors import Invalid, Unavailable
from pawflow_web.lib.scanner import Finding, redact, scan
from pawflow_web.lib.text import clean, fold
from review.gate.proposals import Flag, Proposal, Source
from review.journal.snapshots import words_mac
from review.limits import TEXT_MOST, TTL_DAYS_MOST
from review.models import Privacy

logger = structlog.get_logger(__name__)
_REDACTED_AGAIN = 3


class TooLong(Invalid):
    """More words than a belief may have."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A proposal that has a good shape, with everything that was found in it."""

    proposal: Proposal
    text: str
    digest: str
    mac: str
    flags: tuple[Flag, ...]
    privacy: str
    # the scanner raised: what it would have said nobody knows
    unscanned: bool = False

    @property
    def clean(self) -> bool:
        """Nothing was found that a person should look at."""
        return not self.flags and not self.unscanned and self.privacy == Privacy.NORMAL

    def flag_values(self) -> list[dict[str, Any]]:
        return [flag.value() for flag in self.flags]


def prepare(proposal: Proposal) -> Prepared:
    """Check the shape, look for secrets and for instructions.

    Raises:
        TooLong: more than :data:`~review.limits.TEXT_MOST` characters.
        Invalid: empty, punctuation only, a bad ``ttl_days``, or (``PAWFLOW_SECRETS=refuse``) a secret.
    """
    _check_ttl(proposal.ttl_days)
    text = _shaped(proposal.text)
    findings, unscanned = _findings(text)
    secret = _has_secret(findings)
    if secret:
        text, findings, unscanned = _with_policy(text, findings)
    also, also_unscanned = _also_shown(proposal.also_shown)
    flags = [Flag(f.rule, f.start, f.end) for f in findings if f.kind == "injection"]
    # The parts beside the text have no place in it: an empty span at its start.
    flags += [Flag(f.rule, 0, 0) for f in also if f.kind == "injection"]
    return Prepared(
        proposal=replace(proposal, text=text, source=_shown_source(proposal.source, text, secret=secret)),
        text=text,
        digest=text_digest(text),
        mac=words_mac(text),
        flags=tuple(flags),
        privacy=_privacy([*findings, *also]),
        unscanned=unscanned or also_unscanned,
    )


def require_plain(tags: Sequence[str], privacy: str) -> None:
    """Look through the tags that a person puts beside a belief that is there already. New words in which something is
    found wait for review; a belief in use cannot, so the change is refused.

    Raises:
        Invalid: it holds a secret, an instruction to agents, or something personal although the belief is neither
            sensitive nor secret.
        Unavailable: the scanner failed.
    """
    findings, unscanned = _also_shown(tuple(clean(tag, field="tags") for tag in tags))
    if unscanned:
        raise Unavailable("The scanner failed, so nothing was changed. Try again.")
    if any(finding.kind == "injection" for finding in findings):
        raise Invalid(
            "A tag reads like an instruction to an agent. Leave it out.",
            fields={"tags": "must not hold an instruction"},
        )
    if privacy == Privacy.NORMAL and any(finding.kind == "personal" for finding in findings):
        raise Invalid(
            "A tag looks personal. Leave it out, or make the belief sensitive.",
            fields={"tags": "must not hold anything personal"},
        )


def text_digest(text: str) -> str:
    """What two texts share when they are the same words: a keyed digest of the folded text."""
    return keyed_digest("text", fold(text))


def _shaped(text: str) -> str:
    shaped = clean(text).strip()
    if not shaped:
        raise Invalid("A belief needs words; this text has none.", fields={"text": "must not be empty"})
    if len(shaped) > TEXT_MOST:
        sentence = f"must have at most {TEXT_MOST} characters; it has {len(shaped)}"
        raise TooLong(
            f"A belief has 1 to {TEXT_MOST:,} characters. This one has {len(shaped):,}.", fields={"text": sentence}
        )
    if not fold(shaped):
        raise Invalid("This text holds no words, only punctuation.", fields={"text": "must hold a word"})
    return shaped


def _check_ttl(days: int | None) -> None:
    if days is not None and not 1 <= days <= TTL_DAYS_MOST:
        raise Invalid(
            f"A belief is forgotten after 1 to {TTL_DAYS_MOST} days, not after {days}.",
            fields={"ttl_days": f"must be 1 to {TTL_DAYS_MOST}"},
        )


def _shown_source(source: Source, text: str, *, secret: bool) -> Source:
    """The source without a quote that would show in the clear what is masked or removed in the words."""
    if not source.quote:
        return source
    quote = clean(source.quote, field="quote")
    if secret or (quote.strip() not in text and _has_secret(_findings(quote)[0])):
        return replace(source, quote="", span=None)
    return source if quote == source.quote else replace(source, quote=quote, span=None)


def _has_secret(findings: list[Finding]) -> bool:
    return any(finding.kind == "secret" for finding in findings)


def _findings(text: str) -> tuple[list[Finding], bool]:
    """What the scanner found, and whether it failed. A failure never lets anything through: it goes to review."""
    try:
        return scan(text), False
    except Exception:
        logger.exception("scanner_failed")
        return [], True


def _also_shown(texts: tuple[str, ...]) -> tuple[list[Finding], bool]:
    """What the scanner found in the parts beside the text. A secret there is refused under every policy: tags
    and names are shown and indexed as they are."""
    found: list[Finding] = []
    failed = False
    for text in texts:
        findings, unscanned = _findings(text)
        failed = failed or unscanned
        if _has_secret(findings):
            raise Invalid(
                "A tag or a name looks like a secret. Leave it out.",
                fields={"tags": "must not hold a secret"},
            )
        found += findings
    return found, failed


def _with_policy(text: str, findings: list[Finding]) -> tuple[str, list[Finding], bool]:
    """The text that may be stored, what is found in it, and whether looking again failed."""
    policy = settings.ENV.secrets_policy
    if policy == "refuse":
        raise Invalid(
            "This looks like it holds a secret, and this server stores none (PAWFLOW_SECRETS=refuse).",
            code="secret_refused",
            fields={"text": "must not hold a secret"},
        )
    if policy == "redact":
        unscanned = False
        # Of two that stand close together, the rest of one may be seen only once the other is gone. What is still
        # found then is kept as a secret.
        for _ in range(_REDACTED_AGAIN):
            # What stands in a secret's place may be longer than it was.
            text = _shaped(redact(text, findings))
            findings, unscanned = _findings(text)
            if not _has_secret(findings):
                break
        return text, findings, unscanned
    return text, findings, False


def _privacy(findings: list[Finding]) -> str:
    kinds = {finding.kind for finding in findings}
    if "secret" in kinds:
        return Privacy.SECRET
    return Privacy.SENSITIVE if "personal" in kinds else Privacy.NORMAL
