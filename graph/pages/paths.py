"""The shortest way from one entity to another, as a page tells it."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.facts.paths import way_between
from graph.facts.reading import facts
from graph.models import Entity
from graph.pages.rows import FactRow, fact_rows, with_ends
from pawflow_web.identity.principal import Principal


@dataclass(frozen=True, slots=True)
class Path:
    """``steps`` in their order, empty where there is no way; ``complete`` is false where the search gave up."""

    to: str
    found: bool
    steps: Sequence[FactRow]
    complete: bool


def path_of(person: Principal, entity: Entity, to: str) -> Path:
    """From the entity to whatever is called so, over what holds now."""
    way = way_between(principal=person, start=entity.name, end=to)
    rows = {item.pk: item for item in with_ends(facts(person).filter(pk__in=[item.pk for item in way.path]))}
    items = [rows[item.pk] for item in way.path if item.pk in rows]
    return Path(to, way.found, fact_rows(items, person), way.complete)
