"""Names and titles are text that can reach a prompt, so the scanner sees them when they are written: once, and before
any row is held."""

from dataclasses import dataclass
from typing import Self

from pawflow_web.lib.scanner import scan
from pawflow_web.lib.storable import looked_through


@dataclass(frozen=True, slots=True)
class Words:
    """A name or a title as it is kept. ``flagged``: something in it is aimed at agents, so it stays out of prompts."""

    text: str
    flagged: bool

    @classmethod
    def of(cls, text: str, *, field: str) -> Self:
        """Raises what :func:`~pawflow_web.lib.storable.looked_through` raises."""
        looked = looked_through(text, field=field)
        return cls(looked.text, looked.unfinished or any(finding.kind == "injection" for finding in looked.others))


def is_flagged(text: str) -> bool:
    """Whether a text that is kept already holds something that must stay out of prompts."""
    return bool(text) and any(finding.kind in {"injection", "secret"} for finding in scan(text))
