"""Names like one that nobody knows, out of those that the caller may know."""

import re
from collections.abc import Collection, Sequence

from rapidfuzz import fuzz

from graph.facts.linking import words_of_name
from graph.facts.parts import normal
from graph.facts.reading import facts_of_any_time
from graph.models import Entity
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute

SUGGESTED_MOST = 5
_LOOKED_AT = 200
_BEGINNING = 3  # letters of a word that a misspelt one shares
_ALIKE_FROM = 55

_ANY = re.compile(r"[\\%_]")
_BEGUN = """
SELECT DISTINCT n.entity_id FROM graph_entityword AS w JOIN graph_entityname AS n ON n.id = w.name_id
WHERE w.user_id = %(user)s AND w.word LIKE ANY(%(patterns)s::text[]) LIMIT %(most)s
"""


def entities_begun(user_id: int, words: Sequence[str], *, most: int) -> list[int]:
    """Row ids of entities a word of whose name begins like one of these."""
    patterns = [f"{_ANY.sub(_as_itself, word)}%" for word in words]
    rows = execute(_BEGUN, {"user": user_id, "patterns": patterns, "most": most}) if patterns else []
    return [pk for (pk,) in rows]


def names_like(principal: Principal, name: str) -> list[str]:
    """At most five, the likest first; only entities that a fact which the caller may read names."""
    words = [word[:_BEGINNING] for word in words_of_name(name)]
    begun = visible_entities(principal, entities_begun(principal.user_id, words, most=_LOOKED_AT))
    names = Entity.objects.filter(pk__in=begun).values_list("name", flat=True)
    scored = sorted((-fuzz.WRatio(normal(name), normal(known)), known) for known in names)
    return [known for unlike, known in scored if -unlike >= _ALIKE_FROM][:SUGGESTED_MOST]


def visible_entities(principal: Principal, ids: Collection[int]) -> set[int]:
    """Those of these entities that a fact which the caller may read names, whenever it held."""
    rows = facts_of_any_time(principal).order_by()
    said_of = rows.filter(triple__subject_id__in=ids).values_list("triple__subject_id", flat=True).distinct()
    said_with = rows.filter(triple__object_id__in=ids).values_list("triple__object_id", flat=True).distinct()
    return {*said_of, *said_with} if ids else set()


def _as_itself(match: re.Match[str]) -> str:
    return f"\\{match[0]}"
