"""Finding: one function over one catalogue, used when text is written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pawflow_web.lib.scanner import credentials, injection, overrides, personal
from pawflow_web.lib.scanner.catalogue import RULES, Kind
from pawflow_web.lib.scanner.hidden import hidden
from pawflow_web.lib.scanner.matching import Pattern, Views, joined, parted, unformatted

MOST_FINDINGS = 50

PATTERNS: tuple[Pattern, ...] = (
    *overrides.PATTERNS, *injection.PATTERNS, *credentials.PATTERNS, *personal.PATTERNS,
)  # fmt: skip
_AIMED = (*overrides.PATTERNS, *injection.PATTERNS)


@dataclass(frozen=True, slots=True)
class Finding:
    """``text[start:end]`` of the scanned text is what ``rule`` of the catalogue found."""

    rule: str
    kind: Kind
    start: int
    end: int


def scan(text: str) -> list[Finding]:
    """Everything the catalogue finds in ``text``, by position, at most 50; never raises, linear in the length.

    A secret has one finding, that of the most telling rule; so has a passage that one rule finds in several ways.
    """
    kept: list[Finding] = []
    for finding in _all(text):
        if not any(_same(known, finding) for known in kept):
            kept.append(finding)
            if len(kept) == MOST_FINDINGS:
                break
    return sorted(kept, key=lambda finding: (finding.start, finding.end, finding.rule))


def _same(known: Finding, new: Finding) -> bool:
    overlap = known.start < new.end and new.start < known.end
    return overlap and (known.rule == new.rule or known.kind == new.kind == "secret")


def redact(text: str, findings: Iterable[Finding], *, within_length: bool = False) -> str:
    """``text`` with every secret replaced by what it was: ``[GitHub token removed]``.

    Args:
        within_length: whatever stands in a secret's place is no longer than the secret, so that the text fits wherever
            it did.
    """
    out: list[str] = []
    done = 0
    for finding in sorted(findings, key=lambda finding: finding.start):
        if finding.kind == "secret" and finding.end > done:
            if finding.start >= done:
                most = finding.end - finding.start if within_length else None
                out += [text[done : finding.start], _mark(finding, most)]
            done = finding.end
    return "".join([*out, text[done:]])


def _mark(finding: Finding, most: int | None) -> str:
    """What stands in a secret's place, of at most so many characters."""
    told = f"[{RULES[finding.rule].label} removed]"
    if most is None or len(told) <= most:
        return told
    return "[removed]" if len("[removed]") <= most else "…"


def _all(text: str) -> Iterator[Finding]:
    for rule, start, end in hidden(text):
        yield Finding(rule, RULES[rule].kind, start, end)
    views = Views.of(text)
    yield from _found(views, PATTERNS)
    clear = unformatted(views)
    if clear:
        yield from _found(clear, _AIMED)
    # Identifiers are everywhere: they are parted only where one could hold an order.
    clear = clear or views
    if any(word in clear.low or word in clear.bare for word in overrides.ENGLISH_NEAR) and (words := parted(clear)):
        yield from _found(words, overrides.ENGLISH)
    if "\n" in text and (whole := joined(views)):
        yield from _found(whole, credentials.BROKEN)


def _found(views: Views, patterns: Iterable[Pattern]) -> Iterator[Finding]:
    for pattern in patterns:
        view: str = getattr(views, pattern.view)
        if view and any(word in view for word in pattern.near):
            for start, end in _matches(pattern, view):
                yield Finding(pattern.rule, RULES[pattern.rule].kind, *views.origin.span(start, end))


def _matches(pattern: Pattern, view: str) -> Iterator[tuple[int, int]]:
    count = 0
    for match in pattern.expression.finditer(view):
        start, end = match.span(pattern.group)
        if start < end and (pattern.check is None or pattern.check(match)):
            yield start, end
            count += 1
            if count == MOST_FINDINGS:
                return
