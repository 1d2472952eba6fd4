"""The page of one entity: its names, its facts, when they held, and what stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, IntegerField, Q, Value, When
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import ngettext

from graph.facts.parts import predicate_of
from graph.facts.reading import aliases_of, facts_of_any_time, touching
from graph.models import Entity, EntityMerge
from graph.pages.forms import ALL, AroundForm, predicate_choices
from graph.pages.neighbourhood import Around, Neighbourhood, neighbourhood_of
from graph.pages.rows import FactRow, as_known, entity_url, fact_rows, with_ends
from pawflow_web.identity.person import person_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.errors import Invalid, NotFound
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.paging import Page, Pager
from pawflow_web.web.time_travel import then_of
from review.display.time_bars import Interval, named_by, ranges_of
from review.models import GovernanceItem

ROWS = 15
# Facts whose time is drawn, those of which a day is known first.
_DRAWN = 6


@dataclass(frozen=True, slots=True)
class Chip:
    text: str | Promise
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class EntityPage:
    """``bars`` are the two clocks of the facts on the first page: when each held, and since when it is known."""

    entity: Entity
    aliases: Sequence[str]
    form: AroundForm
    facts: Sequence[FactRow]
    more: str
    here: str
    chips: Sequence[Chip]
    predicates: Sequence[tuple[str, Any]]
    around: Neighbourhood | None = None
    held: Mapping[str, Any] | None = None
    known: Mapping[str, Any] | None = None
    merges: Sequence[EntityMerge] = ()

    @property
    def title(self) -> str:
        """What the drawing shows, for whoever does not see it."""
        number = self.around.facts if self.around else 0
        told = {"name": self.entity.name, "number": number}
        return (
            ngettext(
                "Neighbourhood of %(name)s, %(number)s fact", "Neighbourhood of %(name)s, %(number)s facts", number
            )
            % told
        )

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What the form of the predicate sends along."""
        asked = ((name, self.form.data.get(name, "")) for name in ("hops", "time"))
        return [(name, value) for name, value in asked if value]


def find_entity(person: Principal, reference: str) -> tuple[Entity, Sequence[str]]:
    """The entity that an address names, with the predicates of the facts about it. One that became part of another is
    found as that one.

    Raises :class:`NotFound` also where no fact that the person may read names it.
    """
    ref = parse_ref(reference) or ""
    rows = Entity.objects.filter(user_id=person.user_id)
    found = rows.filter(ref=ref).first() or rows.filter(merges__dropped_ref=ref, merges__undone_at=None).first()
    predicates = _predicates(person, found) if found is not None else []
    if found is None or not predicates:
        raise NotFound(f"There is no entity {ascii(reference)[:40]} that you may see.")
    return found, predicates


def page_of(
    request: HttpRequest, entity: Entity, predicates: Sequence[str], given: QueryDict, *, whole: bool = True
) -> EntityPage:
    """What ``given`` asks for; of a page that is not ``whole`` only its rows.

    Raises :class:`Invalid` for a cursor of another list.
    """
    person = person_of(request)
    form = AroundForm(given, auto_id="kg-%s")
    around = _around(request, form)
    page = _facts(person, entity, around, given.get("cursor") or None)
    items = as_known(page.rows, around.known_at)
    address = entity_url(entity.ref, around.query)
    joint = "&" if around.query else "?"
    shown = EntityPage(
        entity=entity,
        aliases=aliases_of(entity) if whole else (),
        form=form,
        facts=fact_rows(items, person, about=entity, at=around.at),
        more=f"{address}{joint}{urlencode({'cursor': page.next})}" if page.next else "",
        here=address,
        chips=_chips(entity, form),
        predicates=predicate_choices(predicates, around.predicate),
    )
    if not whole:
        return shown
    drawn = _intervals(shown.facts, items)
    return replace(
        shown,
        around=neighbourhood_of(person, entity, around) if not form.errors else None,
        held=ranges_of([held for held, _known in drawn], timezone.now()),
        known=ranges_of([known for _held, known in drawn], timezone.now()),
        # What was merged brought names.
        merges=list(EntityMerge.objects.filter(kept=entity, undone_at=None).order_by("-pk")) if shown.aliases else (),
    )


def _around(request: HttpRequest, form: AroundForm) -> Around:
    """What to look at; a form that cannot be asks for what stands there by itself."""
    day = then_of(request)
    around = Around(at=day.at if day else None, known_at=day.known if day else None)
    if not form.is_valid():
        return around
    wanted = form.cleaned_data
    try:
        predicate = predicate_of(wanted["predicate"]) if wanted["predicate"].strip() else ""
    except Invalid as error:
        form.add_error("predicate", error.message)
        return around
    asked = {"hops": wanted["hops"], "time": wanted["time"], "predicate": predicate}
    given = urlencode({name: value for name, value in asked.items() if value})
    return replace(
        around,
        hops=2 if wanted["hops"] else 1,
        all_time=wanted["time"] == ALL,
        predicate=predicate,
        query=f"?{given}" if given else "",
    )


def _facts(person: Principal, entity: Entity, around: Around, cursor: str | None) -> Page[GovernanceItem]:
    """What holds first, the newest of each first; of another day only what held then, unless all time is asked for."""
    asked = around if around.at or around.known_at else replace(around, all_time=True)
    holds = When(Q(valid__contains=around.at or StatementNow()), then=Value(1))
    rows = with_ends(asked.facts(person).filter(touching(entity.pk)))
    rows = rows.annotate(holds=Case(holds, default=Value(0), output_field=IntegerField()))
    question = {"entity": entity.ref, "at": around.at, "known_at": around.known_at, "query": around.query}
    return Pager.of("kg_entity", person.user_id, question).page(
        rows, order=["-holds", "-pk"], limit=ROWS, cursor=cursor
    )


def _predicates(person: Principal, entity: Entity) -> list[str]:
    rows = facts_of_any_time(person).filter(touching(entity.pk)).order_by("triple__predicate")
    return list(rows.values_list("triple__predicate", flat=True).distinct()[:200])


def _chips(entity: Entity, form: AroundForm) -> list[Chip]:
    """How far and of which time, each with everything else as it is."""
    given = {name: form.data.get(name, "").strip() for name in ("hops", "time", "predicate")}
    chips = []
    for name in ("time", "hops"):
        for value, text in form.fields[name].choices:  # type: ignore[attr-defined]  # both are choices
            asked = urlencode({key: said for key, said in {**given, name: value}.items() if said})
            chips.append(Chip(text, entity_url(entity.ref, f"?{asked}" if asked else ""), given[name] == value))
    return chips


def _intervals(rows: Sequence[FactRow], items: Sequence[GovernanceItem]) -> list[tuple[Interval, Interval]]:
    """When each fact held in the world, and when it was known here."""
    pairs = [pair for pair in zip(rows, items, strict=True) if not pair[1].valid.isempty]
    pairs.sort(key=lambda pair: not pair[0].days)
    drawn = []
    for row, item in pairs[:_DRAWN]:
        ends = row.object.name if row.outgoing else f"← {row.subject.name}"
        label, status = named_by(f"{row.fact.predicate} {ends}"), str(item.status)
        drawn.append(
            (
                Interval(label, status, item.valid.lower, item.valid.upper),
                Interval(label, status, item.recorded_at, item.retired_at),
            )
        )
    return drawn
