"""Names and entities: which entity a name belongs to, and how entities come and go with the facts in use.

All writes happen under the owner's clock, so that two writers never make one entity twice.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from graph.facts.parts import normal
from graph.limits import WORD_MOST, WORDS_MOST
from graph.models import Entity, EntityMerge, EntityName, Triple
from pawflow_web.identity.clock import user_clock
from pawflow_web.lib.db import execute
from pawflow_web.lib.text import analyse

# Under this name a :class:`_Left` hangs on the clock.
_LEFT = "graph.entities"

_KNOWN = "SELECT normal, entity_id FROM graph_entityname WHERE user_id = %(user)s AND normal = ANY(%(normals)s::text[])"
_NEW_WORDS = """
INSERT INTO graph_entityword (user_id, name_id, word)
SELECT %(user)s::bigint, %(name)s::bigint, word FROM unnest(%(words)s::text[]) AS given (word)
"""
_GONE = """
SELECT id FROM graph_entity AS e WHERE id = ANY(%(ids)s::bigint[])
  AND NOT EXISTS (SELECT FROM graph_triple AS t WHERE t.live AND t.subject_id = e.id)
  AND NOT EXISTS (SELECT FROM graph_triple AS t WHERE t.live AND t.object_id = e.id)
"""
_WITH_IT = (
    "DELETE FROM graph_entityword WHERE name_id IN (SELECT id FROM graph_entityname WHERE entity_id = ANY(%(ids)s))",
    "DELETE FROM graph_entityname WHERE entity_id = ANY(%(ids)s)",
    "DELETE FROM graph_entitymerge WHERE kept_id = ANY(%(ids)s)",
    "DELETE FROM graph_entity WHERE id = ANY(%(ids)s)",
)
_MOVE_DEGREES = """
UPDATE graph_entity AS e SET degree = e.degree + given.step
FROM (SELECT id, sum(step) AS step FROM unnest(%(ids)s::bigint[], %(steps)s::int[]) AS t (id, step) GROUP BY id)
  AS given
WHERE e.id = given.id
"""


def known_entities(user_id: int, names: Iterable[str]) -> dict[str, int]:
    """Row ids of entities by the folded form of a name; names that no entity has are left out."""
    normals = sorted({normal(name) for name in names})
    return dict(execute(_KNOWN, {"user": user_id, "normals": normals})) if normals else {}


def link(user_id: int, names: Sequence[str]) -> list[int]:
    """The entity of each name, made where there is none yet."""
    known = known_entities(user_id, names)
    for name in names:
        if normal(name) not in known:
            known[normal(name)] = _made(user_id, name).pk
    return [known[normal(name)] for name in names]


def _made(user_id: int, name: str) -> Entity:
    entity = Entity.objects.create(user_id=user_id, name=name)
    give_name(entity, name)
    return entity


def give_name(entity: Entity, name: str) -> EntityName:
    """One more name. The caller knows that nobody has it."""
    row = EntityName.objects.create(user_id=entity.user_id, entity=entity, name=name, normal=normal(name))
    words = words_of_name(name)
    if words:
        execute(_NEW_WORDS, {"user": entity.user_id, "name": row.pk, "words": words})
    return row


def words_of_name(name: str) -> list[str]:
    """What a name is found by: its words as search compares them."""
    return sorted({word[:WORD_MOST] for word in analyse(name).exact})[:WORDS_MOST]


def let_go(ids: Collection[int]) -> None:
    """Delete those of these entities that no fact in use names any more, with everything that hangs on them."""
    gone = [pk for (pk,) in execute(_GONE, {"ids": sorted(ids)})] if ids else []
    if gone:
        for statement in _WITH_IT:
            execute(statement, {"ids": gone})


def let_go_at_the_end(user_id: int, ids: Collection[int], *, forgetting: Collection[str] = ()) -> None:
    """The same when all of the act is done: what takes the place of an entity's only fact names it again.

    Args:
        forgetting: names that must not outlive what said them, as a person gave some of them by a merge: they go too,
            unless another fact in use says them.
    """
    if not ids:
        return
    with user_clock(user_id) as clock:
        left = clock.companions.get(_LEFT)
        if left is None:
            left = clock.companions[_LEFT] = _Left()
            clock.before_commit.append(lambda: _settle(user_id, left))
        left.ids.update(ids)
        left.names.update(normal(name) for name in forgetting)


@dataclass(slots=True)
class _Left:
    """Entities that facts of an act let go of, and names that go with their words."""

    ids: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def _settle(user_id: int, left: _Left) -> None:
    let_go(left.ids)
    rows = EntityName.objects.select_related("entity").filter(user_id=user_id, entity_id__in=left.ids)
    for row in rows.filter(normal__in=left.names) if left.names else ():
        if not _is_said(row):
            _forget(row)


def _is_said(name: EntityName) -> bool:
    """Whether a fact in use says it."""
    live = Triple.objects.filter(live=True)
    said_of = live.filter(subject=name.entity).values_list("subject_name", flat=True).distinct()
    said_with = live.filter(object=name.entity).values_list("object_name", flat=True).distinct()
    return any(normal(said) == name.normal for said in chain(said_of, said_with))


def _forget(name: EntityName) -> None:
    """With the merge that gave it, which cannot be undone then. An entity that is called so is called by another."""
    EntityMerge.objects.filter(user_id=name.user_id, names__contains=[name.normal]).delete()
    entity = name.entity
    other = EntityName.objects.filter(entity=entity).exclude(pk=name.pk).order_by("pk").first()
    if normal(entity.name) == name.normal and other is not None:
        Entity.objects.filter(pk=entity.pk).update(name=other.name)
    name.delete()


def move_degrees(ends: Sequence[int | None], step: int) -> None:
    """Count a fact at both of its ends, or no longer. A fact of one end with itself counts twice."""
    ids = [pk for pk in ends if pk is not None]
    execute(_MOVE_DEGREES, {"ids": ids, "steps": [step] * len(ids)})
