"""Facts on their way to the gate: names are resolved and the key is set before it is asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graph.facts.dates import range_of
from graph.facts.keys import key_of
from graph.facts.parts import Parts, name_of, normal, predicate_of, score_of, value_of
from graph.facts.reading import names_here, values_of
from graph.facts.secrets import without_secrets
from graph.facts.vocabulary import takes_value
from graph.kinds import facet_of
from graph.limits import SOURCE_MOST
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from pawflow_web.lib.periods import TimeInput
from pawflow_web.lib.text import clean
from review.gate import admit, admit_one
from review.gate.lookalikes import find_nearness
from review.gate.proposals import Admission, Place, Proposal, Source
from review.models import GovernanceItem, KindName, Scope

FACT = KindName.FACT.value
VALUES_MOST = 20


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact as somebody says it. ``supersede``: None lets the predicate decide, True closes what stood there, False
    leaves it and asks a person where only one can hold."""

    subject: str
    predicate: str
    object: str
    valid_from: TimeInput | None = None
    valid_to: TimeInput | None = None
    confidence: str | float = "EXTRACTED"
    source: str = ""
    supersede: bool | None = None
    allow_self: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a fact, and the other values that stood there when it came."""

    admission: Admission
    contradicts: tuple[GovernanceItem, ...]


def add_fact(*, principal: Principal, fact: NewFact, scope: str | None = None, source: Source | None = None) -> Added:
    """Bring one fact to the gate.

    Args:
        scope: who may read it; default ``global``.

    Raises:
        Invalid: a part is not acceptable, or both ends are one.
        Conflict: it should take the place of a value, and several hold.
        Tombstoned: a person rejected this fact.
    """
    proposal = proposal_of(principal, fact, Place.of(principal, scope or Scope.GLOBAL), source or Source())
    others = values_of(principal, proposal.facet, limit=VALUES_MOST)
    if fact.supersede and not proposal.exclusive_key:
        proposal = replace(proposal, replaces=_the_one(others))
    admission = admit_one(proposal, principal, near=find_nearness(principal, proposal.text, kind=FACT))
    if admission.outcome == "refused":
        raise Tombstoned(
            "A person rejected this fact, so it was not stored.", fields={"tombstone": admission.tombstone}
        )
    return Added(admission, tuple(others))


def add_facts(
    *, principal: Principal, facts: Iterable[tuple[NewFact, Source]], place: Place, origin: str
) -> Iterator[Admission]:
    """Bring many facts to the gate, each by itself; what is no fact is answered with its error."""

    def proposals() -> Iterator[Proposal]:
        for fact, source in facts:
            yield proposal_of(principal, fact, place, source)

    return admit(proposals(), principal, origin=origin)


def proposal_of(principal: Principal, fact: NewFact, place: Place, source: Source) -> Proposal:
    """A fact with its names resolved. Raises :class:`Invalid` naming the part that is not acceptable."""
    parts = _resolved(principal, without_secrets(said(fact)))
    if not fact.allow_self and not parts.is_value and normal(parts.subject) == normal(parts.object):
        raise Invalid(
            "Both ends of this fact are the same. Say allow_self if that is meant.",
            fields={"object": "must differ from subject"},
        )
    valid, precision = range_of(fact.valid_from, fact.valid_to, principal.zone)
    origin = clean(fact.source, field="source").strip()
    if len(origin) > SOURCE_MOST:
        raise Invalid("source is too long.", fields={"source": f"must have at most {SOURCE_MOST} characters"})
    return Proposal(
        kind=FACT,
        text=parts.text,
        place=place,
        facet={**facet_of(parts), "score": score_of(fact.confidence), "source": origin},
        also_shown=(origin,) if origin else (),
        valid=valid,
        precision=precision,
        exclusive_key=key_of(principal.user_id, parts, place),
        yields=fact.supersede is False,
        source=source,
    )


def said(fact: NewFact) -> Parts:
    """The parts as they are stored, before any name is resolved."""
    predicate = predicate_of(fact.predicate)
    is_value = takes_value(predicate)
    last = value_of(fact.object) if is_value else name_of(fact.object, field="object")
    return Parts(name_of(fact.subject, field="subject"), predicate, last, is_value)


def _resolved(principal: Principal, parts: Parts) -> Parts:
    """With the names that the graph has for these entities already, as far as the caller may know of them."""
    asked = [parts.subject] if parts.is_value else [parts.subject, parts.object]
    known = names_here(principal, asked)
    subject = known.get(normal(parts.subject), parts.subject)
    last = parts.object if parts.is_value else known.get(normal(parts.object), parts.object)
    return replace(parts, subject=subject, object=last)


def _the_one(others: Sequence[GovernanceItem]) -> GovernanceItem | None:
    if len(others) > 1:
        refs = ", ".join(f"#{item.ref}" for item in others)
        raise Conflict(
            f"Several values hold there ({refs}). Say with kg_invalidate which of them ended.",
            fields={"supersede": [item.ref for item in others]},
        )
    return others[0] if others else None
