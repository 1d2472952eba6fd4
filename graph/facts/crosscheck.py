"""Words held against the graph: entities named in them of which it holds several values where one can be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from graph.facts.linking import known_entities
from graph.facts.parts import normal
from graph.facts.reading import facts
from graph.facts.vocabulary import functional_of
from graph.limits import NORMAL_MOST
from pawflow_web.identity.principal import Principal

CONFLICTS_MOST = 3
# Names have few words, and what is remembered is short; of a longer text its beginning is looked at.
_NAME_WORDS, _TEXT_WORDS = 4, 300
_VALUES_MOST = 200


@dataclass(frozen=True, slots=True)
class Conflict:
    """An entity, a predicate that holds one value at a time, and the several values it has now."""

    entity: str
    predicate: str
    values: tuple[str, ...]


def conflicts_in(principal: Principal, text: str) -> list[Conflict]:
    """At most three, in the order in which the words name the entities; only facts that the caller may read count."""
    known = known_entities(principal.user_id, list(_candidates(text)))
    if not known:
        return []
    ids = list(dict.fromkeys(known[name] for name in _candidates(text) if name in known))
    rows = facts(principal).filter(
        triple__live=True, triple__subject_id__in=ids, triple__predicate__in=functional_of(principal.user_id)
    )
    held = rows.select_related("triple").order_by("triple__subject_id", "triple__predicate", "pk")[:_VALUES_MOST]
    found = []
    for (subject, predicate), group in groupby(held, key=lambda item: (item.triple.subject_id, item.triple.predicate)):
        items = list(group)
        values = {normal(item.triple.object_name): item.triple.object_name for item in items}
        if len(values) > 1:
            found.append(
                (ids.index(subject), Conflict(items[0].triple.subject_name, predicate, tuple(values.values())))
            )
    return [conflict for _place, conflict in sorted(found, key=lambda pair: (pair[0], pair[1].predicate))][
        :CONFLICTS_MOST
    ]


def _candidates(text: str) -> Iterator[str]:
    """Every run of a few words, folded as names are; whole words only."""
    words: Sequence[str] = normal(text[: _TEXT_WORDS * 40]).split()[:_TEXT_WORDS]
    for start in range(len(words)):
        for length in range(1, _NAME_WORDS + 1):
            name = " ".join(words[start : start + length])
            if start + length <= len(words) and len(name) <= NORMAL_MOST:
                yield name
