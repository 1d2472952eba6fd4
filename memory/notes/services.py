"""Writing notes. Everything that can be decided without the owner's clock is decided before it is taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from memory.notes.facets import checked_category, clean_tags, spelled_tags
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, Tombstoned
from pawflow_web.lib.periods import TimeInput, parse_period
from review.gate import admit_one
from review.gate.lookalikes import find_lookalikes
from review.gate.proposals import Admission, Place, Proposal
from review.models import GovernanceItem, Scope
from review.models.item import always
from review.search.find import by_reference, nameable


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of the words, and the beliefs that look like them."""

    admission: Admission
    similar: tuple[tuple[GovernanceItem, float], ...] = ()


def remember_note(
    *,
    principal: Principal,
    text: str,
    tags: Sequence[str] = (),
    scope: str | None = None,
    category: str | None = None,
    valid_from: TimeInput | None = None,
    ttl_days: int | None = None,
    supersedes: str | None = None,
    for_agent: str | None = None,
) -> Remembered:
    """Bring words to the gate.

    Args:
        scope: default that of the belief it supersedes, else ``agent`` for a caller with an agent, else ``global``.
        valid_from: when it became true in the world; unknown when left out.
        ttl_days: after which it is forgotten by itself; permanent when left out.
        supersedes: the reference of a belief in use whose place it takes.
        for_agent: the one agent that reads it, named by a person; goes with the scope ``agent`` only.

    Raises:
        Invalid: a value is not acceptable.
        NotFound: ``supersedes`` names nothing that the caller may see.
        Conflict: what it supersedes is not in use.
        Tombstoned: a person rejected these words.
    """
    named = _named(principal, supersedes) if supersedes else None
    valid, precision = _since(valid_from, principal)
    proposal = Proposal(
        kind="note",
        text=text,
        place=_place_of(principal, scope, for_agent, named),
        facet={"category": checked_category(category), "tags": clean_tags(tags)},
        also_shown=tuple(spelled_tags(tags)),
        valid=valid,
        precision=(precision, ""),
        ttl_days=ttl_days,
        replaces=named,
    )
    lookalikes = find_lookalikes(principal, text, kind="note")
    admission = admit_one(proposal, principal, near=lookalikes.nearness)
    if admission.outcome == "refused":
        raise Tombstoned(
            "A person rejected these words, so they were not stored.",
            fields={"tombstone": admission.tombstone},
        )
    stored = admission.item.pk if admission.item else None
    similar = tuple(pair for pair in lookalikes.similar if pair[0].pk != stored)
    return Remembered(admission, similar[:3])


def _named(principal: Principal, reference: str) -> GovernanceItem:
    items = GovernanceItem.objects.select_related("scope_agent", "scope_conversation")
    return by_reference(nameable(items, principal, reference), reference)


def _place_of(principal: Principal, scope: str | None, for_agent: str | None, named: GovernanceItem | None) -> Place:
    """Where the words belong; a person may name any of their agents, an agent speaks for itself alone."""
    if for_agent is None and scope is None and named is not None:
        return Place.like(named)
    scope = scope or (Scope.GLOBAL if principal.agent_id is None else Scope.AGENT)
    if for_agent is None:
        return Place.of(principal, scope)
    principal.require_person()
    if scope != Scope.AGENT:
        raise Invalid(
            f"The scope {scope} names no agent.", fields={"agent": f"must be left out with the scope {scope}"}
        )
    agent = Agent.objects.filter(user_id=principal.user_id, name=for_agent).first()
    if agent is None:
        raise Invalid(f"You have no agent {ascii(for_agent)[:40]}.", fields={"agent": "must be one of your agents"})
    return Place.of_agent(agent)


def _since(value: TimeInput | None, principal: Principal) -> tuple[DateTimeTZRange, str]:
    if value is None:
        return always(), ""
    period = parse_period(value, principal.zone, field="valid_from")
    return DateTimeTZRange(period.first, None), period.precision
