"""The three parts of a fact: how they are written, compared and put into one line. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from graph.limits import NAME_MOST, NORMAL_MOST, PREDICATE_MOST, VALUE_MOST
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.text import clean, fold

ARROW = "→"
_JOINT = f" {ARROW} "
_BETWEEN = re.compile(r"[\s\-_]+")

# score in hundredths from which on a fact carries the label
LABELS = (("EXTRACTED", 90), ("INFERRED", 50), ("AMBIGUOUS", 0))
AMBIGUOUS_BELOW = 50
_SCORES = {"EXTRACTED": 100, "INFERRED": 70, "AMBIGUOUS": 30}


@dataclass(frozen=True, slots=True)
class Parts:
    """``object`` is the name of an entity, or with ``is_value`` words that are kept as they are."""

    subject: str
    predicate: str
    object: str
    is_value: bool = False

    @property
    def text(self) -> str:
        """The line that the gate, the search and people see. Neither subject nor predicate can hold an arrow, so two
        facts never share it."""
        return _JOINT.join((self.subject, self.predicate, self.object))


def name_of(words: str, *, field: str) -> str:
    """A name as it is shown: cleaned, blanks folded. Raises :class:`Invalid` naming ``field``."""
    name = " ".join(clean(words, field=field).split())
    if not name or not fold(name):
        raise Invalid(f"{field} needs a name.", fields={field: "must not be empty"})
    if len(name) > NAME_MOST or len(fold(name)) > NORMAL_MOST:
        raise Invalid(f"{field} is too long.", fields={field: f"must have at most {NAME_MOST} characters"})
    if ARROW in name:
        raise Invalid(f"{field} holds an arrow.", fields={field: f"must not hold {ARROW}"})
    return name


def normal(name: str) -> str:
    """What two spellings of one name share."""
    return fold(name)


def value_of(words: str, *, field: str = "object") -> str:
    """A value as it is kept: cleaned, otherwise as it was given."""
    value = clean(words, field=field).strip()
    if not value or not fold(value):
        raise Invalid(f"{field} needs a value.", fields={field: "must not be empty"})
    if len(value) > VALUE_MOST:
        raise Invalid(f"{field} is too long.", fields={field: f"must have at most {VALUE_MOST} characters"})
    return value


def predicate_of(words: str, *, field: str = "predicate") -> str:
    """``Works at`` and ``works-at`` are ``works_at``. Raises :class:`Invalid` naming ``field``."""
    cleaned = unicodedata.normalize("NFKC", clean(words, field=field)).casefold()
    predicate = _BETWEEN.sub("_", cleaned).strip("_")
    if not predicate or not any(letter.isalnum() for letter in predicate):
        raise Invalid(f"{field} needs a word.", fields={field: "must hold a word"})
    if len(predicate) > PREDICATE_MOST:
        raise Invalid(f"{field} is too long.", fields={field: f"must have at most {PREDICATE_MOST} characters"})
    if ARROW in predicate:
        raise Invalid(f"{field} holds an arrow.", fields={field: f"must not hold {ARROW}"})
    return predicate


def parts_of(text: str, *, is_value: bool) -> Parts:
    """The parts of a fact out of the line that :attr:`Parts.text` made of them.

    Raises :class:`Invalid` for a line that nobody writes so, in the words of the field ``text``.
    """
    pieces = text.split(_JOINT, 2)
    if len(pieces) != 3:
        raise Invalid(
            f"A fact is written subject{_JOINT}predicate{_JOINT}object.",
            fields={"text": f"must read subject{_JOINT}predicate{_JOINT}object"},
        )
    subject, predicate, end = pieces
    last = value_of(end, field="text") if is_value else name_of(end, field="text")
    return Parts(name_of(subject, field="text"), predicate_of(predicate, field="text"), last, is_value)


def score_of(confidence: Any) -> int:
    """Hundredths of a label or a number from 0 to 1; of anything else :class:`Invalid` naming the choices."""
    if isinstance(confidence, str) and confidence.strip().upper() in _SCORES:
        return _SCORES[confidence.strip().upper()]
    if isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
        return round(confidence * 100)
    choices = ", ".join(label for label, _ in LABELS)
    raise Invalid(
        f"confidence is {ascii(confidence)[:40]}; it must be one of {choices}, or a number from 0 to 1.",
        fields={"confidence": f"must be one of {choices}, or a number from 0 to 1"},
    )


def label_of(score: int) -> str:
    """The label of a score in hundredths."""
    return next(label for label, least in LABELS if score >= least)
