"""The scanner: what in a text is aimed at the agent, is secret, or is personal. See ``docs/scanner.md``."""

from pawflow_web.lib.scanner.catalogue import Kind, describe
from pawflow_web.lib.scanner.scan import MOST_FINDINGS, Finding, redact, scan

__all__ = ["MOST_FINDINGS", "Finding", "Kind", "describe", "redact", "scan"]
