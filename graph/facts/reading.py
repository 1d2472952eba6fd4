"""Facts as a caller may read them. Entities exist for a caller exactly as far as such a fact names them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import DateTimeField, F, Func, Q, Value
from django.db.models.functions import Coalesce

from graph.facts.linking import known_entities
from graph.facts.parts import normal
from graph.models import Entity, EntityName
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow
from pawflow_web.lib.paging import Page, Pager, behind
from review.models import GovernanceItem, KindName
from review.querysets import ItemQuerySet

# Stands for a beginning that nobody said: before every other. The database's own word for it cannot be read here.
_UNSAID = datetime(1, 1, 1, tzinfo=UTC)
_NEWEST = ("-pk",)


def facts(principal: Principal, *, at: datetime | None = None, known_at: datetime | None = None) -> ItemQuerySet:
    """Facts that this caller may have in a prompt and that held at the moment asked for, default now."""
    return GovernanceItem.objects.recallable(principal, at=at, known_at=known_at).filter(kind=KindName.FACT)


def facts_of_any_time(principal: Principal, *, known_at: datetime | None = None) -> ItemQuerySet:
    """The same, whenever they held."""
    return GovernanceItem.objects.ever_recallable(principal, known_at=known_at).filter(kind=KindName.FACT)


def touching(entity: int, direction: str = "both") -> Q:
    """Facts at one end of which the entity stands."""
    return reduce(or_, _ends(entity, direction))


def _ends(entity: int, direction: str = "both") -> list[Q]:
    """The same, each end by itself: each has an index of its own, which gives the newest first."""
    ends = {"outgoing": Q(triple__subject_id=entity), "incoming": Q(triple__object_id=entity)}
    asked = ends if direction == "both" else [direction]
    return [ends[name] & Q(triple__live=True) for name in asked]


def _is_named(rows: ItemQuerySet, entity: int) -> bool:
    return any(rows.filter(end).exists() for end in _ends(entity))


def entity_named(principal: Principal, name: str) -> Entity | None:
    """The entity that has this name, if any fact that the caller may read names it, whenever it held."""
    found = known_entities(principal.user_id, [name]).get(normal(name))
    if found is None or not _is_named(facts_of_any_time(principal), found):
        return None
    return Entity.objects.get(pk=found)


def names_here(principal: Principal, names: Sequence[str]) -> dict[str, str]:
    """By folded name: what the graph calls that entity, for those that the caller may know of."""
    known = known_entities(principal.user_id, names)
    called = dict(Entity.objects.filter(pk__in=known.values()).values_list("pk", "name"))
    # A name that is the entity's own says nothing that the caller has not said; only another one has to be looked at.
    return {
        folded: called[pk]
        for folded, pk in known.items()
        if normal(called[pk]) == folded or _is_named(facts_of_any_time(principal), pk)
    }


def values_of(principal: Principal, facet: Mapping[str, Any], *, limit: int) -> list[GovernanceItem]:
    """The other values that the subject has for the predicate now, as far as the caller may read them."""
    folded = normal(facet["subject_name"])
    entity = known_entities(principal.user_id, [facet["subject_name"]]).get(folded)
    if entity is None:
        return []
    rows = facts(principal).filter(triple__subject_id=entity, triple__predicate=facet["predicate"], triple__live=True)
    rows = rows.exclude(triple__object_name=facet["object_name"]).select_related("triple").order_by("-pk")
    same = normal(facet["object_name"])
    return [item for item in rows[:limit] if normal(item.triple.object_name) != same]


@dataclass(frozen=True, slots=True)
class About:
    """What is known about an entity: the names that the caller may know it by, and a page of facts."""

    entity: Entity | None
    aliases: tuple[str, ...]
    page: Page[GovernanceItem]


def about(
    *,
    principal: Principal,
    name: str,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    direction: str = "both",
    current: bool | None = None,
    limit: int = 100,
    cursor: str | None = None,
    only: int | None = None,
) -> About:
    """The facts that name an entity, the newest first.

    Args:
        as_of: only what held in the world then. ``known_at``: as it was known here then.
        current: only what holds now, or only what does not; None for both.
        only: the question about this one belief alone, by its row id.

    Raises :class:`~pawflow_web.lib.errors.Invalid` for a cursor of another question.
    """
    found = entity_named(principal, name)
    if found is None:
        return About(None, (), Page([], None))
    question = {"entity": found.ref, "as_of": as_of, "known_at": known_at, "direction": direction, "current": current}
    rows = _asked(principal, as_of=as_of, known_at=known_at, current=current)
    rows = rows if only is None else rows.filter(pk=only)
    pager = Pager.of("kg_query", principal.token_ref or principal.user_id, question)
    return About(found, aliases_of(found), _page_of(found, rows, pager, limit, cursor, direction=direction))


def aliases_of(entity: Entity) -> tuple[str, ...]:
    """The other names of an entity: a person's own are shown to all of the owner's agents that know the entity."""
    names = EntityName.objects.filter(entity=entity).exclude(normal=normal(entity.name)).order_by("name")
    return tuple(names.values_list("name", flat=True))


def timeline(
    *,
    principal: Principal,
    name: str | None,
    order: str = "recorded",
    limit: int = 20,
    cursor: str | None = None,
    only: int | None = None,
) -> Page[GovernanceItem]:
    """Facts in the order in which they were recorded, the newest first, or in which they became true, the latest
    first. ``name``: only about that entity; ``only``: as for :func:`about`."""
    rows = facts_of_any_time(principal)
    rows = rows if only is None else rows.filter(pk=only)
    found = entity_named(principal, name) if name is not None else None
    if name is not None and found is None:
        return Page([], None)
    pager = Pager.of("kg_timeline", principal.token_ref or principal.user_id, {"entity": name, "order": order})
    if order == "valid":
        return _by_validity(rows.filter(touching(found.pk)) if found else rows, pager, limit, cursor)
    if found is not None:
        return _page_of(found, rows, pager, limit, cursor)
    return pager.page(rows.for_display(), order=["-pk"], limit=limit, cursor=cursor)


def _page_of(
    entity: Entity, rows: ItemQuerySet, pager: Pager, limit: int, cursor: str | None, *, direction: str = "both"
) -> Page[GovernanceItem]:
    """Those of ``rows`` that name the entity, the newest first. As many of each end as a page has are enough to know
    the page: an entity that ten thousand facts name costs as much as any other."""
    position = pager.read(cursor)
    rest = rows if position is None else rows.filter(behind(_NEWEST, position))
    newest: set[int] = set()
    for end in _ends(entity.pk, direction):
        newest.update(rest.filter(end).order_by(*_NEWEST).values_list("pk", flat=True)[: limit + 1])
    return pager.page(rows.filter(pk__in=newest).for_display(), order=_NEWEST, limit=limit, cursor=cursor)


def is_current(item: GovernanceItem, now: datetime) -> bool:
    """Whether a readable fact holds at this moment."""
    return not item.valid.isempty and now in item.valid


def _asked(
    principal: Principal, *, as_of: datetime | None, known_at: datetime | None, current: bool | None
) -> ItemQuerySet:
    rows = facts_of_any_time(principal, known_at=known_at)
    if as_of is not None:
        rows = facts(principal, at=as_of, known_at=known_at)
    if current is None:
        return rows
    now = Q(valid__contains=StatementNow())
    return rows.filter(now if current else ~now)


def _by_validity(rows: ItemQuerySet, pager: Pager, limit: int, cursor: str | None) -> Page[GovernanceItem]:
    """What began last comes first; what began nobody knows when comes last."""
    position = pager.read(cursor)
    began_at = Func(F("valid"), function="lower", output_field=DateTimeField())
    ordered = rows.for_display().annotate(began=Coalesce(began_at, Value(_UNSAID, output_field=DateTimeField())))
    if position is not None:
        began, pk = datetime.fromisoformat(position[0]), position[1]
        ordered = ordered.filter(Q(began__lt=began) | Q(began=began, pk__lt=pk))
    found = list(ordered.order_by("-began", "-pk")[: limit + 1])
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], pager.write([(last.valid.lower or _UNSAID).isoformat(), last.pk]))
