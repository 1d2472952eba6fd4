"""Pairs of texts that may contradict each other, told from their words alone.

Two texts that look alike and differ in a number, a "not", a pair of opposites, the order around "rather than", or the
one value of something that has one. It is a hint for a person, never a decision: what says the same in other words is
not found, and both may be true at different times. Every text is compared only with those that share its rare words,
so the work grows with the number of texts and not with its square.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from review.contradictions.features import Features, features_of

Difference = Literal["number", "negation", "opposite", "order", "value"]

# The share of common words from which two texts are taken to speak of the same thing.
ALIKE_FROM = 0.75
# Three values of one thing may be mistakes; more of them are a list: ports of services, chapters of a book.
VALUES_MOST = 3
# A text with more numbers is a row of figures.
NUMBERS_MOST = 3
# Words in more texts than this do not tell texts apart; and a bound for files made to be slow.
_POSTINGS_MOST = 40
_PAIRS_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Clash:
    """Texts number ``first`` and ``second`` (``first < second``) may contradict each other."""

    first: int
    second: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class Clashes:
    """All that were found. Not ``complete``: there was more to compare than is compared."""

    found: tuple[Clash, ...]
    complete: bool


def find_clashes(texts: Sequence[str]) -> Clashes:
    """The pairs among ``texts``, in their order. Pure; the same texts always give the same pairs."""
    known = [features_of(text) for text in texts]
    lists = _Lists(known)
    found: dict[tuple[int, int], Difference] = {}
    tried = 0
    for one, other in _candidates(known):
        tried += 1
        if tried > _PAIRS_MOST:
            break
        if (one, other) in found or lists.are_of_one_list(one, other):
            continue
        difference = difference_of(known[one], known[other])
        if difference is not None:
            found[one, other] = difference
    clashes = tuple(Clash(one, other, difference) for (one, other), difference in sorted(found.items()))
    return Clashes(clashes, complete=tried <= _PAIRS_MOST)


def difference_of(one: Features, other: Features) -> Difference | None:
    """In what two texts that speak of the same thing contradict each other; None when they do not."""
    if one.slot and other.slot and one.slot == other.slot and _exclude_each_other(one.value, other.value):
        return "value" if one.negative == other.negative else None
    shared = one.content & other.content
    if not shared:
        return None
    mine, theirs = one.content - shared, other.content - shared
    if one.negative == other.negative and one.numbers == other.numbers:
        if len(mine) == len(theirs) == 1 and _are_opposites(one, other, mine, theirs):
            return "opposite"
        return "order" if not mine and not theirs and _are_swapped(one, other) else None
    if (mine and theirs) or (len(shared) < 2 and (mine or theirs)):
        # Each has a word of its own: they speak of two things.
        return None
    if len(shared) < ALIKE_FROM * len(one.content | other.content):
        return None
    if one.negative != other.negative:
        return "negation" if one.numbers == other.numbers else None
    return "number" if len(one.numbers) == len(other.numbers) <= NUMBERS_MOST else None


def _exclude_each_other(one: frozenset[str], other: frozenset[str]) -> bool:
    """Neither is the other in more words ("Frankfurt", "Frankfurt am Main"), or of another sort ("in 1990")."""
    return not one <= other and not other <= one and _is_number(one) == _is_number(other)


def _is_number(value: frozenset[str]) -> bool:
    return any(word[0].isdigit() for word in value)


def _are_opposites(one: Features, other: Features, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    (left,), (right,) = mine, theirs
    here, there = one.sides.get(left), other.sides.get(right)
    return here is not None and there is not None and here[0] == there[0] and here[1] != there[1]


def _are_swapped(one: Features, other: Features) -> bool:
    if not one.order or not other.order:
        return False
    (left, right), (other_left, other_right) = one.order, other.order
    return right != other_right and right <= other_left and other_right <= left


# --- which pairs are looked at -----------------------------------------------------------------------------------


class _Lists:
    """Texts of one shape with many different values: each is an entry of a list, and none contradicts another."""

    def __init__(self, known: Sequence[Features]) -> None:
        numbers: dict[object, set[tuple[str, ...]]] = defaultdict(set)
        values: dict[object, set[frozenset[str]]] = defaultdict(set)
        for features in known:
            if features.numbers:
                numbers[features.content].add(features.numbers)
            if features.slot:
                values[features.slot].add(features.value)
        self._known = known
        self._long = {key for key, found in numbers.items() if len(found) > VALUES_MOST}
        self._many = {key for key, found in values.items() if len(found) > VALUES_MOST}

    def are_of_one_list(self, one: int, other: int) -> bool:
        here, there = self._known[one], self._known[other]
        same_shape = here.content == there.content and here.content in self._long and here.numbers != there.numbers
        return same_shape or bool(here.slot and here.slot == there.slot and here.slot in self._many)


def _candidates(known: Sequence[Features]) -> Iterator[tuple[int, int]]:
    """Pairs that may be alike, ``first < second``, some of them several times."""
    yield from _of_one_key(known)
    yield from _sharing_rare_words(known)


def _of_one_key(known: Sequence[Features]) -> Iterator[tuple[int, int]]:
    """Texts that are the same but for what may differ."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, features in enumerate(known):
        if features.slot:
            groups["slot", features.slot].append(number)
        if features.content:
            groups["content", features.content].append(number)
        for stem, (kind, _side) in features.sides.items():
            groups["opposite", kind, features.content - {stem}].append(number)
    for members in groups.values():
        if len(members) <= _POSTINGS_MOST:
            yield from combinations(members, 2)
        else:
            # Far too many for a mistake, and most of them the same words: each with the next.
            yield from pairwise(members)


def _sharing_rare_words(known: Sequence[Features]) -> Iterator[tuple[int, int]]:
    """The prefix filter of set similarity joins (Chaudhuri, Ganti and Kaushik, ICDE 2006): texts with such a share
    of common words have one of their rarest in common."""
    frequency = Counter(stem for features in known for stem in features.content)
    postings: dict[str, list[int]] = defaultdict(list)
    for number, features in enumerate(known):
        stems = sorted(features.content, key=lambda stem: (frequency[stem], stem))
        for stem in stems[: len(stems) - math.ceil(ALIKE_FROM * len(stems)) + 1]:
            if 1 < frequency[stem] <= _POSTINGS_MOST:
                for earlier in postings[stem]:
                    yield earlier, number
                postings[stem].append(number)
