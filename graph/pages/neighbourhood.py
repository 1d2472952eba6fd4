"""What stands around an entity, as nodes and edges for the view."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from graph.facts.parts import label_of
from graph.facts.reading import facts, facts_of_any_time
from graph.models import Entity
from graph.pages.forms import OBTAINED
from graph.pages.rows import day_words, entity_url
from graph.view.picture import NODES_MOST, Picture, picture_of
from graph.view.shapes import Edge, Node, Style
from pawflow_web.identity.principal import Principal
from review.querysets import ItemQuerySet

# Facts that are read for each step away from the middle, the newest of them.
FACTS_MOST = 70
# Letters of a value beside a node.
_VALUE_MOST = 120
_STYLES: dict[str, Style] = {"EXTRACTED": "solid", "INFERRED": "dashed", "AMBIGUOUS": "dotted"}


@dataclass(frozen=True, slots=True)
class Around:
    """What is looked at: one or two steps, of one predicate or all, what holds or whatever was known to hold. ``query``
    keeps that in the links."""

    hops: int = 1
    all_time: bool = False
    predicate: str = ""
    at: datetime | None = None
    known_at: datetime | None = None
    query: str = ""

    def facts(self, person: Principal) -> ItemQuerySet:
        rows = facts_of_any_time(person, known_at=self.known_at)
        if not self.all_time:
            rows = facts(person, at=self.at, known_at=self.known_at)
        return rows.filter(triple__predicate=self.predicate) if self.predicate else rows


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """``cut``: there are more facts than were read."""

    picture: Picture
    facts: int
    cut: bool


def neighbourhood_of(person: Principal, entity: Entity, around: Around) -> Neighbourhood:
    """The graph around an entity, drawn."""
    found = _Found(around)
    found.nodes[_id(entity.pk)] = Node(_id(entity.pk), entity.name, entity_url(entity.ref, around.query), _("centre"))
    level = found.add(_read(person, around, [entity.pk], ()))
    if around.hops > 1 and level:
        # Who is not drawn is no step on the way either.
        found.add(_read(person, around, level[: NODES_MOST - 1], [edge.pk for edge in found.read]))
    return Neighbourhood(picture_of(list(found.nodes.values()), found.edges), len(found.edges), found.cut)


class _Fact(NamedTuple):
    pk: int
    ref: str
    valid: DateTimeTZRange
    since: str
    predicate: str
    score: int
    value: str
    subject: int
    subject_ref: str
    subject_name: str
    object: int | None
    object_ref: str
    object_name: str


_COLUMNS = (
    "pk",
    "ref",
    "valid",
    "valid_from_precision",
    "triple__predicate",
    "triple__score",
    "triple__object_name",
    "triple__subject_id",
    "triple__subject__ref",
    "triple__subject__name",
    "triple__object_id",
    "triple__object__ref",
    "triple__object__name",
)


def _read(person: Principal, around: Around, ids: Sequence[int], known: Sequence[int]) -> list[_Fact]:
    """The newest facts that touch one of these entities, one more than are shown."""
    touching = Q(triple__subject_id__in=ids) | Q(triple__object_id__in=ids)
    rows = around.facts(person).filter(touching, triple__live=True).exclude(pk__in=known)
    return [_Fact(*row) for row in rows.order_by("-pk").values_list(*_COLUMNS)[: FACTS_MOST + 1]]


@dataclass
class _Found:
    around: Around
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    read: list[_Fact] = field(default_factory=list)
    cut: bool = False

    def add(self, rows: Sequence[_Fact]) -> list[int]:
        """Take what was read. Returns the entities that it brought."""
        self.cut = self.cut or len(rows) > FACTS_MOST
        brought = []
        for fact in rows[:FACTS_MOST]:
            self.read.append(fact)
            for pk, node in _ends(fact, self._told(fact), self.around.query):
                if node.id not in self.nodes:
                    self.nodes[node.id] = node
                    brought += [pk] if pk is not None else []
            self.edges.append(self._edge(fact))
        return brought

    def _edge(self, fact: _Fact) -> Edge:
        label = label_of(fact.score)
        end = _id(fact.object) if fact.object is not None else f"v{fact.pk}"
        style = _STYLES[label] if self._holds(fact) else "faded"
        url = reverse("item", args=[fact.ref])
        told = ", ".join(filter(None, [str(OBTAINED[label]), self._days(fact)]))
        return Edge(_id(fact.subject), end, fact.predicate, style, url, told)

    def _told(self, fact: _Fact) -> str:
        """``knows, current``"""
        return f"{fact.predicate}, {_('current') if self._holds(fact) else _('not now')}"

    def _holds(self, fact: _Fact) -> bool:
        return (self.around.at or timezone.now()) in fact.valid

    def _days(self, fact: _Fact) -> str:
        since = day_words(fact.valid.lower, fact.since)
        told = _("from %(since)s") % {"since": since} if since else ""
        return told if self._holds(fact) else ", ".join(filter(None, [told, _("not now")]))


def _ends(fact: _Fact, told: str, query: str) -> Iterator[tuple[int | None, Node]]:
    yield fact.subject, Node(_id(fact.subject), fact.subject_name, entity_url(fact.subject_ref, query), told)
    if fact.object is not None:
        yield fact.object, Node(_id(fact.object), fact.object_name, entity_url(fact.object_ref, query), told)
    else:
        url = reverse("item", args=[fact.ref])
        yield None, Node(f"v{fact.pk}", fact.value[:_VALUE_MOST], url, told, plain=True)


def _id(entity: int) -> str:
    return f"e{entity}"
