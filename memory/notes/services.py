"""Writing notes. Everything that can be decided without the owner's clock is decided before it is taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from memory.models.note import TAG_LONGEST, TAGS_MOST, Category
from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid, Tombstoned
from pawflow_web.lib.ids import parse_ref
from pawflow_web.lib.periods import TimeInput, parse_period
from pawflow_web.lib.text import clean
from review.find import by_reference
from review.gate import admit_one
from review.lookalikes import find_lookalikes
from review.models import READABLE, GovernanceItem, Scope
from review.models.item import always
from review.proposals import Admission, Place, Proposal
from review.querysets import ItemQuerySet, readable_privacy


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
    named = by_reference(_replaceable(principal, supersedes), supersedes) if supersedes else None
    valid, precision = _since(valid_from, principal)
    cleaned = clean_tags(tags)
    proposal = Proposal(
        kind="note",
        text=text,
        place=_place_of(principal, scope, for_agent, named),
        facet={"category": checked_category(category), "tags": cleaned},
        also_shown=tuple(cleaned),
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


def _replaceable(principal: Principal, reference: str) -> ItemQuerySet:
    """What a caller may name as replaced: what it can see and, for an agent, could read if it were in use. Short
    numbers can be counted through, so behind them an agent meets only what is or was in use."""
    rows = GovernanceItem.objects.visible_to(principal).filter(privacy__in=readable_privacy(principal))
    rows = rows.select_related("scope_agent", "scope_conversation")
    return rows if principal.is_person or parse_ref(reference) else rows.filter(status__in=READABLE)


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


def clean_tags(tags: Sequence[str]) -> list[str]:
    """Lower case, trimmed, without repeats, in the order given. Raises :class:`Invalid` past the bounds."""
    words = (clean(tag, field="tags").lower().split() for tag in tags)
    cleaned = list(dict.fromkeys(" ".join(parts) for parts in words if parts))
    if len(cleaned) > TAGS_MOST:
        raise Invalid(f"{len(cleaned)} tags are too many.", fields={"tags": f"must have at most {TAGS_MOST} entries"})
    for index, tag in enumerate(cleaned):
        if len(tag) > TAG_LONGEST:
            sentence = f"must have at most {TAG_LONGEST} characters"
            raise Invalid(f"A tag has 1 to {TAG_LONGEST} characters.", fields={f"tags.{index}": sentence})
    return cleaned


def checked_category(category: str | None) -> str:
    if category is not None and category not in Category.values:
        choices = ", ".join(Category.values)
        raise Invalid(f"There is no category {ascii(category)[:40]}.", fields={"category": f"must be one of {choices}"})
    return category or ""


def _since(value: TimeInput | None, principal: Principal) -> tuple[DateTimeTZRange, str]:
    if value is None:
        return always(), ""
    period = parse_period(value, principal.zone, field="valid_from")
    return DateTimeTZRange(period.first, None), period.precision
