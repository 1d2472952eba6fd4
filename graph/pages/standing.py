"""What stands already where somebody is about to say a fact, and what would become of it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.http import QueryDict
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from graph.facts.linking import known_entities
from graph.facts.parts import name_of, normal, predicate_of
from graph.facts.reading import facts
from graph.facts.vocabulary import functional_of
from graph.pages.forms import KEEP, REPLACE
from graph.pages.rows import FactRow, day_words, fact_rows, with_ends
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.periods import parse_period
from pawflow_web.lib.text import clean
from review.gate.succession import find_room
from review.models import GovernanceItem, Scope

_NAME_MOST = 60
_VALUES_MOST = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """``value`` of the field ``rival``; ``sentence`` says what would come of it."""

    value: str
    label: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Standing:
    """``same`` is the fact itself where it is known already, ``others`` the values beside it. ``chosen`` is the choice
    that stands unless the person made one."""

    same: FactRow | None
    others: Sequence[FactRow]
    choices: Sequence[Choice] = ()
    chosen: str = ""


def standing_at(person: Principal, given: QueryDict) -> Standing | None:
    """What everybody who would read the new fact reads now; None where nothing stands there, or too little is said."""
    try:
        subject = name_of(given.get("subject", ""), field="subject")
        predicate = predicate_of(given.get("predicate", ""))
        last = clean(given.get("object", ""), field="object").strip()
    except Invalid:
        return None
    known = known_entities(person.user_id, [subject, last] if last else [subject])
    about = known.get(normal(subject))
    if about is None:
        return None
    items = _values(person, about, predicate)
    itself = next((item for item in items if last and _is(item, last, known.get(normal(last)))), None)
    others = [item for item in items if item is not itself][:_VALUES_MOST]
    if itself is not None:
        return Standing(fact_rows([itself], person)[0], fact_rows(others, person))
    if not others:
        return None
    rows = fact_rows(others, person)
    one_only = predicate in functional_of(person.user_id)
    choices = _choices(predicate, rows, _replacing(person, given, others), one_only=one_only)
    chosen = given.get("rival", "")
    usual = REPLACE if one_only else KEEP
    return Standing(None, rows, choices, chosen if chosen in {choice.value for choice in choices} else usual)


def _values(person: Principal, about: int, predicate: str) -> list[GovernanceItem]:
    rows = facts(person).filter(triple__live=True, triple__subject_id=about, triple__predicate=predicate)
    return list(with_ends(rows.filter(scope=Scope.GLOBAL)).order_by("-pk")[: _VALUES_MOST + 1])


def _is(item: GovernanceItem, last: str, entity: int | None) -> bool:
    """Whether the object of a fact is what was typed, by whatever name."""
    if item.triple.is_value:
        return normal(item.triple.object_name) == normal(last)
    return entity is not None and item.triple.object_id == entity


def _replacing(person: Principal, given: QueryDict, others: Sequence[GovernanceItem]) -> tuple[str, str]:
    """From when the new one would hold, and what became of the old one then."""
    period = None
    with suppress(Invalid):
        typed = given.get("valid_from", "").strip()
        period = parse_period(typed, person.zone, field="valid_from") if typed else None
    valid = DateTimeTZRange(period.first if period else None, None)
    room = find_room(valid, others, timezone.now())
    if not room.fits:
        then = _("It would hold within the time of another, so it waits for you in Review.")
    elif room.loser is None:
        then = _("They hold one after the other, and both stay.")
    else:
        name = room.loser.triple.object_name
        then = _("%(name)s ends then, and stays in the history.") % {"name": Truncator(name).chars(_NAME_MOST)}
    if period is None:
        return _("Replace it from now on"), then
    return _("Replace it from %(day)s") % {"day": day_words(period.first, period.precision)}, then


def _choices(predicate: str, others: Sequence[FactRow], replacing: tuple[str, str], *, one_only: bool) -> list[Choice]:
    replace = Choice(REPLACE, *replacing)
    if one_only:
        waits = _("The new one waits for you in Review: %(predicate)s holds one value at a time.")
        return [replace, Choice(KEEP, _("Keep both"), waits % {"predicate": predicate})]
    keep = Choice(KEEP, _("Keep both"), _("%(predicate)s may hold several values.") % {"predicate": predicate})
    # Which of several gives way is said by ending it.
    return [keep, replace] if len(others) == 1 else []
