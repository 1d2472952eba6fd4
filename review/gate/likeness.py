"""How much two texts resemble each other: the share of common words, nothing more."""

from collections.abc import Iterable

from pawflow_web.lib.text import analyse

# Measured on reworded pairs: a full stop, another case, another order or one added word stay above the second;
# different facts of one shape stay below it.
SIMILAR_FROM = 0.3
NEAR_FROM = 0.8


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's coefficient of two sets of words."""
    return len(one & other) / len(one | other) if one or other else 0.0


def is_near_one_of(text: str, others: Iterable[str]) -> bool:
    """Whether the text comes near to one of the others."""
    words = frozenset(analyse(text).stems)
    return any(share(words, frozenset(analyse(other).stems)) >= NEAR_FROM for other in others)
