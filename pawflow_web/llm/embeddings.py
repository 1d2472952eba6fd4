"""Turning texts into vectors: what is asked of those who can, and what is believed of their answers."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Protocol

from pawflow_web.llm.models import DIMENSIONS_MOST, Source

Vector = tuple[float, ...]

# The first tells one model from another; how alike the others look to a model that sees no relation between them
# is the least that a likeness must exceed to mean anything.
SENTENCES = (
    "The lighthouse keeper counts the ships before breakfast.",
    "Interest rates were raised by a quarter of a percent.",
    "Use four spaces for indentation in Python files.",
    "Our cat refuses to eat anything but tuna.",
    "The train to Lisbon leaves at seven in the morning.",
    "She plays the second violin in an amateur orchestra.",
    "Deploy only after the database backup has finished.",
    "Photosynthesis turns light into chemical energy.",
    "The invoice is due at the end of the month.",
    "He broke his ankle while skiing last winter.",
    "Medieval monks copied books by hand.",
    "Water the tomatoes twice a week in summer.",
)


class EmbeddingFailed(Exception):
    """There are no vectors now. ``code``: not_installed, unreachable, timeout, refused_<status>, bad_reply, too_large,
    changed, unstable or busy."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Provider(Protocol):
    """One who embeds."""

    @property
    def source(self) -> Source: ...

    @property
    def model_name(self) -> str: ...

    def embed(self, texts: Sequence[str], *, seconds: float) -> "list[Vector | None]":
        """A vector of length 1 for each text, None where what came back is none. Takes about ``seconds`` at the
        most where somebody else does the work. Raises :class:`EmbeddingFailed`."""
        ...


def unit(numbers: Any) -> Vector | None:
    """The direction of what somebody says is a vector; None for anything that has none: no list, too long, not all
    finite numbers, all zero."""
    if not isinstance(numbers, (list, tuple)) or not 0 < len(numbers) <= DIMENSIONS_MOST:
        return None
    if not all(isinstance(number, Real) and not isinstance(number, bool) for number in numbers):
        return None
    try:
        length = math.hypot(*numbers)
        found = tuple(number / length for number in numbers)
    except (OverflowError, ZeroDivisionError):
        return None
    return found if math.isfinite(length) and all(map(math.isfinite, found)) else None


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of length 1; 0 where they have nothing in common to compare."""
    if len(one) != len(other):
        return 0.0
    return math.fsum(a * b for a, b in zip(one, other, strict=True))
