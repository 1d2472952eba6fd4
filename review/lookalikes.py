"""What resembles a text: beliefs in use, to be named beside it, and rejected ones, which send it to review.

Resemblance never merges anything: "is allergic" and "is not allergic" share nearly all their words.
"""

import math

from django.db.models import Q

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.ranking import Query
from pawflow_web.lib.search import All, Filter, Term, search_with_tail
from pawflow_web.lib.text import Tokens, analyse
from review.filters import ItemFilter
from review.find import SearchStatement, load_for_display
from review.index import index_of
from review.models import Status, Tombstone
from review.proposals import Lookalikes

# Shares of common words (Jaccard over stems). Measured on reworded pairs: a full stop, another case, another
# order or one added word stay above the second; different facts of one shape stay below it.
SIMILAR_FROM = 0.3
NEAR_FROM = 0.8
MOST = 10

_STANDING = "SELECT 1 FROM review_tombstone WHERE user_id = %s AND lifted_at IS NULL LIMIT 1"


def find_lookalikes(principal: Principal, text: str, *, kind: str, category: str | None = None) -> Lookalikes:
    """Readable beliefs of that kind that resemble ``text``, best first, at most ten, with their share of
    common words; and the ref of a refusal it comes near to."""
    tokens = analyse(text)
    if not tokens.stems:
        return Lookalikes()
    readable = ItemFilter(fit_for_prompt=True, kind=kind, categories=(category,) if category else ())
    condition, where = readable.condition(principal), readable.in_index(principal, now())
    similar = _closest(principal, tokens, condition, where, SIMILAR_FROM)
    items = load_for_display([pk for pk, _ in similar])
    return Lookalikes(
        tuple((items[pk], share) for pk, share in similar if pk in items),
        _near_tombstone(principal, tokens, kind),
    )


def _near_tombstone(principal: Principal, tokens: Tokens, kind: str) -> str:
    """Of the owner's rejected beliefs in every scope: a refusal holds for all of the owner's agents."""
    if not execute(_STANDING, [principal.user_id]):
        return ""
    condition = Q(user_id=principal.user_id, status=Status.REJECTED)
    where = All(Term("doc", "item"), Term("kind", kind), Term("status", Status.REJECTED))
    close = _closest(principal, _telling(principal, tokens, NEAR_FROM), condition, where, NEAR_FROM, whole=tokens)
    if not close:
        return ""
    standing = Tombstone.objects.filter(user_id=principal.user_id, lifted_at=None)
    return standing.filter(item_id__in=[pk for pk, _ in close]).values_list("ref", flat=True).first() or ""


def _telling(principal: Principal, tokens: Tokens, least: float) -> Tokens:
    """The rarest words of a text, so many that every text with such a share of common words holds one of them:
    the prefix filter of set similarity joins (Chaudhuri, Ganti and Kaushik, ICDE 2006)."""
    snapshot = index_of(principal.user_id).snapshot()
    if snapshot is None:
        return tokens
    frequency = snapshot.stats(Query(tokens)).stem_frequency
    stems = sorted(set(tokens.stems), key=lambda stem: (frequency.get(stem, 0), stem))
    rarest = frozenset(stems[: len(stems) - math.ceil(least * len(stems)) + 1])
    kept = [pair for pair in zip(tokens.exact, tokens.stems, strict=True) if pair[1] in rarest]
    return Tokens(tuple(word for word, _ in kept), tuple(stem for _, stem in kept))


def _closest(
    principal: Principal, tokens: Tokens, condition: Q, where: Filter, least: float, whole: Tokens | None = None
) -> list[tuple[int, float]]:
    """Of the rows that hold one of ``tokens``, those that share enough words with the ``whole`` text."""
    statement = SearchStatement(principal.user_id, condition)
    found = search_with_tail(index_of(principal.user_id), tokens, statement, where=where, limit=MOST * 2, counted=False)
    words = frozenset((whole or tokens).stems)
    shares = [
        (hit.id, _share(words, frozenset(row.tokens.stems)))
        for hit in found.ranked
        if (row := found.rows[hit.id]).tokens is not None
    ]
    close = [pair for pair in shares if pair[1] >= least]
    return sorted(close, key=lambda pair: (-pair[1], -pair[0]))[:MOST]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's coefficient of two sets of words."""
    return len(one & other) / len(one | other)
