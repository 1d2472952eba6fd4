"""The list of facts: what was asked for, what was found, and what to say about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from graph.facts.linking import words_of_name
from graph.facts.numbers import Numbers, numbers_of
from graph.facts.parts import predicate_of
from graph.facts.reading import facts, facts_of_any_time
from graph.models import EntityWord
from graph.pages.forms import ALL, FilterForm, predicate_choices
from graph.pages.rows import FactRow, as_known, fact_rows, with_ends
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid
from pawflow_web.lib.paging import Pager
from pawflow_web.web.templatetags.pawflow import thousands
from pawflow_web.web.time_travel import PARAMETERS, then_of
from review.querysets import ItemQuerySet

ROWS = 15
# Words of a question that narrow.
_WORDS_MOST = 8


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is set; ``url`` is the list without it."""

    text: str
    url: str
    removes: bool = True
    current: bool = False
    # leads to another day on purpose
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Browse:
    """One page of the list. ``here`` is its address without a cursor, ``more`` that of the next page."""

    rows: Sequence[FactRow]
    form: FilterForm
    selects: Sequence[Mapping[str, Any]]
    chips: Sequence[FilterChip]
    sentence: str
    here: str
    more: str
    numbers: Numbers
    q: str


def browse(request: HttpRequest, given: QueryDict) -> Browse:
    """The page that ``given`` asks for. A value that cannot be is shown as an error and found nothing by.

    Raises :class:`Invalid` for a cursor of another list.
    """
    person, numbers = person_of(request), numbers_of(person_of(request))
    form = FilterForm(given, auto_id="kg-%s")
    asked = [(name, given.get(name, "").strip()) for name in (*FilterForm.SINGLE, *PARAMETERS)]
    asked = [pair for pair in asked if pair[1]]
    day = then_of(request)
    at, known_at = (day.at, day.known) if day else (None, None)
    wanted = _wanted(person, form, at=at, known_at=known_at)
    pager = Pager.of("kg", person.user_id, dict(asked))
    page = pager.page(with_ends(wanted), order=["-pk"], limit=ROWS, cursor=given.get("cursor") or None)
    found = wanted.order_by().count()
    narrowed = [pair for pair in asked if pair[0] in FilterForm.SINGLE]
    return Browse(
        rows=fact_rows(as_known(page.rows, known_at), person, at=at, sourced=True),
        form=form,
        selects=_selects(form, numbers),
        chips=_chips(form, asked),
        sentence=_sentence(found, numbers, narrowed=bool(narrowed), of_a_day=day is not None),
        here=_address(asked),
        more=_address([*asked, ("cursor", page.next)]) if page.next else "",
        numbers=numbers,
        q=given.get("q", "").strip(),
    )


def _wanted(person: Principal, form: FilterForm, *, at: datetime | None, known_at: datetime | None) -> ItemQuerySet:
    nothing = facts(person).none()
    if not form.is_valid():
        return nothing
    wanted = form.cleaned_data
    rows = facts(person, at=at, known_at=known_at)
    if wanted["status"] == ALL:
        rows = facts_of_any_time(person, known_at=known_at)
    if wanted["predicate"]:
        try:
            rows = rows.filter(triple__predicate=predicate_of(wanted["predicate"]))
        except Invalid as error:
            form.add_error("predicate", error.message)
            return nothing
    words = words_of_name(wanted["q"])[:_WORDS_MOST]
    if wanted["q"].strip() and not words:
        return nothing
    for word in words:
        rows = rows.filter(_says(person, word))
    return rows


def _says(person: Principal, word: str) -> Q:
    """Facts one part of which has a word that begins so."""
    named = EntityWord.objects.filter(user_id=person.user_id, word__startswith=word).values("name__entity_id")
    by_value = Q(triple__is_value=True, triple__object_name__icontains=word)
    by_name = Q(triple__subject_id__in=named) | Q(triple__object_id__in=named)
    return by_name | Q(triple__predicate__contains=word) | by_value


def _selects(form: FilterForm, numbers: Numbers) -> list[dict[str, Any]]:
    status, predicate = form["status"], form["predicate"]
    used = [use.predicate for use in numbers.predicates]
    return [
        {
            "name": "predicate",
            "label": predicate.label,
            "value": predicate.value() or "",
            "options": predicate_choices(used, predicate.value() or ""),
        },
        {
            "name": "status",
            "label": status.label,
            "value": status.value() or "",
            "options": form.fields["status"].choices,  # type: ignore[attr-defined]  # a choice
        },
    ]


def _chips(form: FilterForm, asked: Sequence[tuple[str, str]]) -> list[FilterChip]:
    return [
        FilterChip(
            _chip_text(form, *pair), _address([other for other in asked if other != pair]), leaves=pair[0] in PARAMETERS
        )
        for pair in asked
    ]


def _chip_text(form: FilterForm, name: str, value: str) -> str:
    told = {
        "q": _("text: %(value)s"),
        "predicate": _("predicate: %(value)s"),
        "as_of": _("True on: %(value)s"),
        "known_at": _("As known on: %(value)s"),
    }
    if name in told:
        return told[name] % {"value": value}
    return str(dict(form.fields["status"].choices).get(value, value))  # type: ignore[attr-defined]  # a choice


def _address(asked: Sequence[tuple[str, str]]) -> str:
    return reverse("kg") + (f"?{urlencode(asked)}" if asked else "")


def _sentence(found: int, numbers: Numbers, *, narrowed: bool, of_a_day: bool) -> str:
    told = {"found": thousands(found), "total": thousands(numbers.current)}
    if of_a_day:
        return ngettext("%(found)s fact of that day", "%(found)s facts of that day", found) % told
    if narrowed:
        return _("%(found)s found, %(total)s current") % told
    return ngettext("%(found)s current fact", "%(found)s current facts", found) % told
