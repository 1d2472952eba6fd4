"""What is brought to the gate, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.models import Agent
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import DomainError, Invalid
from review.models import GovernanceItem, Scope
from review.models.item import always


@dataclass(frozen=True, slots=True)
class Place:
    """A scope with what it names. An agent that has a name and no id is not there yet."""

    scope: str
    agent_id: int | None = None
    agent_name: str | None = None
    conversation_id: int | None = None
    conversation_ref: str | None = None

    @classmethod
    def of(cls, principal: Principal, scope: str) -> Self:
        """The scope as it stands for this caller. Raises :class:`Invalid` when the caller has no agent or no
        conversation to narrow it to; a scope is never widened in silence."""
        missing = []
        if scope in {Scope.AGENT, Scope.PRIVATE} and principal.agent_id is None:
            missing.append("an agent")
        if scope in {Scope.CONVERSATION, Scope.PRIVATE} and principal.conversation_id is None:
            missing.append("a conversation")
        if missing:
            needs = " and ".join(missing)
            raise Invalid(f"The scope {scope} needs {needs}; this call has none.", fields={"scope": f"needs {needs}"})
        place = cls(scope)
        if scope in {Scope.AGENT, Scope.PRIVATE}:
            place = replace(place, agent_id=principal.agent_id, agent_name=principal.agent_name)
        if scope in {Scope.CONVERSATION, Scope.PRIVATE}:
            place = replace(
                place, conversation_id=principal.conversation_id, conversation_ref=principal.conversation_ref
            )
        return place

    @classmethod
    def of_agent(cls, agent: Agent) -> Self:
        """What that one agent reads."""
        return cls(Scope.AGENT, agent.pk, agent.name)

    @classmethod
    def like(cls, item: GovernanceItem) -> Self:
        """Where a belief is read now. ``item`` comes with the rows that its scope names."""
        agent, conversation = item.scope_agent, item.scope_conversation
        return cls(
            item.scope,
            agent.pk if agent else None,
            agent.name if agent else None,
            conversation.pk if conversation else None,
            conversation.ref if conversation else None,
        )

    def holds_for_readers_of(self, item: GovernanceItem) -> bool:
        """Whether everybody who reads ``item`` would read what is said here."""
        return self.scope == Scope.GLOBAL or (
            (self.scope, self.agent_id, self.conversation_id)
            == (item.scope, item.scope_agent_id, item.scope_conversation_id)
        )


@dataclass(frozen=True, slots=True)
class Source:
    """Where the words come from, beyond the caller itself."""

    # what stands in place of the caller's name, for example "import:memory.jsonl"
    label: str = ""
    turn: str = ""
    file: str = ""
    line: int | None = None
    quote: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words on their way to becoming a belief, complete: the domain service has resolved everything first.

    ``also_shown`` is all else of it that a prompt could show (tags, names); the gate scans it like the text.
    ``replaces`` is the belief that the caller says this one takes the place of. ``yields``: where another value of its
    key stands it waits for a person, whoever says it.
    """

    kind: str
    text: str
    place: Place
    facet: Mapping[str, Any] = field(default_factory=dict)
    also_shown: tuple[str, ...] = ()
    valid: DateTimeTZRange = field(default_factory=always)
    precision: tuple[str, str] = ("", "")
    ttl_days: int | None = None
    exclusive_key: str = ""
    replaces: GovernanceItem | None = None
    yields: bool = False
    source: Source = field(default_factory=Source)
    # hundredths, for origins whose trust is computed elsewhere; None takes the kind's own
    confidence: int | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """One finding of the scanner in the text of a proposal."""

    rule: str
    start: int
    end: int

    def value(self) -> dict[str, Any]:
        return {"rule": self.rule, "start": self.start, "end": self.end}


Outcome = Literal["stored", "duplicate", "restated", "refused", "invalid"]


@dataclass(frozen=True, slots=True)
class Admission:
    """The gate's answer to one proposal.

    ``item`` is the belief that now stands for the words, new or old; None only when refused or invalid.
    """

    outcome: Outcome
    item: GovernanceItem | None = None
    status: str = ""
    reason: str = ""
    duplicate_of: GovernanceItem | None = None
    contradicts: GovernanceItem | None = None
    superseded: tuple[GovernanceItem, ...] = ()
    tombstone: str = ""
    error: DomainError | None = None


# Above every row id: nobody compared these words with refusals, and nobody needs to.
NOBODY_LOOKED = 2**62


@dataclass(frozen=True, slots=True)
class Nearness:
    """Whether a text comes near to words that a person refused, as far as refusals up to ``newest_refusal`` (a
    row id) go. What was refused since is looked at under the owner's clock."""

    is_near: bool = False
    newest_refusal: int = 0


@dataclass(frozen=True, slots=True)
class Lookalikes:
    """What resembles a text: readable beliefs, best first, and how near it comes to refusals."""

    similar: tuple[tuple[GovernanceItem, float], ...] = ()
    nearness: Nearness = Nearness()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Status and reason a new item starts with, and whether it may take an old value's place by itself."""

    status: str
    reason: str
    confidence: int
    may_replace: bool
