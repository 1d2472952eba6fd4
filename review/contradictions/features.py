"""What of a text matters when two texts are held against each other: its words, numbers, negations, opposites."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pawflow_web.lib.text import analyse, plain
from review.contradictions.vocabulary import (
    CHOSEN,
    CONTRACTIONS,
    COUNTED,
    NEGATIONS,
    NUMBERS,
    OPPOSITES,
    PLACED,
    SINGLE,
    STOP,
)

# A word with what ties it to another (node.js, eu-central-1), or a number with its parts (3.12, 09:30).
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*[a-z%°]{0,3}\b|[^\W_](?:[\w+#]|['’./@-](?=\w))*[+#]*")
_CONTRACTED = re.compile(r"n['’]?t\Z")
# So many words are looked at: a belief is a sentence or two.
_TOKENS_MOST = 120
_CELLS_FROM = 3

_AROUND = re.compile(r"\b(?P<around>over|instead of|rather than|more than|better than|before|after)\b")

_SLOT = re.compile(
    r"\A(?P<subject>.{0,80}?)\s*(?:\b(?P<placed>"
    + "|".join(sorted(map(re.escape, PLACED), key=len, reverse=True))
    + r")\b|\b(?P<is>is|are|was|will be)\b|(?P<mark>[:=]))\s*(?P<value>\S.{0,60})\Z"
)
_AS = re.compile(
    r"\A(?:user |the user |i )?(?:uses?|prefers?|chose|runs?) (?P<value>[\w.+# -]{1,40}) as (?P<subject>[\w -]{1,40})\Z"
)
_LEADING = re.compile(r"\A(?:the user's|user's|the user|user|the|my|our|i|we|he|she|it)\b\s*")
_VALUE_WORDS_MOST = 5
# After a plain "is", more words than these say what happens to it and not what it is.
_SINGLE_VALUE_MOST = 3
_PLACING = frozenset({"at", "in", "on", "by", "for", "to", "with", "from", "after", "before"})


@dataclass(frozen=True, slots=True)
class Features:
    """What is compared of one text.

    Args:
        content: the stems of its words, without those that only hold a sentence together.
        numbers: in their order, without those that are part of a name.
        sides: stem -> which pair of opposites it belongs to, and on which side.
        order: what stands on the left and on the right of "over", "rather than" and the like.
        slot: the thing that has one value at a time, and ``value`` the value that it is given.
    """

    content: frozenset[str]
    numbers: tuple[str, ...] = ()
    negative: bool = False
    sides: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    order: tuple[frozenset[str], frozenset[str]] | None = None
    slot: tuple[str, frozenset[str]] | None = None
    value: frozenset[str] = frozenset()


def features_of(text: str) -> Features:
    """Pure; linear in the length, and only the start of a very long text counts."""
    low = " ".join(plain(text[:2000]).lower().split()).rstrip(".!;")
    if low.count("; ") >= _CELLS_FROM - 1 and low.count(": ") >= _CELLS_FROM:
        # The row of a table: the names of its columns make it like every other row, and it contradicts none.
        return Features(frozenset())
    content: set[str] = set()
    numbers: list[str] = []
    negations = 0
    before = ""
    for word in _words(low):
        if word[0].isdigit() or word in NUMBERS:
            number = NUMBERS.get(word) or word.replace(",", "")
            if before in COUNTED:
                content.add(f"{before} {number}")
            else:
                numbers.append(number)
        elif _is_negation(word):
            negations += 1
        elif word not in STOP:
            content.add(stem(word))
        before = word
    slot, value = _slot(low)
    return Features(
        content=frozenset(content),
        numbers=tuple(numbers),
        negative=negations % 2 == 1,
        sides={one: _SIDES[one] for one in content if one in _SIDES},
        order=_order(low),
        slot=slot,
        value=value,
    )


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    stems = analyse(word).stems
    return stems[0] if stems else word


def _words(low: str) -> Iterator[str]:
    for number, match in enumerate(_TOKEN.finditer(low)):
        if number == _TOKENS_MOST:
            return
        yield match[0]


def _is_negation(word: str) -> bool:
    return word in NEGATIONS or (_CONTRACTED.sub("", word) in CONTRACTIONS and _CONTRACTED.search(word) is not None)


def _stems(low: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _words(low) if word not in STOP)


def _order(low: str) -> tuple[frozenset[str], frozenset[str]] | None:
    found = list(_AROUND.finditer(low))
    if len(found) != 1:
        return None
    left, right = _stems(low[: found[0].start()]), _stems(low[found[0].end() :])
    return (left, right) if left and right else None


def _slot(low: str) -> tuple[tuple[str, frozenset[str]] | None, frozenset[str]]:
    nothing: tuple[None, frozenset[str]] = (None, frozenset())
    chosen = _AS.match(low)
    if chosen:
        value = _stems(chosen["value"])
        return (("is", _stems(chosen["subject"])), value) if value else nothing
    match = _SLOT.match(low)
    if match is None or len(match["value"].split()) > _VALUE_WORDS_MOST:
        return nothing
    subject = _LEADING.sub("", match["subject"])
    value = frozenset(stem(word) for word in _words(match["value"]) if word not in STOP)
    if not value:
        return nothing
    if match["placed"]:
        return ((match["placed"], _stems(subject)), value)
    if len(match["value"].split()) > _SINGLE_VALUE_MOST or not _PLACING.isdisjoint(match["value"].split()):
        return nothing
    words = subject.split()
    single = bool(words) and len(words) <= 6 and (words[-1] in SINGLE or bool(CHOSEN & set(words)))
    return (("is", _stems(subject)), value) if single else nothing


def _sides() -> dict[str, tuple[int, int]]:
    return {
        stem(word): (kind, side)
        for kind, pair in enumerate(OPPOSITES)
        for side, words in enumerate(pair)
        for word in words
    }


_SIDES = _sides()
