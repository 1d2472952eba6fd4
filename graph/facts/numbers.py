"""How much there is, counted over what the caller may read."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from graph.facts.reading import facts_of_any_time
from graph.facts.vocabulary import functional_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow
from review.models import GovernanceItem, KindName


@dataclass(frozen=True, slots=True)
class PredicateUse:
    predicate: str
    count: int
    functional: bool


@dataclass(frozen=True, slots=True)
class Numbers:
    """``in_review``: how many wait for a person, of those that would be read here; nothing else is told of them."""

    entities: int
    triples: int
    current: int
    in_review: int
    predicates: Sequence[PredicateUse]

    @property
    def expired(self) -> int:
        return self.triples - self.current


def numbers_of(principal: Principal) -> Numbers:
    """Facts that the caller may read, whenever they held, and the entities that these name."""
    rows = facts_of_any_time(principal).order_by()
    now = Q(valid__contains=StatementNow())
    counted = rows.values_list("triple__predicate").annotate(number=Count("pk"), current=Count("pk", filter=now))
    used = sorted(counted, key=lambda row: (-row[1], row[0]))
    functional = set(functional_of(principal.user_id))
    ends = rows.values_list("triple__subject_id").union(
        rows.filter(triple__object_id__isnull=False).values_list("triple__object_id")
    )
    return Numbers(
        entities=ends.count(),
        triples=sum(row[1] for row in used),
        current=sum(row[2] for row in used),
        in_review=_waiting(principal),
        predicates=[PredicateUse(name, number, name in functional) for name, number, _current in used],
    )


def _waiting(principal: Principal) -> int:
    return GovernanceItem.objects.visible_to(principal).waiting().filter(kind=KindName.FACT).count()
