"""Names and titles are text that can reach a prompt, so the scanner sees them when they are written."""

from pawflow_web.lib.scanner import scan


def is_flagged(*texts: str) -> bool:
    """Whether any of these holds something aimed at an agent or secret, which must stay out of prompts."""
    return any(finding.kind in {"injection", "secret"} for text in texts if text for finding in scan(text))
