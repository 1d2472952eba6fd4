"""What resembles a text: beliefs in use, to be named beside it, and rejected ones, which send it to review.

Resemblance never merges anything: "is allergic" and "is not allergic" share nearly all their words.
"""

import math
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.ranking import Query
from pawflow_web.lib.search import All, Filter, Found, Term, search_with_tail
from pawflow_web.lib.text import Tokens, analyse
from review.gate.likeness import NEAR_FROM, SIMILAR_FROM, is_near_one_of, share
from review.gate.proposals import NOBODY_LOOKED, Lookalikes, Nearness
from review.models import GovernanceItem, Status, Tombstone
from review.plaintext import those_opened
from review.search.filters import ItemFilter
from review.search.find import load_for_display
from review.search.index import index_of
from review.search.statement import FoundRow, SearchStatement

MOST = 10
_UNSURE = frozenset({"index_behind", "index_unavailable"})

_NEWEST_REFUSAL = (
    "SELECT id FROM review_tombstone WHERE user_id = %s AND lifted_at IS NULL ORDER BY at DESC, id DESC LIMIT 1"
)
# A refusal is of words, and names one of the beliefs that said them; another of them may be all that is left.
_REFUSED_TEXTS = """
SELECT i.text, i.privacy FROM review_governanceitem i
WHERE i.user_id = %s AND i.status = 'rejected' AND i.kind = %s{only}
  AND EXISTS (
    SELECT FROM review_tombstone t
    WHERE t.user_id = i.user_id AND t.digest = i.text_digest AND t.lifted_at IS NULL)
ORDER BY i.recorded_at DESC, i.id DESC LIMIT 2000
"""
# What the index cannot tell is compared one by one, about 25 microseconds each: everything while it is not there, and
# always the secrets, which it does not hold.
_ALL_REFUSED = _REFUSED_TEXTS.format(only="")
_SECRETS_REFUSED = _REFUSED_TEXTS.format(only=" AND i.privacy = 'secret'")


def find_lookalikes(principal: Principal, text: str, *, kind: str, category: str | None = None) -> Lookalikes:
    """Readable beliefs of that kind that resemble ``text``, best first, at most ten, with their share of
    common words; and how near it comes to refusals."""
    tokens = analyse(text)
    if not tokens.stems:
        # Nothing is near to words of which none tells anything.
        return Lookalikes(nearness=Nearness(newest_refusal=NOBODY_LOOKED))
    return Lookalikes(_similar(principal, tokens, kind, category, at=now()), _nearness(principal, text, tokens, kind))


def find_similar(principal: Principal, text: str, *, kind: str) -> tuple[tuple[GovernanceItem, float], ...]:
    """Only the readable beliefs of :func:`find_lookalikes`, by this process's clock: a hint need not ask for the
    database's own."""
    tokens = analyse(text)
    return _similar(principal, tokens, kind, at=timezone.now()) if tokens.stems else ()


def find_nearness(principal: Principal, text: str, *, kind: str) -> Nearness:
    """Only how near a text comes to refusals."""
    tokens = analyse(text)
    return _nearness(principal, text, tokens, kind) if tokens.stems else Nearness(newest_refusal=NOBODY_LOOKED)


def _similar(
    principal: Principal, tokens: Tokens, kind: str, category: str | None = None, *, at: datetime
) -> tuple[tuple[GovernanceItem, float], ...]:
    readable = ItemFilter(fit_for_prompt=True, kind=kind, categories=(category,) if category else ())
    condition, where = readable.condition(principal), readable.in_index(principal, at)
    similar = _closest(_search(principal, tokens, condition, where), tokens, SIMILAR_FROM)
    items = load_for_display([pk for pk, _ in similar])
    return tuple((items[pk], share) for pk, share in similar if pk in items)


def _nearness(principal: Principal, text: str, tokens: Tokens, kind: str) -> Nearness:
    """To the owner's refusals in every scope: they hold for all of the owner's agents."""
    rows = execute(_NEWEST_REFUSAL, [principal.user_id])
    if not rows:
        return Nearness()
    condition = Q(user_id=principal.user_id, status=Status.REJECTED)
    where = All(Term("doc", "item"), Term("kind", kind), Term("status", Status.REJECTED))
    found = _search(principal, _telling(principal, tokens, NEAR_FROM), condition, where)
    if not found.coverage.complete and _UNSURE.intersection(found.coverage.reasons):
        # A gate that fails open is none.
        return Nearness(_is_near_refused(_ALL_REFUSED, principal, text, kind), rows[0][0])
    close = [pk for pk, _ in _closest(found, tokens, NEAR_FROM)]
    near = bool(close) and _are_refused(principal, close)
    return Nearness(near or _is_near_refused(_SECRETS_REFUSED, principal, text, kind), rows[0][0])


def _are_refused(principal: Principal, ids: Sequence[int]) -> bool:
    """Whether the words of any of these items are refused now."""
    said = GovernanceItem.objects.filter(pk__in=ids).values("text_digest")
    return Tombstone.objects.standing_of(principal.user_id).filter(digest__in=said).exists()


def _is_near_refused(statement: str, principal: Principal, text: str, kind: str) -> bool:
    refused = execute(statement, [principal.user_id, kind])
    return is_near_one_of(text, those_opened((words, privacy) for words, privacy in refused))


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


def _search(principal: Principal, tokens: Tokens, condition: Q, where: Filter) -> Found[FoundRow]:
    statement = SearchStatement(principal.user_id, condition)
    return search_with_tail(
        index_of(principal.user_id),
        tokens,
        statement,
        where=where,
        limit=MOST * 2,
        counted=False,
        scores_shown=False,
    )


def _closest(found: Found[FoundRow], whole: Tokens, least: float) -> list[tuple[int, float]]:
    """Of the rows found, those that share enough words with the ``whole`` text, closest first."""
    words = frozenset(whole.stems)
    shares = [
        (hit.id, share(words, frozenset(row.tokens.stems)))
        for hit in found.ranked
        if (row := found.rows[hit.id]).tokens is not None
    ]
    close = [pair for pair in shares if pair[1] >= least]
    return sorted(close, key=lambda pair: (-pair[1], -pair[0]))[:MOST]
