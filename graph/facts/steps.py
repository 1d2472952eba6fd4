"""Single steps along the facts that a caller may read and that hold: the statements under every walk.

Each asks the graph's own indexes from both ends of its facts, and of each fact its item, whether this caller may have
it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from review.querysets import recallable_sql

# The facts at one end of which an entity stands, the newest first, as far as the caller may have them. Nested on
# purpose, which is what OFFSET 0 says: one index in its order, and one item after the other by its id, until there are
# enough. Else a planner that does not know yet how much there is compares everything with everything.
_AT_ONE_END = """
(SELECT t.item_id, t.subject_id, t.object_id FROM (
   SELECT item_id, subject_id, object_id FROM graph_triple WHERE live AND {{end}} ORDER BY item_id DESC OFFSET 0
 ) AS t CROSS JOIN LATERAL (
   SELECT * FROM review_governanceitem WHERE id = t.item_id OFFSET 0
 ) AS review_governanceitem WHERE {reads} AND {{wanted}} ORDER BY t.item_id DESC LIMIT {{most}})
"""
# A fact of an entity with itself is there once.
_SUBJECT, _OBJECT = "subject_id = f.entity", "object_id = f.entity AND subject_id <> f.entity"


def _touching(wanted: str, most: str) -> str:
    ends = (_AT_ONE_END.replace("{{end}}", end).replace("{{wanted}}", wanted) for end in (_SUBJECT, _OBJECT))
    return " UNION ALL ".join(ends).replace("{{most}}", most)


# The newest of each entity first: of many entities each gives one fact before any gives a second.
_STEP = f"""
SELECT e.item_id, f.entity, e.subject_id, e.object_id, e.nth
FROM unnest(%(entities)s::bigint[]) WITH ORDINALITY AS f (entity, place)
CROSS JOIN LATERAL (
  SELECT both_ends.*, row_number() OVER (ORDER BY item_id DESC) AS nth
  FROM ({_touching("t.item_id <> ALL (%(passed)s::bigint[])", "%(each)s")}) AS both_ends
  ORDER BY item_id DESC LIMIT %(each)s
) AS e
ORDER BY e.nth, f.place LIMIT %(most)s
"""
_READ = """
SELECT t.item_id, review_governanceitem.ref, subject_name, predicate, object_name, score
FROM graph_triple AS t JOIN review_governanceitem ON review_governanceitem.id = t.item_id
WHERE t.item_id = ANY (%(facts)s::bigint[]) AND {reads}
"""
_WITHIN_REACH = f"""
SELECT f.entity FROM unnest(%(entities)s::bigint[]) AS f (entity)
CROSS JOIN LATERAL (SELECT FROM ({_touching("true", "1")}) AS both_ends LIMIT 1) AS e
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A fact by its row id, as it was met coming from one of its ends. ``far`` is the other end; None where the fact
    ends in a value. ``nth`` counts the facts met at ``near``, from 1."""

    fact: int
    near: int
    far: int | None
    nth: int


@dataclass(frozen=True, slots=True)
class Fact:
    """What a walk tells of a fact. ``score``: hundredths, how it was obtained."""

    pk: int
    ref: str
    subject: str
    predicate: str
    object: str
    score: int


class Ground:
    """The facts of one caller that hold at one moment, default now, as something to walk on; with ``only`` that one
    fact alone, if it is among them."""

    def __init__(self, principal: Principal, at: datetime | None = None, *, only: int | None = None) -> None:
        self.principal = principal
        self.at = at
        self._reads, self._values = recallable_sql(principal, at=at)
        if only is not None:
            self._reads += " AND t.item_id = %(only)s"
            self._values["only"] = only

    def steps(self, entities: Sequence[int], *, each: int, most: int, passed: Collection[int] = ()) -> list[Step]:
        """What can be gone along from these entities, in one statement: the newest fact of each in their order, then
        the second of each, and so on. A fact between two of them is met from both.

        Args:
            each: no more of one entity.
            most: no more in all.
            passed: facts that are left out.
        """
        values = {"entities": list(entities), "each": each, "most": most, "passed": list(passed), **self._values}
        rows = execute(_STEP.format(reads=self._reads), values) if entities else []
        return [Step(fact, near, last if near == first else first, nth) for fact, near, first, last, nth in rows]

    def read(self, facts: Collection[int]) -> dict[int, Fact]:
        """These facts by their row ids, without those that were taken out of use since they were met."""
        values = {"facts": list(facts), **self._values}
        rows = execute(_READ.format(reads=self._reads), values) if facts else []
        return {row[0]: Fact(*row) for row in rows}

    def within_reach(self, entities: Collection[int]) -> set[int]:
        """Those of these entities that at least one fact names; others are none for this caller at this moment."""
        values = {"entities": list(entities), **self._values}
        rows = execute(_WITHIN_REACH.format(reads=self._reads), values) if entities else []
        return {pk for (pk,) in rows}
