"""Where a question about the graph begins: the entities whose names it holds."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from graph.facts.linking import known_entities
from graph.facts.parts import normal
from graph.facts.steps import Ground
from graph.limits import WORD_MOST
from graph.models import Triple
from pawflow_web.lib.db import Row, execute
from pawflow_web.lib.text import analyse, clean
from review.contradictions.vocabulary import STOP
from review.models import KindName
from review.search.filters import ItemFilter
from review.search.meaning import Question

Match = Literal["exact", "prefix", "token", "meaning"]

SEEDS_MOST = 10
# Words of a question that a name may stand among, those of one such name, and those that are looked for alone.
_WORDS_MOST = 200
_NAME_WORDS_MOST = 6
_ASKED_MOST = 32
# Names looked at for one word: the rest of a word that so many names have says little.
_NAMES_MOST = 200
_LOOKED_AT = 40
_NEAREST = 5
# Letters that a word has at least where it may be the beginning of another.
_BEGINNING = 3
# They ask; what is asked about is said by the others.
_ASKING = frozenset(
    [
        "about", "between", "connected", "does", "how", "know", "known", "related", "tell", "what", "when", "where",
        "which", "who", "whom", "whose", "why",
    ]
)  # fmt: skip

_POSSESSIVE = re.compile(r"['’]s$")
# In the order of the index: a word itself stands before those that begin with it.
_NAMED = """
SELECT g.word, w.word, n.normal, n.entity_id, e.degree
FROM unnest(%(words)s::text[], %(ends)s::text[]) AS g (word, past)
CROSS JOIN LATERAL (
  SELECT word, name_id FROM graph_entityword WHERE user_id = %(user)s AND word ~>=~ g.word AND word ~<~ g.past
  ORDER BY word USING ~<~, name_id LIMIT %(most)s
) AS w
JOIN graph_entityname AS n ON n.id = w.name_id JOIN graph_entity AS e ON e.id = n.entity_id
"""


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity by its row id, and what in the question stands for it."""

    entity: int
    match: Match


@dataclass(frozen=True, slots=True)
class Seeds:
    """The best first. ``complete`` is false where more would have matched."""

    found: tuple[Seed, ...] = ()
    complete: bool = True


def seeds_of(ground: Ground, question: str) -> Seeds:
    """At most :data:`SEEDS_MOST` entities that the question names, as far as the caller may know of them.

    A whole name goes before a name that begins with a word of the question, and that before one that holds a word
    somewhere. Words that belong to a whole name stand for nothing else. Where no word names anything, what is nearest
    in meaning stands in.
    """
    words = normal(clean(question, field="question")).split()[:_WORDS_MOST]
    if not words:
        return Seeds()
    exact, others = _whole_names(ground, words)
    found, complete = _by_words(ground, others, {seed.entity for seed in exact})
    named = (*exact, *found)
    if named:
        return Seeds(named[:SEEDS_MOST], complete and len(named) <= SEEDS_MOST)
    return _by_meaning(ground, question)


def _whole_names(ground: Ground, words: Sequence[str]) -> tuple[list[Seed], list[str]]:
    """Entities that the question calls by a whole name, the longest names first, and the words that are left."""
    spans = [(start, end) for start, end in _spans(len(words)) if _tells(words[start:end], words)]
    names = {span: [" ".join(words[slice(*span)])] for span in spans}
    for name in names.values():
        name += [_POSSESSIVE.sub("", name[0])]
    known = known_entities(ground.principal.user_id, chain.from_iterable(names.values()))
    reached = ground.within_reach(set(known.values()))
    seeds, taken = [], set[int]()
    for start, end in spans:
        entity = next((known[name] for name in names[start, end] if known.get(name) in reached), None)
        if entity is not None and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            seeds.append(Seed(entity, "exact"))
    left = [word for place, word in enumerate(words) if place not in taken]
    return list(dict.fromkeys(seeds)), left


def _spans(count: int) -> Iterator[tuple[int, int]]:
    """Runs of words, the longest first; the whole question may be a name."""
    if count > _NAME_WORDS_MOST:
        yield 0, count
    for length in range(min(count, _NAME_WORDS_MOST), 0, -1):
        yield from ((start, start + length) for start in range(count - length + 1))


def _tells(span: Sequence[str], words: Sequence[str]) -> bool:
    """Words that only hold a sentence together are a name where nothing else was said."""
    return len(span) == len(words) or not all(_is_stop(word) for word in span)


def _is_stop(word: str) -> bool:
    return word in STOP or word in _ASKING


def _by_words(ground: Ground, words: Sequence[str], known: set[int]) -> tuple[list[Seed], bool]:
    """Entities whose names begin with one of these words or hold it, without those ``known``; the more words the
    better, then the better connected. With it whether these are all."""
    asked = [word for word in dict.fromkeys(analyse(" ".join(words)).exact) if not _is_stop(word)][:_ASKED_MOST]
    rows = _named(ground.principal.user_id, asked) if asked else []
    complete = max(Counter(row[0] for row in rows).values(), default=0) < _NAMES_MOST
    ranked = [seed for seed in _ranked(rows) if seed.entity not in known]
    found: list[Seed] = []
    while ranked and len(found) <= SEEDS_MOST:
        looked_at, ranked = ranked[:_LOOKED_AT], ranked[_LOOKED_AT:]
        reached = ground.within_reach([seed.entity for seed in looked_at])
        found += [seed for seed in looked_at if seed.entity in reached]
    return found, complete


def _named(user_id: int, asked: Sequence[str]) -> list[Row]:
    words = [word[:WORD_MOST] for word in asked]
    # Nothing that is stored holds these two characters: what lies before a word with the one begins with that word,
    # what lies before it with the other is that word.
    ends = [f"{word}\U0010ffff" if len(word) >= _BEGINNING else f"{word}\x01" for word in words]
    return execute(_NAMED, {"user": user_id, "words": words, "ends": ends, "most": _NAMES_MOST})


def _ranked(rows: Iterable[Row]) -> list[Seed]:
    matched: dict[int, tuple[set[str], bool, int]] = {}
    for asked, word, name, entity, degree in rows:
        begins = name.startswith(asked)
        if begins or word == asked:
            words, began, _ = matched.get(entity, (set[str](), False, 0))
            matched[entity] = ({*words, asked}, began or begins, degree)
    order = sorted(matched, key=lambda pk: (not matched[pk][1], -len(matched[pk][0]), -matched[pk][2], pk))
    return [Seed(pk, "prefix" if matched[pk][1] else "token") for pk in order]


def _by_meaning(ground: Ground, question: str) -> Seeds:
    """Both ends of the facts that are nearest to the question, where somebody embeds; these are never all."""
    wanted = ItemFilter(fit_for_prompt=True, kind=KindName.FACT, at=ground.at)
    meant = Question(ground.principal, wanted, question).near(limit=_NEAREST, visible=None)
    near = [row.id for row in meant.near]
    ends = {row.pk: (row.subject_id, row.object_id) for row in Triple.objects.filter(pk__in=near, live=True)}
    met = dict.fromkeys(pk for fact in near for pk in ends.get(fact, ()) if pk is not None)
    found = tuple(Seed(pk, "meaning") for pk in list(met)[:SEEDS_MOST])
    return Seeds(found, complete=not found and not meant.reasons)
